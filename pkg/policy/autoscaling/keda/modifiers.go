// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// Modifiers make one metric of those of all triggers.
type Modifiers struct {
	Formula *Formula
	// Target is that of the one metric, and Written the number that the author wrote. KEDA has
	// fallbacks only where the author wrote a whole one, without a point.
	Target  hpa.Target
	Written float64
	Whole   bool
	// Activation is the value above which the target is active.
	Activation float64
}

// Combine returns what the autoscaler sees of all triggers together, and whether any failed. It
// counts failures in a row, as Observe does.
func (s *Scaler) Combine(target Target, answers []Answer) (o hpa.Observation, failed bool) {
	m := s.spec.Modifiers
	values := map[string]any{}
	held := hpa.Observation{Failed: true}
	for i := range s.spec.Triggers {
		t := &s.spec.Triggers[i]
		switch {
		case !answers[i].Failed:
			s.failures[i] = 0
			values[t.Name] = approximate(thousandths(answers[i].Value))
		case !s.exceeds(i):
			failed = true
		case s.spec.Fallback.Behavior == ByFormula:
			values[t.Name] = nil
		default:
			value, ok := s.spec.Fallback.value(m.Target, target)
			if !ok {
				failed = true
				continue
			}
			held = hpa.Observation{Values: []int64{value}}
		}
	}
	if !held.Failed || failed {
		return held, failed
	}
	return s.evaluate(values), false
}

// exceeds counts a failure of a trigger, and reports whether a fallback stands for it.
func (s *Scaler) exceeds(trigger int) bool {
	fallback := s.spec.Fallback
	if fallback == nil || !s.spec.Modifiers.Whole {
		return false
	}
	s.failures[trigger]++
	return s.failures[trigger] > fallback.FailureThreshold
}

// evaluate returns the value of the formula. Where it has none, the count of the fallback holds.
func (s *Scaler) evaluate(values map[string]any) hpa.Observation {
	m, fallback := s.spec.Modifiers, s.spec.Fallback
	value, ok := m.Formula.value(values)
	switch {
	case !ok, value == nil && fallback == nil:
		return hpa.Observation{Failed: true}
	case value == nil:
		return hpa.Observation{Values: []int64{cut(float64(fallback.Replicas) * m.Written * 1000)}}
	default:
		return hpa.Observation{Values: []int64{cut(*value * 1000)}}
	}
}

// combinedActivity is Activity where a formula makes one metric.
func (s *Scaler) combinedActivity(target Target, answers []Answer) (active, failed bool) {
	o, failed := s.Combine(target, answers)
	return !failed && !o.Failed && approximate(o.Values[0]) > s.spec.Modifiers.Activation, failed
}

// approximate is a quantity of thousandths as a number, which Kubernetes multiplies.
func approximate(thousandths int64) float64 { return float64(thousandths) * math.Pow10(-3) }

// cut drops what is less than one. What does not fit is the least number, as on amd64.
func cut(value float64) int64 {
	if value >= math.MinInt64 && value < math.MaxInt64 {
		return int64(value)
	}
	return math.MinInt64
}
