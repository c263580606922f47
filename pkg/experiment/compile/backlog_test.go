// SPDX-License-Identifier: Apache-2.0

package compile_test

import (
	"math"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Below 1/m the cluster keeps up with one hot prefix, and above it does not.
func TestTheBacklogGrowsAbovePrefixOverLoadOfOneOverM(t *testing.T) {
	for prefix, grows := range map[string]bool{"0": false, "1.9": false, "2.1": true} {
		c := mustCompileRun(t, affine(prefix, "1", "400", 1))
		p := c.Plan
		p.Constraints = []v1alpha1.Constraint{{Metric: result.BacklogGrowth, Operator: v1alpha1.AtMost, Value: "1"}}
		got, ok := experimenttest.MustSimulate(t, c, experiment.Span{End: 1})[0].Row.Metrics.Get(result.BacklogGrowth)
		if !ok || grows != (got > 0.5) || !grows && math.Abs(got) > 0.05 {
			t.Errorf("prefix/load of %s: the backlog grows by %v of what arrives", prefix, got)
		}
		if warns := len(boundFindings(p)) > 0; warns != grows {
			t.Errorf("prefix/load of %s: found %v", prefix, boundFindings(p))
		}
	}
}

// A constraint ranks the points of any search, here of a grid.
func TestTheBacklogGrowsWithThePrefixWeight(t *testing.T) {
	sweep := experimenttest.Sweep(t)
	sweep.Spec.Scenario = experimenttest.Run(t).Spec.Scenario
	affine("1", "1", "400", 1)(&sweep.Spec.Scenario)
	sweep.Spec.Scenario.Horizon.Requests = ptr.To[int64](2000)
	sweep.Spec.Parameters = []v1alpha1.Parameter{{
		Name: "prefix", Path: "router.policies.routing.scorers[prefix-affinity].weight", Values: []string{"3", "1"},
	}}
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: []int64{1, 2}}
	sweep.Spec.Constraints = []v1alpha1.Constraint{{Metric: result.BacklogGrowth, Operator: v1alpha1.AtMost, Value: "10%"}}
	sweep.Spec.Baseline = nil
	local, err := execute.RunLocally(t.Context(), experimenttest.MustCompileSweep(t, sweep).Plan, nil, execute.Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range local.Rows() {
		got, _ := row.Metrics.Get(result.BacklogGrowth)
		if grows := local.Points()[row.Point].Values[0].Value == "3"; grows != (got > 0.5) {
			t.Errorf("at %s the backlog grows by %v", local.Points()[row.Point], got)
		}
	}
}
