// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func TestCopiesShareTheRate(t *testing.T) {
	for name, tc := range map[string]struct {
		copies workload.Copies
		want   []float64 // of a rate of 110 a second
	}{
		"alone":        {workload.Copies{Count: 1, ZipfExponent: 1}, []float64{110}},
		"equal shares": {workload.Copies{Count: 4}, []float64{27.5, 27.5, 27.5, 27.5}},
		"Zipf's law":   {workload.Copies{Count: 3, ZipfExponent: 1}, []float64{60, 30, 20}},
		"steeper":      {workload.Copies{Count: 2, ZipfExponent: 3}, []float64{110 * 8 / 9., 110 / 9.}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			for _, c := range tc.copies.Expand(constantClient("tenant", 110)) {
				got = append(got, c.Arrivals.RatePerSecond)
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff(tc.want, got, near); diff != "" {
				t.Errorf("rates (−want +got):\n%s", diff)
			}
		})
	}
}

func TestCopiesAreIndependentClients(t *testing.T) {
	client := constantClient("tenant", 10)
	client.PrefixGroup, client.PrefixTokens = "prompt", 512
	client.Tenant, client.Priority = "all", 3
	for name, tc := range map[string]struct {
		shared bool
		want   [][2]string // name and prefix group
	}{
		"with prefixes of their own": {false, [][2]string{{"tenant-1", "prompt-1"}, {"tenant-2", "prompt-2"}}},
		"with one prefix for all":    {true, [][2]string{{"tenant-1", "prompt"}, {"tenant-2", "prompt"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][2]string
			for _, c := range (workload.Copies{Count: 2, SharedPrefix: tc.shared}).Expand(client) {
				got = append(got, [2]string{c.Name, c.PrefixGroup})
				if c.Tenant != client.Tenant || c.Priority != client.Priority || c.PrefixTokens != client.PrefixTokens {
					t.Errorf("a copy of %+v is %+v", client, c)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("copies (−want +got):\n%s", diff)
			}
		})
	}
}

func TestCopiesWithoutPrefix(t *testing.T) {
	for _, c := range (workload.Copies{Count: 2}).Expand(constantClient("tenant", 1)) {
		if c.PrefixGroup != "" {
			t.Errorf("prefix group %q", c.PrefixGroup)
		}
	}
}

// The smallest share that can be asked for is still a rate that is served.
func TestSmallestCopyShareIsAValidRate(t *testing.T) {
	most := workload.Copies{Count: 10_000, ZipfExponent: 10}
	clients := most.Expand(constantClient("tenant", 1e-9))
	if errs := workload.ValidateClients(clients, nil); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
	if _, ok := workload.NewClients(clients[:2], 1).Next(); !ok {
		t.Error("no request")
	}
}

func TestValidateCopies(t *testing.T) {
	for name, tc := range map[string]struct {
		copies workload.Copies
		want   []string
	}{
		"fine":             {workload.Copies{Count: 1}, nil},
		"none":             {workload.Copies{}, []string{"x.count: Invalid value: 0: must be between 1 and 100000"}},
		"too many":         {workload.Copies{Count: 100_001}, []string{"x.count: Invalid value: 100001: must be between 1 and 100000"}},
		"growing shares":   {workload.Copies{Count: 1, ZipfExponent: -1}, []string{"x.zipfExponent: Invalid value: -1: must be between 0 and 10"}},
		"not a number":     {workload.Copies{Count: 1, ZipfExponent: math.NaN()}, []string{"x.zipfExponent: Invalid value: NaN: must be between 0 and 10"}},
		"too steep a fall": {workload.Copies{Count: 1, ZipfExponent: 10.5}, []string{"x.zipfExponent: Invalid value: 10.5: must be between 0 and 10"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range tc.copies.Validate(field.NewPath("x")) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

// TestCopiesThatShareArrivalsSendWhatEachWouldAlone holds copies of one process, which begin
// to exist with their first requests, against clients of their names.
func TestCopiesThatShareArrivalsSendWhatEachWouldAlone(t *testing.T) {
	for name, edit := range map[string]func(*workload.Client){
		"new prompts":   func(*workload.Client) {},
		"fixed prompts": func(c *workload.Client) { c.Prompts = &workload.Prompts{Count: 3, Order: workload.Random} },
		"prefix groups": func(c *workload.Client) {
			c.PrefixGroups = &workload.PrefixGroups{Count: 7, ZipfExponent: 1, Correlation: 0.5}
		},
		"examples": func(c *workload.Client) {
			five := workload.Lengths{Distribution: stats.Constant{Value: 5}, Min: 1, Max: 5}
			c.Examples = &workload.Examples{Pool: 20, Count: five, Tokens: c.Input}
		},
		"media": func(c *workload.Client) {
			c.Media = []workload.Media{{Kind: "image", Probability: 0.5, Count: workload.Lengths{Distribution: stats.Constant{Value: 2}, Min: 1, Max: 2}, Tokens: c.Input, Pool: 4}}
		},
		"conversations": func(c *workload.Client) {
			c.Sessions = &workload.Sessions{Concurrent: 2, Turns: c.Output, Context: workload.Accumulate, Order: workload.Random}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := constantClient("tenant", 100)
			c.PrefixGroup, c.PrefixTokens, c.Adapter = "group", 32, "tone"
			c.Input = workload.Lengths{Distribution: stats.Exponential{Mean: 100}, Min: 1}
			c.Output = workload.Lengths{Distribution: stats.Constant{Value: 3}, Min: 1}
			edit(&c)
			const copies = 20
			shared := workload.NewClients(copiesOf(c, workload.Copies{Count: copies, SharedArrivals: workload.Random}), 4)
			sent := make([][]workload.Request, copies)
			for _, r := range workloadtest.Take(shared, 400) {
				sent[r.Client] = append(sent[r.Client], r)
			}
			for k, alone := range (workload.Copies{Count: copies}).Expand(c) {
				source := workload.NewClients([]workload.Client{alone}, 4)
				if got := shared.Labels().Clients[k]; got != alone.Name {
					t.Errorf("copy %d is named %s, want %s", k, got, alone.Name)
				}
				want := workloadtest.Take(source, len(sent[k]))
				for i, r := range sent[k] {
					adapter := shared.Labels().Adapters[r.Adapter-1]
					if adapter != alone.Adapter {
						t.Fatalf("copy %d asks for the adapter %s, want %s", k, adapter, alone.Adapter)
					}
					r.ID, r.Client, r.Arrival, r.Session, r.Adapter = want[i].ID, 0, want[i].Arrival, want[i].Session, want[i].Adapter
					if diff := cmp.Diff(want[i], r); diff != "" {
						t.Fatalf("request %d of copy %d (−alone +shared):\n%s", i, k, diff)
					}
				}
			}
		})
	}
}

func TestTooManyCopiesThatExistFromTheStart(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(*workload.Client)
		want string // empty for no fault
	}{
		"arrivals that are shared": {func(*workload.Client) {}, ""},
		"closed loops": {func(c *workload.Client) {
			c.Copies.SharedArrivals, c.ClosedLoop = "", &workload.ClosedLoop{Concurrency: 1}
		}, ""},
		"turns that wait for answers": {func(c *workload.Client) { c.Sessions = sessionClient("a").Sessions }, ""},
		"arrivals of their own":       {func(c *workload.Client) { c.Copies.SharedArrivals = "" }, "must be at most 10000 unless the copies share their arrivals: set arrivals to Random or Cycle"},
		"adapters of their own":       {func(c *workload.Client) { c.Adapter = "tone" }, "must be at most 10000 where each copy has its own adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			c := constantClient("tenant", 1)
			c.Copies = &workload.Copies{Count: 10_001, SharedArrivals: workload.Random}
			tc.edit(&c)
			got := ""
			for _, err := range c.Validate(field.NewPath("c")) {
				got += err.Detail
			}
			if got != tc.want {
				t.Errorf("faults %q, want %q", got, tc.want)
			}
		})
	}
}

func TestNamesOfCopiesAreTaken(t *testing.T) {
	path := field.NewPath("clients")
	copies := constantClient("a", 1)
	copies.Copies = &workload.Copies{Count: 3}
	for name, taken := range map[string]bool{"a": true, "a-1": true, "a-3": true, "a-4": false, "a-0": false, "a-01": false, "b-1": false, "a-": false} {
		errs := workload.ValidateNames([]workload.Client{copies, constantClient(name, 1)}, path)
		if got := len(errs) > 0; got != taken {
			t.Errorf("%s beside copies a-1 to a-3: %v", name, errs)
		}
	}
}

// TestCopiesVaryInTheirLengths measures the mean prompt of each of many copies.
func TestCopiesVaryInTheirLengths(t *testing.T) {
	const copies, each = 2000, 20
	c := constantClient("tenant", 100)
	c.Input = workload.Lengths{Distribution: stats.Exponential{Mean: 10_000}, Min: 1}
	c.Output, c.LengthCV = c.Input, 0.5
	var sums [copies]float64
	var counts [copies]int
	source := workload.NewClients(copiesOf(c, workload.Copies{Count: copies, SharedArrivals: workload.Cycle}), 3)
	for _, r := range workloadtest.Take(source, copies*each) {
		sums[r.Client] += float64(r.Prompt.Tokens() - c.PrefixTokens)
		counts[r.Client]++
	}
	mean, squares := 0.0, 0.0
	for k, sum := range sums {
		x := sum / float64(counts[k]) / 10_000
		mean += x / copies
		squares += x * x / copies
	}
	// The mean of 20 exponential lengths varies by itself: (1 + 0.25)(1 + 1/20) - 1.
	cv2 := squares/(mean*mean) - 1
	if math.Abs(mean-1) > 0.05 || math.Abs(cv2-0.3125) > 0.05 {
		t.Errorf("mean prompts of copies have the mean %.3f and the squared CV %.3f, want 1 and 0.3125", mean, cv2)
	}
}
