// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"math"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestBacklogGrowthIsAShareOfWhatArrives(t *testing.T) {
	// A request a second, of which so many a second are served in turn.
	served := func(perSecond float64) *backlog {
		b := &backlog{}
		end := 0.0
		for i := range 1000 {
			at := float64(i)
			b.arrivals = append(b.arrivals, simtime.Time(at*1e9))
			end = max(end, at) + 1/perSecond
			b.ends = append(b.ends, simtime.Time(end*1e9))
		}
		return b
	}
	for name, tc := range map[string]struct {
		backlog *backlog
		horizon simulator.Horizon
		want    float64
	}{
		"all that arrives is served": {served(2), simulator.Horizon{}, 0},
		"half of it":                 {served(0.5), simulator.Horizon{}, 0.5},
		"nothing":                    {&backlog{arrivals: served(1).arrivals}, simulator.Horizon{}, 1},
		"what came too late is none": {served(0.5), simulator.Horizon{Duration: 500 * time.Second}, 0.5},
		"after a warm-up":            {served(0.75), simulator.Horizon{WarmUp: 800 * time.Second}, 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.backlog.growth(tc.horizon)
			if got == nil || math.Abs(*got-tc.want) > 0.015 {
				t.Errorf("growth %v, want %v", got, tc.want)
			}
		})
	}
	if got := (&backlog{arrivals: served(1).arrivals[:99]}).growth(simulator.Horizon{}); got != nil {
		t.Errorf("growth of too few is %v", *got)
	}
}

// The law: below 1/m the cluster keeps up with one hot prefix, above it does
// not.
func TestTheBacklogGrowsBeyondOneOverM(t *testing.T) {
	growth := []result.Metric{result.MustParseMetric(result.BacklogGrowth)}
	for prefix, grows := range map[string]bool{"0": false, "1.9": false, "2.1": true} {
		p := mustCompileRun(t, affine(prefix, "1", "400", 1)).Plan
		s, err := p.simulateOne(t.Context(), nil, &firstRound(t, p).Trials[0], 42, growth, watch{})
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.Row.Metrics.Get(result.BacklogGrowth)
		if !ok || grows != (got > 0.5) || !grows && math.Abs(got) > 0.05 {
			t.Errorf("prefix/load of %s: the backlog grows by %v of what arrives", prefix, got)
		}
		if warns := len(boundFindings(p)) > 0; warns != grows {
			t.Errorf("prefix/load of %s: found %v", prefix, boundFindings(p))
		}
	}
}

// A constraint ranks the points of any search, here of a grid.
func TestAConstraintOnTheBacklog(t *testing.T) {
	sweep := testSweep(t)
	sweep.Spec.Scenario = testRun(t).Spec.Scenario
	affine("1", "1", "400", 1)(&sweep.Spec.Scenario)
	sweep.Spec.Scenario.Horizon.Requests = ptr.To[int64](2000)
	sweep.Spec.Parameters = []v1alpha1.Parameter{{
		Name: "prefix", Path: "router.policies.routing.scorers[prefix-affinity].weight", Values: []string{"3", "1"},
	}}
	sweep.Spec.Replications = v1alpha1.Replications{Seeds: []int64{1, 2}}
	sweep.Spec.Constraints = []v1alpha1.Constraint{{Metric: result.BacklogGrowth, Operator: v1alpha1.AtMost, Value: "10%"}}
	sweep.Spec.Baseline = nil
	study, err := mustCompileSweep(t, sweep).Plan.RunLocally(t.Context(), nil, Options{Parallelism: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range study.Rows() {
		got, _ := row.Metrics.Get(result.BacklogGrowth)
		if grows := study.Points()[row.Point].Values[0].Value == "3"; grows != (got > 0.5) {
			t.Errorf("at %s the backlog grows by %v", study.Points()[row.Point], got)
		}
	}
}
