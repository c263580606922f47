// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Point is one variation of the scenario.
type Point struct {
	// ID numbers the points of a study from 0, in the order in which they were
	// first proposed.
	ID int
	// Values give each parameter its value, in the plan's order; empty where the
	// parameter does not exist at the point. A policy that evolved has its name there.
	Values []v1alpha1.Assignment
	// Policy is the bundle of a parameter that evolves, in canonical form; empty where
	// none does.
	Policy string
}

// String names the point by its values, such as a=1 b=2.
func (p Point) String() string {
	var words []string
	for _, value := range p.Existing() {
		words = append(words, value.Name+"="+value.Value)
	}
	return strings.Join(words, " ")
}

// Is reports whether the point has these values, in whatever order, and no others.
func (p Point) Is(values []v1alpha1.Assignment) bool {
	existing := p.Existing()
	return len(existing) == len(values) && !slices.ContainsFunc(values, func(v v1alpha1.Assignment) bool {
		return !slices.Contains(existing, v)
	})
}

// Existing are the values of the parameters that exist at the point.
func (p Point) Existing() []v1alpha1.Assignment {
	values := make([]v1alpha1.Assignment, 0, len(p.Values))
	for _, value := range p.Values {
		if value.Value != "" {
			values = append(values, value)
		}
	}
	return values
}

// Assignments are the values of the parameters that exist at the point, as results
// name them.
func (p Point) Assignments() []result.Assignment {
	existing := p.Existing()
	assignments := make([]result.Assignment, len(existing))
	for i, value := range existing {
		assignments[i] = result.Assignment{Name: value.Name, Value: value.Value}
	}
	return assignments
}

// NewPoint is the point of values as a search has them.
func (p *Plan) NewPoint(id int, values []string) Point {
	point := Point{ID: id}
	for i := range p.Parameters {
		value := values[i]
		if p.Parameters[i].Evolve != nil {
			point.Policy, value = value, PolicyValue(value)
		}
		point.Values = append(point.Values, v1alpha1.Assignment{Name: p.Parameters[i].Name, Value: value})
	}
	return point
}

// Variant is the base scenario, or the base with one profile or alternative in place of its
// own part. What a path reaches may differ between variants.
type Variant struct {
	// Choice is the name of the profile or alternative, and parameter that of the
	// parameter whose it is; empty for the base. Place and Index are where they stand in
	// lists.
	Choice, parameter string
	Place, Index      int
	Scenario          Tree
	// part is what the parameter replaces, and elsewhere what others replace.
	part      []Segment
	elsewhere [][]Segment
}

// Replaces reports whether the variant is one of parts that a parameter puts in place of the
// router of a model, or of its configuration.
func (v *Variant) Replaces(p *Plan, model string) bool {
	return v.parameter != "" && p.Parameters[v.Place].ReplacesPicker(model)
}

// Variants returns all scenarios that the other parameters reach into.
func (p *Plan) Variants() []Variant {
	var list []Variant
	for _, i := range InOrder(p.Parameters) {
		of := &p.Parameters[i]
		if !of.IsWhole() {
			continue
		}
		v := Variant{parameter: of.Name, Place: i, part: of.segments(), Scenario: p.Scenario}
		for j := range p.Parameters {
			if q := &p.Parameters[j]; j != i && q.IsWhole() {
				v.elsewhere = append(v.elsewhere, q.segments())
			}
		}
		if of.When != nil {
			list = append(list, v) // there are points with the base's own part
		}
		for j, part := range of.parts() {
			v.Choice, v.Index = part.name, j
			v.Scenario = maps.Clone(p.Scenario)
			if err := of.Set(v.Scenario, part.name); err != nil {
				panic(fmt.Sprintf("experiment: parameter %s: %v", of.Name, err))
			}
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return []Variant{{Scenario: p.Scenario}}
	}
	return list
}

// ScenarioAt returns the scenario of a point, cut to a share of its arrivals. It shares what the
// point does not change with the plan and with other points, so that only its root may be written to.
func (p *Plan) ScenarioAt(point Point, share float64) (Tree, error) {
	scenario := maps.Clone(p.Scenario)
	for _, i := range InOrder(p.Parameters) {
		value := point.Values[i].Value
		if value == "" {
			continue
		}
		if p.Parameters[i].Evolve != nil {
			value = point.Policy
		}
		if err := p.Parameters[i].Set(scenario, value); err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Parameters[i].Name, err)
		}
	}
	if share < 1 {
		horizon := maps.Clone(scenario["horizon"].(Tree))
		if err := shorten(horizon, share); err != nil {
			return nil, err
		}
		scenario["horizon"] = horizon
	}
	return scenario, nil
}

// shorten cuts a horizon to a share of its requests and of its duration.
func shorten(horizon Tree, share float64) error {
	if requests, ok := horizon["requests"].(json.Number); ok {
		n, err := requests.Int64()
		if err != nil {
			return fmt.Errorf("horizon.requests: %w", err)
		}
		horizon["requests"] = json.Number(strconv.FormatInt(int64(math.Ceil(float64(n)*share)), 10))
	}
	if text, ok := horizon["duration"].(string); ok {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("horizon.duration: %w", err)
		}
		horizon["duration"] = time.Duration(math.Ceil(float64(d) * share)).String()
	}
	return nil
}
