// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// MaxBytes bounds a bundle that varies, in canonical form.
const MaxBytes = 16 << 10

// Options say what may vary.
type Options struct {
	// Components are those that vary; none are all of the bundle's.
	Components []sandbox.Component
	// MaxNodes bounds the nodes that a decision tree may grow to.
	MaxNodes int
	// Names are the workload's. AnyLabel has conditions ask for any of them.
	Names    sandbox.Names
	AnyLabel bool
}

// A Mutator makes children of one bundle and of its descendants. It is immutable.
type Mutator struct {
	first    string // canonical
	parts    []*part
	maxNodes int
}

// A part is a component that varies. It is immutable.
type part struct {
	name    sandbox.Component
	layout  *sandbox.Layout
	fields  []option // of the layout
	signals []bundle.Signal
	with    *Options
}

func newPart(name sandbox.Component, c *bundle.Component, o *Options) *part {
	p := &part{name: name, layout: layoutOf(name, c, o.Names), signals: c.AllSignals(), with: o}
	p.fields = options(p.layout, o.AnyLabel)
	return p
}

// of is the part for a component of the same name that may have other signals.
func (p *part) of(c *bundle.Component) *part {
	if reflect.DeepEqual(p.signals, c.AllSignals()) {
		return p
	}
	return newPart(p.name, c, p.with)
}

// New returns the mutator of a bundle, or what keeps the bundle from varying. path is that
// of the options.
func New(first *bundle.Bundle, o Options, path *field.Path) (*Mutator, field.ErrorList) {
	m := &Mutator{first: first.Canonical(), maxNodes: o.MaxNodes}
	var errs field.ErrorList
	if n := len(m.first); n > MaxBytes {
		errs = append(errs, field.TooLong(path, "", MaxBytes))
	}
	all := first.Components()
	for i, name := range o.Components {
		if all[name] == nil {
			errs = append(errs, field.Invalid(path.Child("components").Index(i), name, "the bundle of the scenario has no such component"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(o.Components) > 0 && !slices.Contains(o.Components, name) {
			continue
		}
		p := newPart(name, all[name], &o)
		if !p.valid(all[name]) {
			errs = append(errs, field.Invalid(path, name, "the component of the scenario's bundle has faults"))
			continue
		}
		if all[name].DecisionTree != nil || len(knobs(name, all[name])) > 0 {
			m.parts = append(m.parts, p)
		}
	}
	if len(m.parts) == 0 && len(errs) == 0 {
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "there is nothing to vary: a component needs a decision tree, numbers as parameters, or weights of scorers"))
	}
	return m, errs
}

// First is the bundle that all others come from, in canonical form.
func (m *Mutator) First() string { return m.first }

// maxAttempts is how often a change is tried in vain.
const maxAttempts = 16

// crossShare is how many of the changes take over a part of the other parent.
const crossShare = 0.25

// unfoldShare is how many of the changes of a template turn it into a decision tree.
const unfoldShare = 0.1

// Child makes a child of two bundles by a number of changes. It says in words what differs from
// the first parent: nothing where no change was possible.
func (m *Mutator) Child(mother, father string, changes int, s *stats.Stream) (child string, changed []string) {
	b, other := decode(mother), decode(father)
	for range changes {
		for range maxAttempts {
			next, words := m.changed(b, other, s)
			if words != "" && len(next.Canonical()) <= MaxBytes {
				b, changed = next, append(changed, words)
				break
			}
		}
	}
	return b.Canonical(), changed
}

// changed returns a bundle with one change, and the change in words; empty where this try
// gave none.
func (m *Mutator) changed(b, other *bundle.Bundle, s *stats.Stream) (*bundle.Bundle, string) {
	p := m.parts[s.IntN(len(m.parts))]
	next := decode(b.Canonical())
	c, donor := next.Components()[p.name], other.Components()[p.name]
	if c == nil {
		return b, ""
	}
	p = p.of(c)
	crosses, unfolds := s.Float64() < crossShare, s.Float64() < unfoldShare
	var words string
	switch {
	case c.Parameterized != nil && unfolds:
		words = unfold(c)
	case c.DecisionTree != nil && crosses:
		words = m.graft(c.DecisionTree, treeOf(donor), other, s)
	case c.DecisionTree != nil:
		words = m.changeTree(p, c.DecisionTree, s)
	case crosses:
		words = p.takeKnob(c, donor, other, s)
	default:
		words = p.turnKnob(c, s)
	}
	if words == "" || !p.valid(c) {
		return b, ""
	}
	return next, string(p.name) + "." + words
}

// decode reads a bundle that this package wrote.
func decode(text string) *bundle.Bundle {
	b := &bundle.Bundle{}
	if err := json.Unmarshal([]byte(text), b); err != nil {
		panic(fmt.Sprintf("mutate: a bundle that was read before: %v", err))
	}
	return b
}

// pick draws one of a list that is not empty.
func pick[T any](list []T, s *stats.Stream) T { return list[s.IntN(len(list))] }
