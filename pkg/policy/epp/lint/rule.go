// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Rule is something to find. Its test is made of its examples: the bad one
// has it, the good one has not.
type Rule struct {
	// ID is what findings name it by.
	ID       string
	Severity Severity
	// Summary is what is found, Why what comes of it, Fix what to do instead.
	Summary, Why, Fix string
	// Source is where users met it, or who says so.
	Source string
	// Bad and Good are configurations; what every one has in common is left
	// out of them. Version reads them, router-v0.10 unless it is set; auto is for
	// what is about the choice of a version.
	Bad, Good, Version string
	// Context is what they are looked at with.
	Context Context
	// Alongside are rules that the examples cannot do without.
	Alongside []string

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
	// silenced are places of which the findings say enough.
	silenced []string
}

// silence keeps what the version says of a place from being repeated.
func (p *pass) silence(at *field.Path) { p.silenced = append(p.silenced, at.String()) }

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
