// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// stagedClient is a client whose rate changes.
func stagedClient(process workload.ArrivalProcess, stages ...workload.Stage) workload.Client {
	c := constantClient("ladder", 1)
	c.Arrivals = workload.Arrivals{Process: process, CV: 3, Stages: stages}
	return c
}

func stage(rate float64, duration time.Duration) workload.Stage {
	return workload.Stage{RatePerSecond: rate, Duration: duration}
}

// drain takes what a source has, and fails where that does not end.
func drain(t *testing.T, source workload.Source) []workload.Request {
	t.Helper()
	var requests []workload.Request
	for len(requests) < 1_000_000 {
		r, ok := source.Next()
		if !ok {
			workloadtest.CheckOrder(t, requests)
			return requests
		}
		requests = append(requests, r)
	}
	t.Fatal("the source does not end")
	return nil
}

func TestStagesAreConsecutive(t *testing.T) {
	for name, tc := range map[string]struct {
		stages []workload.Stage
		want   []simtime.Time
	}{
		"the last one of a stage comes at its end": {
			[]workload.Stage{stage(2, time.Second)}, []simtime.Time{500 * ms, 1000 * ms},
		},
		// A process that began anew with each stage would send at 2.0 s.
		"what a stage leaves over, the next one goes on with": {
			[]workload.Stage{stage(1, 1500*time.Millisecond), stage(2, time.Second)},
			[]simtime.Time{1000 * ms, 1750 * ms, 2250 * ms},
		},
		"a pause counts for nothing": {
			[]workload.Stage{stage(0, time.Second), stage(1, 1500*time.Millisecond), stage(0, 10*time.Second), stage(1, 500*time.Millisecond)},
			[]simtime.Time{2000 * ms, 13_000 * ms},
		},
		// 0.1 + 0.1 + 0.1 is not 0.3.
		"rates without an exact float lose nothing": {
			[]workload.Stage{stage(0.1, 10*time.Second), stage(0.1, 10*time.Second), stage(0.1, 10*time.Second)},
			[]simtime.Time{10_000 * ms, 20_000 * ms, 30_000 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []simtime.Time
			for _, r := range drain(t, workload.NewClients([]workload.Client{stagedClient(workload.Constant, tc.stages...)}, 1)) {
				got = append(got, r.Arrival)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("arrivals (−want +got):\n%s", diff)
			}
		})
	}
}

// The stages of llm-d's benchmark: 15 a second for 50 s, then ever more.
func TestStageRates(t *testing.T) {
	stages := []workload.Stage{
		stage(15, 50*time.Second), stage(3, 20*time.Second), stage(10, 20*time.Second), stage(20, 38*time.Second), stage(60, 25*time.Second),
	}
	for _, process := range []workload.ArrivalProcess{workload.Poisson, workload.Constant, workload.Gamma} {
		t.Run(string(process), func(t *testing.T) {
			counts := make([]float64, len(stages))
			const seeds = 200
			for seed := range int64(seeds) {
				for _, r := range drain(t, workload.NewClients([]workload.Client{stagedClient(process, stages...)}, seed)) {
					at, end := 0, simtime.Time(stages[0].Duration)
					for r.Arrival > end {
						at++
						end = end.Add(stages[at].Duration)
					}
					counts[at]++
				}
			}
			cv := map[workload.ArrivalProcess]float64{workload.Poisson: 1, workload.Constant: 0, workload.Gamma: 3}[process]
			for i, s := range stages {
				want := s.RatePerSecond * s.Duration.Seconds()
				allowed := 5 * cv * math.Sqrt(want/seeds)
				if cv == 0 {
					allowed = 1 // whole numbers between two numbers
				} else if i == 0 {
					want += (cv*cv - 1) / 2 // the process begins with a whole gap
				}
				if got := counts[i] / seeds; math.Abs(got-want) > allowed {
					t.Errorf("stage %d has %.1f requests, want %.0f ± %.1f", i, got, want, allowed)
				}
			}
		})
	}
}

func TestOneStageEqualsConstantRate(t *testing.T) {
	c := constantClient("steady", 7)
	c.Name = "ladder"
	for _, process := range []workload.ArrivalProcess{workload.Poisson, workload.Constant, workload.Gamma} {
		c.Arrivals = workload.Arrivals{Process: process, RatePerSecond: 7, CV: 3}
		source := workload.NewClients([]workload.Client{c}, 3)
		for i, r := range drain(t, workload.NewClients([]workload.Client{stagedClient(process, stage(7, 20*time.Second))}, 3)) {
			want, _ := source.Next()
			if d := want.Arrival - r.Arrival; d < -1000 || d > 1000 { // ns: gaps are rounded one by one there
				t.Errorf("%s: request %d comes at %v, want %v", process, i, r.Arrival, want.Arrival)
			}
		}
		if next, _ := source.Next(); next.Arrival < simtime.Time(20*time.Second)-1000 {
			t.Errorf("%s: the stage lacks the request at %v", process, next.Arrival)
		}
	}
}

func TestStageValidation(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Arrivals)
		path string
	}{
		"a rate beside":  {func(a *workload.Arrivals) { a.RatePerSecond = 1 }, "arrivals.rate"},
		"less than none": {func(a *workload.Arrivals) { a.Stages[1].RatePerSecond = -1 }, "arrivals.stages[1].rate"},
		"no number":      {func(a *workload.Arrivals) { a.Stages[1].RatePerSecond = math.NaN() }, "arrivals.stages[1].rate"},
		"no time":        {func(a *workload.Arrivals) { a.Stages[0].Duration = 0 }, "arrivals.stages[0].duration"},
		"all pauses":     {func(a *workload.Arrivals) { a.Stages[0].RatePerSecond, a.Stages[1].RatePerSecond = 0, 0 }, "arrivals.stages"},
		"too many":       {func(a *workload.Arrivals) { a.Stages = make([]workload.Stage, 65); a.Stages[0] = stage(1, 1) }, "arrivals.stages"},
	} {
		t.Run(name, func(t *testing.T) {
			a := workload.Arrivals{Process: workload.Poisson, Stages: []workload.Stage{stage(1, time.Second), stage(2, time.Second)}}
			tc.edit(&a)
			errs := a.Validate(field.NewPath("arrivals"))
			if len(errs) == 0 || errs[0].Field != tc.path {
				t.Errorf("faults %v, want one of %s", errs, tc.path)
			}
		})
	}
}
