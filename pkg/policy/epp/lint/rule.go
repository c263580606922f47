// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Rule is something to find. Its examples are its test: the bad one has a finding, the
// good one has none.
type Rule struct {
	// ID is what findings name it by.
	ID       string
	Severity Severity
	// Summary is what is found, Why what comes of it, Fix what to do instead.
	Summary, Why, Fix string
	// Source is where users met it, or who says so.
	Source string
	// Version reads the examples: router-v0.10 unless it is set, and auto for a rule about
	// the choice of a version.
	Version string
	// Context is what the examples are checked with.
	Context Context
	// AlsoFinds are rules that the examples cannot do without.
	AlsoFinds []string

	// check is nil for what package epp finds.
	check func(p *pass)
}

// A pass is one rule's look at one configuration.
type pass struct {
	*view
	rule    *Rule
	root    *yamlv3.Node
	version string
	context Context
	found   []Finding
	// suppressed are places of which the findings say enough.
	suppressed []string
}

// suppress keeps what the version says of a place from being repeated.
func (p *pass) suppress(at *field.Path) { p.suppressed = append(p.suppressed, at.String()) }

// report adds a finding at a path; nil is the document.
func (p *pass) report(at *field.Path, format string, args ...any) {
	path := ""
	if at != nil {
		path = at.String()
	}
	p.found = append(p.found, Finding{
		Rule:     p.rule.ID,
		Severity: p.rule.Severity,
		Path:     path,
		Versions: []string{p.version},
		Message:  fmt.Sprintf(format, args...),
		Why:      p.rule.Why,
		Fix:      p.rule.Fix,
	})
}

// written is a node of the document, or nil.
func (p *pass) written(names ...string) *yamlv3.Node { return child(p.root, names...) }

// Lookup finds a rule, or nil.
func Lookup(id string) *Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}
