// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/search"
)

// Parameter is a place in the scenario and the values to try there: exactly
// one of Range, Values, Profiles, Alternatives and Evolve.
type Parameter struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Integer says that the place holds a whole number.
	Integer  bool            `json:"integer,omitempty"`
	Range    *v1alpha1.Range `json:"range,omitempty"`
	Values   []string        `json:"values,omitempty"`
	Profiles []Profile       `json:"profiles,omitempty"`
	// Alternatives are whole parts of the scenario.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Share says that the path leads to the weight of a backend, and a value is the percentage of the
	// traffic that the backend has.
	Share bool `json:"share,omitempty"`
	// Evolve has the search make policies.
	Evolve *Evolution `json:"evolve,omitempty"`
	// When says at which points the parameter exists; nil at all.
	When *v1alpha1.ParameterCondition `json:"when,omitempty"`

	// First is the policy that the others evolve from, in canonical form.
	First     string    `json:"-"`
	Segments  []Segment `json:"-"`
	ValueKind valueKind `json:"-"`
}

// axis is the parameter as the search sees it.
func (p *Parameter) axis() search.Parameter {
	axis := search.Parameter{Name: p.Name, Kind: search.Choice, Choices: p.Values}
	switch {
	case p.Range != nil:
		axis = search.Parameter{
			Name: p.Name, Min: string(p.Range.Min), Max: string(p.Range.Max), Step: string(p.Range.Step),
			LogScale: p.Range.Scale == v1alpha1.LogScale,
		}
		switch {
		case p.Integer:
			axis.Kind = search.Integer
		case p.Range.Step != "":
			axis.Kind = search.Stepped
		default:
			axis.Kind = search.Continuous
		}
	case p.IsWhole():
		for _, part := range p.parts() {
			axis.Choices = append(axis.Choices, part.name)
		}
	}
	if p.When != nil {
		axis.When = &search.Condition{Parameter: p.When.Parameter, Values: p.When.Values}
	}
	return axis
}

// ExistsIn says whether the parameter may exist in a variant of the base. One that reaches
// into a part of the scenario may do so only in variants of this part.
func (p *Parameter) ExistsIn(v *Variant) bool {
	if p.When != nil && p.When.Parameter == v.parameter && !slices.Contains(p.When.Values, v.Choice) {
		return false
	}
	path, within := p.segments(), v.part
	if !isWithin(path, within) {
		within = nil
	}
	// Of a part within another one, the inner one counts.
	return !slices.ContainsFunc(v.elsewhere, func(part []Segment) bool { return isWithin(path, part) && len(part) > len(within) })
}

// Excludes says whether two parameters never exist at one point: both ask for
// the same one, and for other values of it.
func (p *Parameter) Excludes(q *Parameter) bool {
	return p.When != nil && q.When != nil && p.When.Parameter == q.When.Parameter &&
		!slices.ContainsFunc(p.When.Values, func(value string) bool { return slices.Contains(q.When.Values, value) })
}

// Bind finds the parameter's place in a scenario.
func (p *Parameter) Bind(scenario Tree) error {
	var err error
	if p.Segments, err = parsePath(p.Path); err != nil {
		return err
	}
	if within := withinScenario(p.Segments); within != nil {
		return fmt.Errorf("begins above the scenario, where paths begin: write %s", Render(within))
	}
	if p.IsWhole() {
		return p.bindWhole(scenario)
	}
	if p.Evolve != nil {
		return p.bindEvolving(scenario)
	}
	if p.Share {
		p.ValueKind, p.Integer = integerValue, true
		_, err = p.dividedLists(scenario)
		return err
	}
	p.ValueKind, err = resolve(scenario, p.Segments)
	p.Integer = err == nil && p.ValueKind == integerValue
	return err
}

// Set writes one of the parameter's values into a scenario: the text of one that evolves.
func (p *Parameter) Set(scenario Tree, value string) error {
	if p.IsWhole() {
		return p.setPart(scenario, value)
	}
	if p.Evolve != nil {
		return p.setPolicy(scenario, value)
	}
	if p.Share {
		return p.setShare(scenario, value)
	}
	encoded, err := p.ValueKind.Encode(value)
	if err != nil {
		return err
	}
	return Assign(scenario, p.Segments, encoded)
}

// Corners are values that are worth a look one by one, for the sake of the
// error's place: every listed one, and the ends of a range. The greatest value
// of a range with a step may never be tried.
func (p *Parameter) Corners() []string {
	switch {
	case p.Range == nil:
		return p.axis().Choices
	case p.Range.Step != "":
		return []string{string(p.Range.Min)}
	default:
		return []string{string(p.Range.Min), string(p.Range.Max)}
	}
}

// Canonical makes equal values of a list equal texts, and reports those that
// occur twice.
func (p *Parameter) Canonical(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	values := slices.Clone(p.Values)
	for i, value := range values {
		text, err := p.ValueKind.Canonical(value)
		if err != nil {
			continue // values says so
		}
		if slices.Contains(values[:i], text) {
			errs = append(errs, field.Duplicate(path.Child("values").Index(i), value))
		}
		values[i] = text
	}
	p.Values = values
	return errs
}

// InOrder sorts the parameters of a plan for application: whole parts first, routers before
// the admissions within them, then what reaches into them.
func InOrder(parameters []Parameter) []int {
	var whole, order []int
	for i := range parameters {
		if parameters[i].IsWhole() {
			whole = append(whole, i)
		} else {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(whole, func(i, j int) int {
		return len(parameters[i].segments()) - len(parameters[j].segments())
	})
	return append(whole, order...)
}
