// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// turns are the times from each answer to the next request of its user, by turn and in
// order. Answers take a second. Each user has a session, by which the requests are told
// apart.
func turns(t *testing.T, c workload.Client, n int) [][]time.Duration {
	t.Helper()
	c.Sessions = &workload.Sessions{AfterAnswer: true, Turns: tokens(float64(n)), Context: workload.Independent}
	var all [][]time.Duration
	last, turn := map[int32]simtime.Time{}, map[int32]int{}
	for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, 1), n*c.ClosedLoop.Concurrency, workloadtest.Completed(time.Second)) {
		if ended, ok := last[r.Session]; ok {
			if turn[r.Session] == len(all) {
				all = append(all, nil)
			}
			all[turn[r.Session]] = append(all[turn[r.Session]], r.Arrival.Sub(ended))
			turn[r.Session]++
		}
		last[r.Session] = r.Arrival.Add(time.Second)
	}
	for _, of := range all {
		slices.Sort(of)
	}
	return all
}

// wantMean wants a mean within five standard errors, of durations whose standard deviation is known.
func wantMean(t *testing.T, what string, all []time.Duration, mean, deviation time.Duration) {
	t.Helper()
	sum := time.Duration(0)
	for _, d := range all {
		sum += d
	}
	got, width := sum/time.Duration(len(all)), 5*float64(deviation)/math.Sqrt(float64(len(all)))
	if math.Abs(float64(got-mean)) > width {
		t.Errorf("%s: a mean of %v in %d, want %v ± %v", what, got, len(all), mean, time.Duration(width))
	}
}

func TestTheTurnaroundIsExponential(t *testing.T) {
	c := loopClient("a", 2000, seconds(3))
	c.Output = workload.Lengths{Distribution: stats.Exponential{Mean: 50}, Min: 1}
	c.ClosedLoop.Turnaround = 10 * time.Millisecond
	for n, of := range turns(t, c, 4) {
		for i := range of {
			of[i] -= 3 * time.Second
		}
		wantMean(t, "turn", of, 10*time.Millisecond, 10*time.Millisecond)
		// The median of an exponential time is its mean × ln 2, with a standard error of mean/√n.
		if median := of[len(of)/2].Seconds(); math.Abs(median-0.00693) > 5*0.010/math.Sqrt(2000) {
			t.Errorf("turn %d: a median of %v s, want 0.00693", n, median)
		}
		if of[0] < 0 {
			t.Errorf("turn %d takes %v", n, of[0])
		}
	}
}

// Users who would stay in step pause once, after the first answer, for a share of its second.
func TestUsersAreTakenApartOnce(t *testing.T) {
	benchmark := workload.Lengths{Distribution: stats.Uniform{Low: 800, High: 1000}, Min: 1}
	steps := func(n int) workload.Lengths {
		return workload.Lengths{Distribution: stats.Constant{Value: float64(n)}, Min: n, Max: n}
	}
	varied := workload.Durations{Distribution: stats.Exponential{Mean: 0.001}}
	for name, tc := range map[string]struct {
		edit  func(*workload.Client)
		apart bool
	}{
		"answers of one length":       {func(*workload.Client) {}, true},
		"of about one length":         {func(c *workload.Client) { c.Output.Distribution = stats.Normal{Mean: 1000, StdDev: 20} }, true},
		"prompts of many lengths":     {func(c *workload.Client) { c.Input = benchmark }, true},
		"the same think time":         {func(c *workload.Client) { c.ClosedLoop.ThinkTime = seconds(0.004) }, true},
		"answers of many lengths":     {func(c *workload.Client) { c.Output = benchmark }, false},
		"think times of many lengths": {func(c *workload.Client) { c.ClosedLoop.ThinkTime = varied }, false},
		"reasoning of one length": {func(c *workload.Client) {
			c.Reasoning = &workload.Reasoning{Steps: steps(4), TokensPerStep: tokens(300)}
		}, true},
		"reasoning of many lengths": {func(c *workload.Client) {
			c.Reasoning = &workload.Reasoning{Steps: steps(1), TokensPerStep: workload.Lengths{Distribution: stats.Exponential{Mean: 300}, Min: 1}}
		}, false},
		"without a turnaround, all alike": {func(c *workload.Client) { c.ClosedLoop.Turnaround = 0 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := loopClient("a", 1000, seconds(0))
			c.Output = tokens(1000)
			c.ClosedLoop.Turnaround = time.Microsecond
			tc.edit(&c)
			for n, of := range turns(t, c, 3) {
				if !tc.apart || n > 0 {
					if longest := of[len(of)-1]; longest > 20*time.Millisecond {
						t.Errorf("turn %d takes %v", n, longest)
					}
					continue
				}
				// Uniform over a second.
				wantMean(t, "the first turn", of, 500*time.Millisecond, 289*time.Millisecond)
				if of[0] > 20*time.Millisecond || of[len(of)-1] < 980*time.Millisecond || of[len(of)-1] > 1020*time.Millisecond {
					t.Errorf("the first turn takes %v to %v, want 0 to 1 s", of[0], of[len(of)-1])
				}
			}
		})
	}
}

func TestTheTurnaroundIsSeeded(t *testing.T) {
	arrivals := func(seed int64) []simtime.Time {
		c := loopClient("a", 5, seconds(0))
		c.ClosedLoop.Turnaround = 2 * time.Millisecond
		var all []simtime.Time
		for _, r := range workloadtest.Serve(workload.NewClients([]workload.Client{c}, seed), 50, workloadtest.Completed(time.Second)) {
			all = append(all, r.Arrival)
		}
		return all
	}
	if diff := cmp.Diff(arrivals(1), arrivals(1)); diff != "" {
		t.Errorf("one seed (−once +again):\n%s", diff)
	}
	if cmp.Diff(arrivals(1), arrivals(2)) == "" {
		t.Error("another seed changes nothing")
	}
}
