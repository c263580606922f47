// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// azureTrace has arrivals at the given instants, in units of 100 ns.
func azureTrace(t testing.TB, instants ...int) *trace.Trace {
	t.Helper()
	var text strings.Builder
	text.WriteString("TIMESTAMP,ContextTokens,GeneratedTokens\n")
	for i, at := range instants {
		fmt.Fprintf(&text, "2023-11-16 18:00:%02d.%07d,%d,1\n", at/1e7, at%1e7, 100+i)
	}
	return read(t, trace.Azure, text.String())
}

func arrivals(s workload.Source) []simtime.Time {
	var all []simtime.Time
	for _, r := range workloadtest.Take(s, -1) {
		all = append(all, r.Arrival)
	}
	return all
}

func TestReplayScalesTheRate(t *testing.T) {
	recorded := azureTrace(t, 0, 0, 1, 10_000_000)
	for name, tc := range map[string]struct {
		scale float64
		want  []simtime.Time
	}{
		"as recorded":                   {1, []simtime.Time{0, 0, 100, 1e9}},
		"twice the rate":                {2, []simtime.Time{0, 0, 50, 5e8}},
		"a half of it":                  {0.5, []simtime.Time{0, 0, 200, 2e9}},
		"rounded to the nearest ns":     {3, []simtime.Time{0, 0, 33, 333333333}},
		"rounded up where that is next": {1.5, []simtime.Time{0, 0, 67, 666666667}},
	} {
		t.Run(name, func(t *testing.T) {
			r := asRecorded
			r.RateScale = tc.scale
			if diff := cmp.Diff(tc.want, arrivals(recorded.Replay(r, 1))); diff != "" {
				t.Errorf("arrivals (−want +got):\n%s", diff)
			}
		})
	}
}

func TestReplayBoundsArrivals(t *testing.T) {
	recorded := read(t, trace.Mooncake, `{"timestamp": 0, "input_length": 1, "output_length": 1, "hash_ids": [0]}
{"timestamp": 9000000000000, "input_length": 1, "output_length": 1, "hash_ids": [1]}`)
	for _, scale := range []float64{1, 1e-6} {
		got := arrivals(recorded.Replay(trace.Replay{RateScale: scale, Arrivals: trace.Spread}, 1))
		if last := got[len(got)-1]; last != math.MaxInt64/2+1 {
			t.Errorf("scale %v: last arrival %d, want 2^62", scale, last)
		}
	}
}

func TestReplayEndsAtMaxRequests(t *testing.T) {
	recorded := azureTrace(t, 0, 0, 1, 2)
	for name, tc := range map[string]struct{ limit, want int }{
		"no limit":              {0, 4},
		"a limit":               {3, 3},
		"more than there are":   {9, 4},
		"as many as there are":  {4, 4},
		"one request of a pair": {1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := asRecorded
			r.MaxRequests = tc.limit
			source := recorded.Replay(r, 1)
			if got := len(workloadtest.Take(source, -1)); got != tc.want {
				t.Errorf("%d requests, want %d", got, tc.want)
			}
			if _, ok := source.Next(); ok {
				t.Error("a request after the end")
			}
		})
	}
}

func TestReplayLabels(t *testing.T) {
	recorded := azureTrace(t, 0)
	for name, tc := range map[string]struct {
		client, tenant, class string
		want                  workload.Labels
	}{
		"none given": {"", "", "", workload.Labels{
			Clients: []string{"trace"}, Tenants: []string{"default"}, Classes: []string{"default"}}},
		"all given": {"a", "b", "c", workload.Labels{
			Clients: []string{"a"}, Tenants: []string{"b"}, Classes: []string{"c"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := asRecorded
			r.Client, r.Tenant, r.Class = tc.client, tc.tenant, tc.class
			if diff := cmp.Diff(tc.want, recorded.Replay(r, 1).Labels()); diff != "" {
				t.Errorf("labels (−want +got):\n%s", diff)
			}
		})
	}
}

func TestReplayedRequestsHaveThePriorityOfTheTrace(t *testing.T) {
	replayed := asRecorded
	replayed.Priority = -3
	for _, r := range workloadtest.Take(azureTrace(t, 0, 1).Replay(replayed, 1), 2) {
		if r.Priority != -3 {
			t.Errorf("request %d has priority %d, want -3", r.ID, r.Priority)
		}
	}
}

// Batches of 400 at 0 s and 3 s, one request at 9 s, and 400 at 10 s, which
// have the second before them for an interval.
func TestSpreadFillsTheIntervalOfEachBatch(t *testing.T) {
	var instants []int
	for _, at := range []int{0, 3e7} {
		instants = append(instants, slices.Repeat([]int{at}, 400)...)
	}
	instants = append(instants, 9e7)
	instants = append(instants, slices.Repeat([]int{10e7}, 400)...)
	recorded := azureTrace(t, instants...)
	got := arrivals(recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, 1))
	if !slices.IsSorted(got) {
		t.Error("arrivals are not in order")
	}
	for _, batch := range []struct {
		first, last int
		from, to    simtime.Time
	}{
		{0, 399, 0, 3e9}, {400, 799, 3e9, 9e9}, {800, 800, 9e9, 9e9}, {801, 1200, 10e9, 11e9},
	} {
		sum := 0.0
		for _, at := range got[batch.first : batch.last+1] {
			if at < batch.from || at > batch.to {
				t.Errorf("an arrival at %v in the batch of %v to %v", at, batch.from, batch.to)
			}
			sum += float64(at)
		}
		n := float64(batch.last + 1 - batch.first)
		width, middle := float64(batch.to-batch.from), float64(batch.from+batch.to)/2
		// Four standard errors of the mean of uniform instants.
		if math.Abs(sum/n-middle) > 4*width/math.Sqrt(12*n) {
			t.Errorf("batch of %v to %v: mean arrival %v", batch.from, batch.to, simtime.Time(sum/n))
		}
	}
}

func TestSpreadDependsOnSeedAndRowOnly(t *testing.T) {
	recorded := azureTrace(t, append(slices.Repeat([]int{0}, 50), slices.Repeat([]int{2e7}, 50)...)...)
	spread := func(scale float64, limit int, seed int64) []workload.Request {
		return workloadtest.Take(recorded.Replay(trace.Replay{
			RateScale: scale, MaxRequests: limit, Arrivals: trace.Spread}, seed), -1)
	}
	whole := spread(1, 0, 1)
	if diff := cmp.Diff(whole, spread(1, 0, 1)); diff != "" {
		t.Errorf("the same seed again (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff(whole[:70], spread(1, 70, 1)); diff != "" {
		t.Errorf("with a limit (−want +got):\n%s", diff)
	}
	for i, r := range spread(2, 0, 1) {
		if d := 2*r.Arrival - whole[i].Arrival; d < -1 || d > 1 {
			t.Errorf("request %d at twice the rate: %v, as recorded %v", i, r.Arrival, whole[i].Arrival)
		}
	}
	if cmp.Equal(arrivals(recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, 2)), arrivalsOf(whole)) {
		t.Error("another seed gives the same arrivals")
	}
}

func arrivalsOf(requests []workload.Request) []simtime.Time {
	var all []simtime.Time
	for _, r := range requests {
		all = append(all, r.Arrival)
	}
	return all
}

func TestSpreadKeepsWhatIsNotBatched(t *testing.T) {
	for name, recorded := range map[string]*trace.Trace{
		"distinct times":        azureTrace(t, 0, 1, 5, 1e7),
		"one time for them all": azureTrace(t, 5, 5, 5),
	} {
		t.Run(name, func(t *testing.T) {
			got := arrivals(recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.Spread}, 1))
			if diff := cmp.Diff(arrivals(recorded.Replay(asRecorded, 1)), got); diff != "" {
				t.Errorf("arrivals (−recorded +spread):\n%s", diff)
			}
		})
	}
}

func TestTraceServesConcurrentReplays(t *testing.T) {
	recorded := read(t, trace.Mooncake, generate(t, 500, 1))
	want := workloadtest.Take(recorded.Replay(asRecorded, 1), -1)
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			if !cmp.Equal(want, workloadtest.Take(recorded.Replay(asRecorded, 1), -1)) {
				t.Error("a source beside others gives other requests")
			}
		})
	}
	done.Wait()
}

func TestReplayPanicsOnInvalidOptions(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "trace.rateScale"; !strings.Contains(got, want) {
			t.Errorf("panic %q, want one about %s", got, want)
		}
	}()
	azureTrace(t, 0).Replay(trace.Replay{Arrivals: trace.AsRecorded}, 1)
}

func TestValidateReplay(t *testing.T) {
	for name, tc := range map[string]struct {
		replay trace.Replay
		want   []string
	}{
		"good options": {trace.Replay{RateScale: 0.1, MaxRequests: 5, Arrivals: trace.Spread}, nil},
		"none": {trace.Replay{}, []string{
			`trace.rateScale: Invalid value: 0: must be between 1e-06 and 1e+06`,
			`trace.arrivals: Unsupported value: "": supported values: "AsRecorded", "Spread"`}},
		"a negative limit": {trace.Replay{RateScale: 1, MaxRequests: -1, Arrivals: trace.AsRecorded}, []string{
			`trace.maxRequests: Invalid value: -1: must not be negative`}},
		"a scale that is no number": {trace.Replay{RateScale: math.NaN(), Arrivals: trace.AsRecorded}, []string{
			`trace.rateScale: Invalid value: NaN: must be between 1e-06 and 1e+06`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range tc.replay.Validate(field.NewPath("trace")) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}
