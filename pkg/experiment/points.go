// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/search"
)

// Point is one variation of the scenario.
type Point struct {
	// ID numbers the points of a plan from 0.
	ID int
	// Values give each parameter its value, in the plan's order.
	Values []v1alpha1.Assignment
}

// String names the point by its values, such as a=1 b=2.
func (p Point) String() string {
	words := make([]string, len(p.Values))
	for i, value := range p.Values {
		words[i] = value.Name + "=" + value.Value
	}
	return strings.Join(words, " ")
}

// NoBaseline is what BaselinePoint returns where there is none.
const NoBaseline = -1

// Points returns the plan's points. A run has one, without values. A baseline
// that the search did not choose comes last.
func (p *Plan) Points() []Point { return p.expanded.points }

// BaselinePoint returns the ID of the baseline, or NoBaseline.
func (p *Plan) BaselinePoint() int { return p.expanded.baseline }

// expansion is what a plan's fields imply.
type expansion struct {
	points   []Point
	baseline int
}

// expand derives the points.
func (p *Plan) expand() error {
	if !p.IsSweep() {
		p.expanded = expansion{points: []Point{{}}, baseline: NoBaseline}
		return nil
	}
	base := p.variants()[0].scenario
	for i := range p.Parameters {
		if err := p.Parameters[i].bind(base); err != nil {
			return fmt.Errorf("parameter %s: %w", p.Parameters[i].Name, err)
		}
	}
	chosen, errs := p.search(field.NewPath("spec"))
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	p.expanded = expansion{baseline: NoBaseline}
	for _, proposal := range chosen.Ask() {
		p.expanded.points = append(p.expanded.points, p.point(proposal.Point))
	}
	p.expandBaseline()
	return nil
}

// variant is the base scenario, or the base with one profile in place of its
// EPP configuration. What a path reaches may differ between variants.
type variant struct {
	// profile is the profile's name, and index its place in the list of the
	// plan's parameter of that index; empty for the base.
	profile          string
	parameter, index int
	scenario         tree
}

// variants returns all scenarios that the other parameters reach into.
func (p *Plan) variants() []variant {
	for i := range p.Parameters {
		if p.Parameters[i].Profiles == nil {
			continue
		}
		var list []variant
		for j, profile := range p.Parameters[i].Profiles {
			scenario := cloneTree(p.Scenario).(tree)
			if err := p.Parameters[i].set(scenario, profile.Name); err != nil {
				panic(fmt.Sprintf("experiment: profile %s: %v", profile.Name, err))
			}
			list = append(list, variant{profile.Name, i, j, scenario})
		}
		return list
	}
	return []variant{{scenario: p.Scenario}}
}

// search returns the plan's algorithm, or what is wrong with its space.
func (p *Plan) search(spec *field.Path) (search.Algorithm, field.ErrorList) {
	problem := search.Problem{
		Objectives: 1,
		Seeds:      max(1, len(p.Seeds)),
		Settings: search.Settings{
			Algorithm: search.Name(p.Search.Algorithm),
			Seed:      p.Search.Seed,
			MaxTrials: int(p.Search.MaxTrials),
		},
	}
	for i := range p.Parameters {
		problem.Space.Parameters = append(problem.Space.Parameters, p.Parameters[i].axis())
	}
	return search.New(problem, spec)
}

func (p *Plan) point(values search.Point) Point {
	point := Point{ID: len(p.expanded.points)}
	for i, value := range values {
		point.Values = append(point.Values, v1alpha1.Assignment{Name: p.Parameters[i].Name, Value: value})
	}
	return point
}

func (p *Plan) expandBaseline() {
	if len(p.Baseline) == 0 {
		return
	}
	values := make(search.Point, len(p.Parameters))
	for i := range p.Parameters {
		at := slices.IndexFunc(p.Baseline, func(a v1alpha1.Assignment) bool { return a.Name == p.Parameters[i].Name })
		values[i] = p.Baseline[at].Value
	}
	baseline := p.point(values)
	for _, point := range p.expanded.points {
		if slices.Equal(point.Values, baseline.Values) {
			p.expanded.baseline = point.ID
			return
		}
	}
	p.expanded.points = append(p.expanded.points, baseline)
	p.expanded.baseline = baseline.ID
}

// scenarioAt returns the scenario of a point.
func (p *Plan) scenarioAt(point Point) (tree, error) {
	scenario := cloneTree(p.Scenario).(tree)
	for _, i := range inOrder(p.Parameters) {
		if point.Values[i].Value == "" { // the parameter does not exist at this point
			continue
		}
		if err := p.Parameters[i].set(scenario, point.Values[i].Value); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Parameters[i].Name, err)
		}
	}
	return scenario, nil
}
