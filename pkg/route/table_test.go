// SPDX-License-Identifier: Apache-2.0

package route_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// split sends requests to router 1 with a weight of 100, and else to router 0.
func split(weight int32) *route.Table {
	return route.New(&route.Config{
		Rules: []route.Rule{{Routers: []route.Share{{Index: 0, Weight: 100 - weight}, {Index: 1, Weight: weight}}}},
		Only:  []int{0}, Rewrites: make([][]route.Rewrite, 2), Models: []string{"llama"},
	}, 42)
}

// requests are those of clients: each with conversations of ten turns.
func requests(n int) []workload.Request {
	var all []workload.Request
	for i := range n {
		turn := i % 10
		all = append(all, workload.Request{ID: i, Client: i % 3, Origin: workload.Origin{Session: int32(i/10 + 1), Turn: int32(turn + 1), Step: turn + 1}})
	}
	return all
}

// The share of n draws with a probability p has the standard error √(p(1−p)/n).
func TestSharesAreThoseOfTheWeights(t *testing.T) {
	const n = 100_000
	for _, weight := range []int32{0, 1, 10, 50, 100} {
		table, count := split(weight), 0
		for _, w := range requests(n) {
			router, _ := table.Of(&w)
			count += router
		}
		p := float64(weight) / 100
		if got, bound := float64(count)/n, 4*math.Sqrt(p*(1-p)/n); math.Abs(got-p) > bound {
			t.Errorf("weight %d: a share of %.4f, which is more than %.4f from %.2f", weight, got, bound, p)
		}
	}
}

func TestRequestsStayWithAShareThatGrows(t *testing.T) {
	ten, quarter := split(10), split(25)
	for _, w := range requests(10_000) {
		before, _ := ten.Of(&w)
		if after, _ := quarter.Of(&w); after < before {
			t.Fatalf("request %d leaves router 1 as its weight grows", w.ID)
		}
	}
}

func TestDrawsFollowThePlaceOfARequest(t *testing.T) {
	table, moved := split(50), 0
	for _, w := range requests(1000) {
		first, _ := table.Of(&w)
		w.ID, w.Arrival = w.ID+77, 12345
		if again, _ := table.Of(&w); again != first {
			t.Fatalf("request %d has another router when it arrives at another time", w.ID)
		}
		w.Attempt = 1
		if retry, _ := table.Of(&w); retry != first {
			moved++
		}
	}
	if moved < 400 || moved > 600 {
		t.Errorf("%d of 1000 retries go to the other router, want about half", moved)
	}
}

func TestRulesAndRewrites(t *testing.T) {
	only := func(index int) []route.Share { return []route.Share{{Index: index, Weight: 1}} }
	table := route.New(&route.Config{
		Rules: []route.Rule{
			{Headers: map[string]string{"x-canary": "always"}, Routers: only(1)},
			{Model: "reviews", Routers: only(2)},
		},
		Only: []int{0, 0}, Models: []string{"llama", "llama"}, Adapters: []string{"reviews", "other"},
		Headers:  []map[string]string{{"X-Canary": "always"}, {"X-Canary": "never"}},
		Rewrites: [][]route.Rewrite{{{Models: only(3)}, {Model: "other", Models: only(0)}}, nil, {{Model: "reviews", Models: only(4)}}},
	}, 1)
	for name, tc := range map[string]struct {
		request         workload.Request
		router, adapter int
	}{
		"a header gives the router":           {workload.Request{Headers: 1, Adapter: 1}, 1, 1},
		"another value does not":              {workload.Request{Headers: 2}, 0, 3},
		"a model gives the router":            {workload.Request{Adapter: 1}, 2, 4},
		"a rewrite with the name goes before": {workload.Request{Adapter: 2}, 0, 0},
		"a rewrite for any name":              {workload.Request{Model: 1}, 0, 3},
	} {
		if router, adapter := table.Of(&tc.request); router != tc.router || adapter != tc.adapter {
			t.Errorf("%s: router %d, adapter %d, want %d, %d", name, router, adapter, tc.router, tc.adapter)
		}
	}
}
