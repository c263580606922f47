// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
)

// What is measured on demand is in the rows of plans that name it, whose keys are others.
// The other figures stay.
func TestRowsHoldWhatIsMeasuredOnDemand(t *testing.T) {
	plain := experimenttest.MustSimulate(t, mustCompileRun(t, affine("1", "1", "50", 1)), experiment.Span{End: 1})[0].Row
	for name, ask := range map[string]func(*experiment.Plan){
		"a constraint": func(p *experiment.Plan) {
			p.Constraints = []v1alpha1.Constraint{
				{Metric: "kvBelief.falseHit", Operator: v1alpha1.AtMost, Value: "1"}, {Metric: "imbalance.tokens", Operator: v1alpha1.AtMost, Value: "9"},
			}
		},
		"a derived metric": func(p *experiment.Plan) {
			p.Metrics = []v1alpha1.DerivedMetric{{Name: "wrong", Expression: "kvBelief.falseHit + kvBelief.falseMiss + 0.0 * imbalance.requests"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustCompileRun(t, affine("1", "1", "50", 1))
			ask(c.Plan)
			row := experimenttest.MustSimulate(t, c, experiment.Span{End: 1})[0].Row
			if row.Key == plain.Key {
				t.Error("the key does not say what the row holds")
			}
			if added := row.Metrics.Len() - plain.Metrics.Len(); added != 4 {
				t.Errorf("%d metrics more, want the four of the two families", added)
			}
			for name, want := range plain.Metrics.All() {
				if got, _ := row.Metrics.Get(name); got != want {
					t.Errorf("%s is %v, and %v where nothing is asked", name, got, want)
				}
			}
			if miss, ok := row.Metrics.Get("kvBelief.falseMiss"); !ok || miss < 0 || miss > 1 {
				t.Errorf("false misses are %v (there: %v)", miss, ok)
			}
		})
	}
}
