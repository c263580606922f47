// SPDX-License-Identifier: Apache-2.0

package template

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/tree"
)

// A Template is a decision tree of one component with parameters. It is immutable.
type Template struct {
	Name string `json:"-"`
	// Component is what the tree decides.
	Component sandbox.Component `json:"component"`
	// Help says what the tree does.
	Help string `json:"help"`
	// Parameters are in the order of the documentation.
	Parameters []Parameter `json:"parameters"`
	// Signals are those that a tree of the routing reads.
	Signals []string `json:"signals,omitempty"`
	// Root is the tree, with names of parameters in place of numbers.
	Root map[string]any `json:"root"`
}

// A Parameter is a number that a bundle may state.
type Parameter struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Default is the number of bundles that state none.
	Default float64 `json:"default"`
	// Min and Max bound the number; both are allowed.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// Scale is how a search takes steps from Min to Max.
	Scale Scale `json:"scale"`
	// Whole says that only whole numbers are allowed.
	Whole bool `json:"whole,omitempty"`
}

// Scale is how numbers are spread over a range.
type Scale string

// The scales.
const (
	// Linear has equal differences.
	Linear Scale = "linear"
	// Log has equal ratios. Its numbers are above 0.
	Log Scale = "log"
)

// Find returns the template of a name; nil if there is none.
func Find(name string) *Template {
	all := All()
	if i := slices.IndexFunc(all, func(t *Template) bool { return t.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// Of returns the templates of a component, in the order of their names.
func Of(c sandbox.Component) []*Template {
	return slices.DeleteFunc(slices.Clone(All()), func(t *Template) bool { return t.Component != c })
}

// Parameter returns the parameter of a name; nil if there is none.
func (t *Template) Parameter(name string) *Parameter {
	if i := slices.IndexFunc(t.Parameters, func(p Parameter) bool { return p.Name == name }); i >= 0 {
		return &t.Parameters[i]
	}
	return nil
}

// Version changes with what the template computes from given numbers. It is part of the
// canonical text of a bundle, and so of the key of its results.
func (t *Template) Version() string {
	raw, err := json.Marshal([]any{t.Component, t.Signals, t.Root})
	if err != nil {
		panic(fmt.Sprintf("template: marshal %s: %v", t.Name, err))
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}

// Complete returns numbers with the defaults of those that are not stated.
func (t *Template) Complete(stated map[string]float64) map[string]float64 {
	all := make(map[string]float64, len(t.Parameters))
	for i := range t.Parameters {
		p := &t.Parameters[i]
		all[p.Name] = p.Default
		if x, is := stated[p.Name]; is {
			all[p.Name] = x
		}
	}
	return all
}

// Tree returns the decision tree with numbers, which are without faults.
func (t *Template) Tree(numbers map[string]float64) *tree.Node {
	root, err := t.fill(t.Complete(numbers))
	if err != nil {
		panic(fmt.Sprintf("template: %s: %v", t.Name, err))
	}
	return root
}
