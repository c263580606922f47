// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

const ms = simtime.Time(1e6)

func tokens(n float64) workload.Lengths {
	return workload.Lengths{Distribution: stats.Constant{Value: n}, Min: 1}
}

// constantClient is a client with equal gaps and equal lengths.
func constantClient(name string, rate float64) workload.Client {
	return workload.Client{
		Name:     name,
		Arrivals: workload.Arrivals{Process: workload.Constant, RatePerSecond: rate},
		Input:    tokens(100),
		Output:   tokens(10),
	}
}

func TestClientsAreMergedByTimeThenIndex(t *testing.T) {
	source := workload.NewClients([]workload.Client{constantClient("slow", 1), constantClient("fast", 2), constantClient("same", 2)}, 1)
	type arrival struct {
		At     simtime.Time
		Client int
	}
	var got []arrival
	requests := workloadtest.Take(source, 8)
	workloadtest.CheckOrder(t, requests)
	for _, r := range requests {
		got = append(got, arrival{r.Arrival, r.Client})
	}
	want := []arrival{
		{500 * ms, 1}, {500 * ms, 2},
		{1000 * ms, 0}, {1000 * ms, 1}, {1000 * ms, 2},
		{1500 * ms, 1}, {1500 * ms, 2},
		{2000 * ms, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arrivals (−want +got):\n%s", diff)
	}
}

// The oracle of the merge: with many clients of all processes, the request
// that comes next is the earliest of those that the clients alone would send.
func TestMergeMatchesScan(t *testing.T) {
	var clients []workload.Client
	for i, process := range []workload.ArrivalProcess{
		workload.Poisson, workload.Gamma, workload.Constant, workload.Constant, workload.Poisson, workload.Gamma, workload.Constant,
	} {
		c := validClient(fmt.Sprint("client ", i))
		c.Arrivals = workload.Arrivals{Process: process, RatePerSecond: float64(1 + i%3), CV: 2}
		clients = append(clients, c)
	}
	alone := make([]workload.Source, len(clients))
	heads := make([]workload.Request, len(clients))
	for i, c := range clients {
		alone[i] = workload.NewClients([]workload.Client{c}, 5)
		heads[i], _ = alone[i].Next()
	}
	requests := workloadtest.Take(workload.NewClients(clients, 5), 5000)
	workloadtest.CheckOrder(t, requests)
	for n, got := range requests {
		first := 0
		for i := range heads {
			if heads[i].Arrival < heads[first].Arrival {
				first = i
			}
		}
		want := heads[first]
		want.ID, want.Client = n, first
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("request %d (−scan +merge):\n%s", n, diff)
		}
		heads[first], _ = alone[first].Next()
	}
}

func TestRequestsDependOnSeedAndName(t *testing.T) {
	of := func(name string, seed int64) []workload.Request {
		return workloadtest.Take(workload.NewClients([]workload.Client{validClient(name)}, seed), 20)
	}
	base := of("a", 1)
	if diff := cmp.Diff(base, of("a", 1)); diff != "" {
		t.Errorf("the same again (−want +got):\n%s", diff)
	}
	for name, other := range map[string][]workload.Request{"seed": of("a", 2), "name": of("b", 1)} {
		for i := range base {
			if base[i].Arrival == other[i].Arrival {
				t.Errorf("request %d arrives at the same time under another %s", i, name)
			}
		}
	}
}

func TestPromptsBeginWithGroupPrefix(t *testing.T) {
	client := func(name, group string, prefix int) workload.Client {
		c := constantClient(name, 1)
		c.PrefixGroup, c.PrefixTokens = group, prefix
		return c
	}
	source := workload.NewClients([]workload.Client{
		client("a", "g", 64), client("b", "g", 64), client("c", "g", 32), client("d", "h", 64), client("e", "", 0),
	}, 1)
	requests := workloadtest.Take(source, 10)
	for name, tc := range map[string]struct{ a, b, shared int }{
		"two requests of a client":       {0, 5, 4},
		"two clients of a group":         {0, 1, 4},
		"two that take different shares": {0, 2, 2},
		"two groups":                     {0, 3, 0},
		"one without a group":            {0, 4, 0},
		"two of one without a group":     {4, 9, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := requests[tc.a].Prompt.FullBlocks(nil, 16)
			b := requests[tc.b].Prompt.FullBlocks(nil, 16)
			if got := workloadtest.CommonPrefix(a, b); got != tc.shared {
				t.Errorf("%d blocks shared, want %d", got, tc.shared)
			}
		})
	}
	lengths := []int{164, 164, 132, 164, 100}
	for i, r := range requests[:5] {
		if got := r.Prompt.Tokens(); got != lengths[i] {
			t.Errorf("prompt %d has %d tokens, want %d", i, got, lengths[i])
		}
	}
}

func TestClientsDoNotShareTexts(t *testing.T) {
	a, b := constantClient("a", 10), constantClient("b", 10)
	a.PrefixGroup, a.PrefixTokens = "a", 8
	b.PrefixGroup, b.PrefixTokens = "b", 8
	seen := map[uint64]bool{}
	for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{a, b}, 1), 1000) {
		own := r.Prompt.Extents[len(r.Prompt.Extents)-1]
		if r.Response != own.Source || r.ResponseStart != own.Tokens {
			t.Fatalf("request %d: the answer does not continue its prompt", r.ID)
		}
		for _, e := range r.Prompt.Extents {
			seen[e.Source] = true
		}
	}
	if want := 1000 + 2; len(seen) != want {
		t.Errorf("%d texts, want %d", len(seen), want)
	}
}

// Memory comes in slabs; a prompt that is kept must not change when others
// are made, nor when somebody appends to its extents.
func TestPromptsKeepTheirMemory(t *testing.T) {
	source := workload.NewClients([]workload.Client{validClient("a")}, 1)
	first, _ := source.Next()
	kept := append([]prompt.Extent(nil), first.Prompt.Extents...)
	second, _ := source.Next()
	want := append([]prompt.Extent(nil), second.Prompt.Extents...)
	_ = append(first.Prompt.Extents, prompt.Extent{Source: 1, Tokens: 1})
	workloadtest.Take(source, 2000)
	if diff := cmp.Diff([][]prompt.Extent{kept, want},
		[][]prompt.Extent{first.Prompt.Extents, second.Prompt.Extents}); diff != "" {
		t.Errorf("extents (−before +after):\n%s", diff)
	}
}

func TestArrivalProcesses(t *testing.T) {
	const n = 50_000
	for name, tc := range map[string]struct {
		arrivals workload.Arrivals
		cv       float64
	}{
		"Constant has equal gaps": {
			workload.Arrivals{Process: workload.Constant, RatePerSecond: 3}, 0},
		"Poisson has a CV of 1": {
			workload.Arrivals{Process: workload.Poisson, RatePerSecond: 2000}, 1},
		"Gamma with a CV of 1 is Poisson": {
			workload.Arrivals{Process: workload.Gamma, RatePerSecond: 0.5, CV: 1}, 1},
		"Gamma with a small CV is even": {
			workload.Arrivals{Process: workload.Gamma, RatePerSecond: 10, CV: 0.25}, 0.25},
		"Gamma with a large CV is bursty": {
			workload.Arrivals{Process: workload.Gamma, RatePerSecond: 10, CV: 2}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			c := constantClient("a", 1)
			c.Arrivals = tc.arrivals
			var sum, squares float64
			last := simtime.Time(0)
			for _, r := range workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), n) {
				gap := r.Arrival.Sub(last).Seconds() * tc.arrivals.RatePerSecond
				sum, squares, last = sum+gap, squares+gap*gap, r.Arrival
			}
			mean := sum / n
			cv := math.Sqrt(max(0, squares/n-mean*mean)) / mean
			// Four standard errors of the mean, and a twentieth of the CV.
			if math.Abs(mean-1) > 4*tc.cv/math.Sqrt(n)+1e-9 {
				t.Errorf("mean gap is %v of what the rate says", mean)
			}
			if math.Abs(cv-tc.cv) > 0.05*tc.cv+1e-6 {
				t.Errorf("CV of gaps is %v, want %v", cv, tc.cv)
			}
		})
	}
}

func TestConstantArrivalsDoNotDrift(t *testing.T) {
	requests := workloadtest.Take(workload.NewClients([]workload.Client{constantClient("a", 3)}, 1), 3_000)
	for i, r := range requests {
		if want := simtime.Time(math.Round(float64(i+1) * 1e9 / 3)); r.Arrival != want {
			t.Fatalf("request %d arrives at %d ns, want %d", i, r.Arrival, want)
		}
	}
}

func TestLengthsAreRoundedAndClamped(t *testing.T) {
	for name, tc := range map[string]struct {
		lengths workload.Lengths
		want    int
	}{
		"rounded down":               {workload.Lengths{Distribution: stats.Constant{Value: 5.4}, Min: 1}, 5},
		"rounded up":                 {workload.Lengths{Distribution: stats.Constant{Value: 5.5}, Min: 1}, 6},
		"no less than min":           {workload.Lengths{Distribution: stats.Constant{Value: -7}, Min: 3}, 3},
		"no more than max":           {workload.Lengths{Distribution: stats.Constant{Value: 70}, Min: 3, Max: 8}, 8},
		"no more than what fits":     {workload.Lengths{Distribution: stats.Constant{Value: 1e300}, Min: 1}, workload.MaxTokens},
		"min and max may be one":     {workload.Lengths{Distribution: stats.Normal{Mean: 9, StdDev: 5}, Min: 4, Max: 4}, 4},
		"a whole law beyond max":     {workload.Lengths{Distribution: stats.Uniform{Low: 20, High: 30}, Min: 1, Max: 20}, 20},
		"what is no number is least": {workload.Lengths{Distribution: nanSampler{}, Min: 2}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			c := constantClient("a", 1)
			c.Input, c.Output = tc.lengths, tc.lengths
			r, _ := workload.NewClients([]workload.Client{c}, 1).Next()
			if r.Prompt.Tokens() != tc.want || r.OutputTokens != tc.want {
				t.Errorf("prompt of %d and answer of %d tokens, want %d", r.Prompt.Tokens(), r.OutputTokens, tc.want)
			}
		})
	}
}

// nanSampler claims a finite mean and samples NaN.
type nanSampler struct{ stats.Constant }

func (nanSampler) Sample(*stats.Stream) float64 { return math.NaN() }

func TestSlowClientEndsBeforeMaxTime(t *testing.T) {
	for name, tc := range map[string]struct {
		arrivals workload.Arrivals
		want     int
	}{
		"one in 10^9 s, for 2^62 ns":         {workload.Arrivals{Process: workload.Constant, RatePerSecond: 1e-9}, 4},
		"a mean gap longer than all of time": {workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1e-30}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := constantClient("a", 1)
			c.Arrivals = tc.arrivals
			if got := len(workloadtest.Take(workload.NewClients([]workload.Client{c}, 1), -1)); got != tc.want {
				t.Errorf("%d requests, want %d", got, tc.want)
			}
		})
	}
}

func TestLabelOrder(t *testing.T) {
	clients := []workload.Client{constantClient("a", 1), constantClient("b", 1), constantClient("c", 1)}
	clients[0].Tenant, clients[0].Class = "x", "batch"
	clients[2].Tenant, clients[2].Class = "x", "critical"
	source := workload.NewClients(clients, 1)
	want := workload.Labels{
		Clients: []string{"a", "b", "c"},
		Tenants: []string{"x", "default"},
		Classes: []string{"batch", "default", "critical"},
	}
	if diff := cmp.Diff(want, source.Labels()); diff != "" {
		t.Errorf("labels (−want +got):\n%s", diff)
	}
	var got [][3]int
	for _, r := range workloadtest.Take(source, 3) {
		got = append(got, [3]int{r.Client, r.Tenant, r.Class})
	}
	if diff := cmp.Diff([][3]int{{0, 0, 0}, {1, 1, 1}, {2, 0, 2}}, got); diff != "" {
		t.Errorf("client, tenant, class of each request (−want +got):\n%s", diff)
	}
}

func TestNewClientsPanicsOnInvalidClients(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "clients[0].arrivals.rate"; !strings.Contains(got, want) {
			t.Errorf("panic %q, want one about %s", got, want)
		}
	}()
	workload.NewClients([]workload.Client{constantClient("a", 0)}, 1)
}

func TestRequestsHaveThePriorityOfTheirClient(t *testing.T) {
	important := constantClient("important", 1)
	important.Priority = 5
	source := workload.NewClients([]workload.Client{important, constantClient("usual", 1)}, 1)
	var got []int
	for _, r := range workloadtest.Take(source, 4) {
		got = append(got, r.Priority)
	}
	if diff := cmp.Diff([]int{5, 0, 5, 0}, got); diff != "" {
		t.Errorf("priorities (−want +got):\n%s", diff)
	}
}
