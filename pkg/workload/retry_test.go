// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// withRetries is the source of clients of which all retry alike.
func withRetries(retry workload.Retry, seed int64, clients ...workload.Client) workload.Listener {
	return workload.WithRetries(workload.NewClients(clients, seed), func(int) *workload.Retry { return &retry }, seed)
}

// attempts lists the arrivals of each first attempt and its retries.
func attempts(t *testing.T, requests []workload.Request) map[int][]simtime.Time {
	t.Helper()
	workloadtest.CheckOrder(t, requests)
	all := map[int][]simtime.Time{}
	for _, r := range requests {
		if r.Attempt == 0 && r.First != r.ID || r.Attempt != len(all[r.First]) {
			t.Fatalf("request %d is attempt %d of request %d", r.ID, r.Attempt, r.First)
		}
		all[r.First] = append(all[r.First], r.Arrival)
	}
	return all
}

func always(d time.Duration, how workload.Ending) func(workload.Request) (time.Duration, workload.Ending) {
	return func(workload.Request) (time.Duration, workload.Ending) { return d, how }
}

func TestARetryComesABackoffAfterTheEnd(t *testing.T) {
	failures := []workload.Ending{workload.Rejected, workload.TimedOut, workload.Failed}
	tests := map[string]struct {
		retry workload.Retry
		how   workload.Ending
		want  []simtime.Time // of the first request, which arrives at 1 s
	}{
		"at once":             {workload.Retry{Max: 2, Multiplier: 1, After: failures}, workload.Failed, []simtime.Time{1000 * ms, 1100*ms + 1, 1200*ms + 2}},
		"a constant backoff":  {workload.Retry{Max: 2, Backoff: time.Second, Multiplier: 1, After: failures}, workload.TimedOut, []simtime.Time{1000 * ms, 2100 * ms, 3200 * ms}},
		"a growing backoff":   {workload.Retry{Max: 3, Backoff: time.Second, Multiplier: 2, After: failures}, workload.Rejected, []simtime.Time{1000 * ms, 2100 * ms, 4200 * ms, 8300 * ms}},
		"a bound":             {workload.Retry{Max: 3, Backoff: time.Second, Multiplier: 3, MaxBackoff: 2 * time.Second, After: failures}, workload.Failed, []simtime.Time{1000 * ms, 2100 * ms, 4200 * ms, 6300 * ms}},
		"not on this":         {workload.Retry{Max: 2, Multiplier: 1, After: failures[1:]}, workload.Rejected, []simtime.Time{1000 * ms}},
		"not on an answer":    {workload.Retry{Max: 2, Multiplier: 1, After: failures}, workload.Completed, []simtime.Time{1000 * ms}},
		"a backoff in months": {workload.Retry{Max: 1, Backoff: 8760 * time.Hour, Multiplier: 10, After: failures}, workload.Failed, []simtime.Time{1000 * ms, 1100*ms + simtime.Time(8760*time.Hour)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := constantClient("a", 1)
			c.Arrivals.Stages, c.Arrivals.RatePerSecond = []workload.Stage{{RatePerSecond: 1, Duration: time.Second}}, 0
			got := attempts(t, workloadtest.Serve(withRetries(tc.retry, 1, c), 100, always(100*time.Millisecond, tc.how)))
			if diff := cmp.Diff(map[int][]simtime.Time{0: tc.want}, got); diff != "" {
				t.Errorf("attempts (−want +got):\n%s", diff)
			}
		})
	}
}

func TestJitterSpreadsRetriesUpToTheBackoff(t *testing.T) {
	retry := workload.Retry{Max: 1, Backoff: 10 * time.Second, Multiplier: 1, Jitter: 0.5, After: []workload.Ending{workload.Failed}}
	sum, n := 0.0, 0
	for _, arrivals := range attempts(t, workloadtest.Serve(withRetries(retry, 1, constantClient("a", 100)), 20_000, always(0, workload.Failed))) {
		if len(arrivals) < 2 {
			continue
		}
		wait := arrivals[1].Sub(arrivals[0])
		if wait < 5*time.Second || wait > 10*time.Second {
			t.Fatalf("a retry comes after %v, want 5 to 10 s", wait)
		}
		sum, n = sum+wait.Seconds(), n+1
	}
	if mean := sum / float64(n); mean < 7.45 || mean > 7.55 {
		t.Errorf("%d retries wait %.3f s on average, want 7.5", n, mean)
	}
}

// A retry asks and is answered what the first attempt was, and first attempts are what
// they are without retries.
func TestRetriesChangeNoFirstAttempt(t *testing.T) {
	c := validClient("a")
	content := func(r workload.Request) string {
		return fmt.Sprint(r.Prompt.Extents, r.OutputTokens, r.Response, r.ResponseStart)
	}
	var alone []string
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), 500) {
		alone = append(alone, fmt.Sprint(r.Arrival, content(r)))
	}
	retry := workload.Retry{Max: 2, Backoff: time.Second, Multiplier: 2, Jitter: 1, After: []workload.Ending{workload.Failed}}
	var first []string
	contents := map[int]string{}
	for _, r := range workloadtest.Serve(withRetries(retry, 1, c), 1200, always(time.Second, workload.Failed)) {
		if r.Attempt == 0 {
			first = append(first, fmt.Sprint(r.Arrival, content(r)))
			contents[r.ID] = content(r)
		} else if content(r) != contents[r.First] {
			t.Fatalf("attempt %d of request %d has another content", r.Attempt, r.First)
		}
	}
	n := min(len(first), len(alone))
	if diff := cmp.Diff(alone[:n], first[:n]); diff != "" || n < 300 {
		t.Errorf("%d first attempts (−without retries +with):\n%s", n, diff)
	}
}

// The user of a closed loop thinks after the last attempt.
func TestAUserWaitsForTheLastAttempt(t *testing.T) {
	retry := workload.Retry{Max: 1, Backoff: time.Second, Multiplier: 1, After: []workload.Ending{workload.Failed}}
	got := attempts(t, workloadtest.Serve(withRetries(retry, 1, loopClient("a", 1, seconds(5))), 4, always(time.Second, workload.Failed)))
	want := map[int][]simtime.Time{0: {0, 2000 * ms}, 2: {8000 * ms, 10000 * ms}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attempts (−want +got):\n%s", diff)
	}
}

func TestRetriesAreChecked(t *testing.T) {
	tests := map[string]struct {
		retry workload.Retry
		want  string
	}{
		"none":             {workload.Retry{}, "retry.max: Invalid value: 0: must be between 1 and 100"},
		"time runs back":   {workload.Retry{Backoff: -1}, `retry.backoff: Invalid value: "-1ns": must be between 0 s and 8760 h`},
		"a bound below":    {workload.Retry{Backoff: 2, MaxBackoff: 1}, `retry.maxBackoff: Invalid value: "1ns": must not be less than backoff`},
		"it shrinks":       {workload.Retry{Multiplier: 0.5}, "retry.multiplier: Invalid value: 0.5: must be between 1 and 10"},
		"more than random": {workload.Retry{Jitter: 1.5}, "retry.jitter: Invalid value: 1.5: must be between 0 and 1"},
		"on an answer":     {workload.Retry{After: []workload.Ending{workload.Completed}}, `retry.after: Invalid value: 1: must list one ending or more, other than completed`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := tc.retry
			if name != "none" {
				r.Max = 1
			}
			if r.Multiplier == 0 {
				r.Multiplier = 2
			}
			if r.After == nil {
				r.After = []workload.Ending{workload.Failed}
			}
			errs := r.Validate(field.NewPath("retry"))
			if len(errs) != 1 || errs[0].Error() != tc.want {
				t.Errorf("got %v, want %s", errs, tc.want)
			}
		})
	}
}
