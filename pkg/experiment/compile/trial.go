// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// A trial is a variant into which one value of a parameter is written, and what of other
// parameters it needs.
type trial struct {
	parameters []experiment.Parameter
	scenario   experiment.Tree
	// values are those that are set, by parameter.
	values map[string]string
}

func newTrial(plan *experiment.Plan, v *experiment.Variant) trial {
	t := trial{plan.Parameters, maps.Clone(v.Scenario), map[string]string{}}
	if v.Choice != "" {
		t.values[plan.Parameters[v.Place].Name] = v.Choice
	}
	return t
}

// try writes a value of a parameter, under which the parameter exists.
func (t *trial) try(p *experiment.Parameter, value string) error {
	t.meetCondition(p)
	t.values[p.Name] = value
	return p.Set(t.scenario, value)
}

// meetCondition writes a value under which a parameter exists, of a parameter that comes
// before it. Profiles are variants of the base; faults of the condition have errors of their
// own.
func (t *trial) meetCondition(p *experiment.Parameter) {
	for i := range t.parameters {
		on := &t.parameters[i]
		switch {
		case on == p || p.When == nil:
			return
		case on.Name == p.When.Parameter && on.Profiles == nil:
			_ = t.try(on, p.When.Values[0])
			return
		}
	}
}

// addDependents writes the first value of each parameter that exists by what is set: some
// values are right only with what belongs to them. bound says which parameters have a place
// in the variant. It reports whether there is any; whole parts are variants of their own.
func (t *trial) addDependents(bound []bool) bool {
	added := false
	for i := range t.parameters {
		p := &t.parameters[i]
		if _, set := t.values[p.Name]; set || !bound[i] || p.When == nil || p.IsWhole() {
			continue
		}
		if value, set := t.values[p.When.Parameter]; set && slices.Contains(p.When.Values, value) {
			first := p.Corners()[0]
			t.values[p.Name] = first
			added = p.Set(t.scenario, first) == nil || added
		}
	}
	return added
}
