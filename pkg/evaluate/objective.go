// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

// An Objective is what a policy is scored by.
type Objective struct {
	// Name is that of the score; empty is the metric's.
	Name   string
	Metric string
	// Weight is that in the combined score; greater than 0.
	Weight float64
	// Direction is empty for the metric's own.
	Direction result.Direction
	// Target is a value that is good enough, as in a gate; empty is none.
	Target string
}

// ParseObjective reads METRIC[=WEIGHT][,min|max][,target=VALUE].
func ParseObjective(text string) (Objective, error) {
	o := Objective{Weight: 1}
	fault := func(format string, of ...any) (Objective, error) {
		return Objective{}, fmt.Errorf("objective %q: %s", text, fmt.Sprintf(format, of...))
	}
	end := strings.Index(text, "}") + 1 // a selector has commas too
	rest := text[end:]
	parts := strings.Split(rest, ",")
	metric, weight, weighted := strings.Cut(parts[0], "=")
	o.Metric = text[:end] + metric
	if weighted {
		w, err := strconv.ParseFloat(weight, 64)
		if err != nil || !(w > 0 && w <= maxWeight) {
			return fault("the weight %q must be a number above 0 and at most %v", weight, maxWeight)
		}
		o.Weight = w
	}
	for _, part := range parts[1:] {
		value, targeted := strings.CutPrefix(part, "target=")
		switch {
		case part == "min" && o.Direction == "":
			o.Direction = result.Minimize
		case part == "max" && o.Direction == "":
			o.Direction = result.Maximize
		case targeted && value != "" && o.Target == "":
			o.Target = value
		default:
			return fault("%q must be min, max or target=VALUE, each at most once", part)
		}
	}
	return o, nil
}

// maxWeight keeps sums of weights finite.
const maxWeight = 1e6

// objectiveOf is the objective of a gate: its bound is the target.
func objectiveOf(g *v1alpha1.RunGate) Objective {
	o := Objective{Name: g.Name, Metric: g.Metric, Weight: 1, Direction: result.Maximize, Target: string(g.Value)}
	if g.Operator == v1alpha1.Operator(result.AtMost) {
		o.Direction = result.Minimize
	}
	return o
}

// gate is a gate that names the metric, for a compilation to check that it can be measured.
func (o *Objective) gate(i int) v1alpha1.Gate {
	g := v1alpha1.Gate{Name: fmt.Sprintf("objective-%d", i), Metric: o.Metric, Operator: v1alpha1.Operator(result.AtLeast), Value: "0", Confidence: "0.95"}
	if o.Target != "" {
		g.Value = v1alpha1.MetricBound(o.Target)
	}
	return g
}

// A Goal is an objective that was read.
type Goal struct {
	Name      string           `json:"name"`
	Metric    string           `json:"metric"`
	Direction result.Direction `json:"direction"`
	Weight    float64          `json:"weight"`
	// Target is in the metric's base unit; nil is none.
	Target  *float64 `json:"target"`
	measure result.Measure
}

// goals reads objectives.
func goals(objectives []Objective, measures result.Measures) ([]Goal, field.ErrorList) {
	var all []Goal
	var errs field.ErrorList
	names := map[string]bool{}
	for i := range objectives {
		at := field.NewPath("objectives").Index(i)
		g, es := objectives[i].goal(measures, at)
		if len(es) == 0 && names[g.Name] {
			es = field.ErrorList{field.Duplicate(at, g.Name)}
		}
		names[g.Name] = true
		all, errs = append(all, g), append(errs, es...)
	}
	return all, errs
}

func (o *Objective) goal(measures result.Measures, at *field.Path) (Goal, field.ErrorList) {
	measure, errs := measures.Parse(o.Metric, at)
	if len(errs) > 0 {
		return Goal{}, errs
	}
	g := Goal{Name: o.Name, Metric: measure.String(), Direction: o.Direction, Weight: o.Weight, measure: measure}
	if g.Name == "" {
		g.Name = g.Metric
	}
	if g.Direction == "" {
		g.Direction = measure.Direction()
	}
	if g.Direction == "" {
		errs = append(errs, field.Invalid(at, o.Metric, "has no direction of its own: add ,min or ,max"))
	}
	if o.Target != "" {
		target, es := result.ParseBound(o.Target, measure.Unit(), at)
		g.Target, errs = &target, append(errs, es...)
	} else if u := measure.Unit(); u != result.Share && u != result.Index {
		errs = append(errs, field.Invalid(at, o.Metric, fmt.Sprintf("is in the unit %s, which has no score from 0 to 1 by itself: state a value that is good enough, by ,target=VALUE or by a constraint of the sweep", u)))
	}
	return g, errs
}

// score turns a value into a number from 0 to 1, more being better. What meets the target
// has 1. What misses it has the smaller of the two numbers ÷ the greater one, or 0 where one
// of them is not positive. A share without a target is its own score, or what it lacks to 1
// where less is better.
func (g *Goal) score(value float64) float64 {
	switch {
	case g.Target == nil && g.Direction == result.Minimize:
		return clamp(1 - value)
	case g.Target == nil:
		return clamp(value)
	}
	low, high := value, *g.Target
	if g.Direction == result.Minimize {
		low, high = high, low
	}
	switch {
	case low >= high:
		return 1
	case low <= 0:
		return 0
	default:
		return clamp(low / high)
	}
}

func clamp(x float64) float64 { return min(1, max(0, x)) }
