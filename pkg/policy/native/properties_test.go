// SPDX-License-Identifier: Apache-2.0

package native

import (
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// specs are a policy with its defaults, and with each word that a parameter may be. The
// weighted policy has every scorer.
func specs(name string) map[string]Spec {
	if name == "weighted" {
		spec := Spec{Policy: name}
		for _, s := range Scorers() {
			spec.Scorers = append(spec.Scorers, Scorer{Name: s, Weight: 1})
		}
		return map[string]Spec{"": spec}
	}
	all := map[string]Spec{"": {Policy: name}}
	for _, p := range map[string][][2]string{
		"least-loaded":                  {{"load", "in-flight"}},
		"power-of-two":                  {{"load", "queue"}, {"choices", "3"}},
		"prefix-affinity":               {{"load", "queue"}, {"blocksPerEndpoint", "50"}},
		"two-stage":                     {{"load", "queue"}, {"blocksPerEndpoint", "50"}},
		"consistent-hashing":            {{"key", "tenant"}, {"key", "prefix"}, {"loadFactor", "1"}},
		"sglang-cache-aware":            {{"unmatched", "least-loaded"}, {"balanceAbsThreshold", "2"}, {"maxTreeTokens", "500"}},
		"production-stack-prefix-aware": {{"minMatchTokens", "64"}},
		"aibrix-prefix-cache":           {{"imbalance", "2"}, {"tableBlocks", "30"}},
	}[name] {
		all[p[0]+" "+p[1]] = Spec{Policy: name, Parameters: map[string]string{p[0]: p[1]}}
	}
	return all
}

// eachPolicy runs a test for each policy in each way.
func eachPolicy(t *testing.T, test func(t *testing.T, spec Spec)) {
	for _, name := range Policies() {
		for how, spec := range specs(name) {
			t.Run(name+" "+how, func(t *testing.T) { test(t, spec) })
		}
	}
}

// traffic is random requests of a few texts, sessions and tenants, with what the router sees
// at their time: endpoints come and go.
type traffic struct {
	stream *stats.Stream
	view   *policy.View
	sent   int
	// tenantOf numbers the tenants in the workload's labels.
	tenantOf []int
}

func newTraffic(endpoints int) *traffic {
	v := view(make([]policy.Scrape, endpoints)...)
	v.Down = make([]bool, endpoints)
	return &traffic{stream: stats.NewStream(1, "traffic"), view: v, tenantOf: []int{0, 1, 2, 3}}
}

func (w *traffic) next() (*policy.View, *policy.Request) {
	s := w.stream
	w.view.Now = w.view.Now.Add(time.Duration(s.IntN(2000)) * time.Millisecond)
	e := s.IntN(len(w.view.Scrapes))
	w.view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Waiting: s.IntN(10), Running: s.IntN(10), KVUsage: s.Float64()}
	w.view.Down[s.IntN(len(w.view.Down))] = s.IntN(4) == 0
	w.view.Down[e] = false
	tenant := s.IntN(len(w.tenantOf))
	q := request(w.sent, text(uint64(tenant), 128), text(uint64(10+s.IntN(20)), s.IntN(200)), text(uint64(100+w.sent), 20))
	q.Tenant, q.Session = w.tenantOf[tenant], int32(s.IntN(30))
	w.sent++
	return w.view, q
}

// A served request ends some time after others were routed.
type served struct {
	request  *policy.Request
	endpoint int
}

// serve routes so many requests, ends the oldest of twenty, and returns where they went.
func serve(t testing.TB, r *Router, w *traffic, requests int) []int {
	var all []int
	var running []served
	listener := r.Routing().Responses
	for range requests {
		v, q := w.next()
		to, err := r.Route(v, q)
		if err != nil {
			t.Fatal(err)
		}
		if v.Down[to.Endpoint] {
			t.Fatalf("request %d goes to endpoint %d, which is gone", q.ID, to.Endpoint)
		}
		all, running = append(all, to.Endpoint), append(running, served{q, to.Endpoint})
		if len(running) == 20 {
			if listener != nil {
				listener.Finished(running[0].request, running[0].endpoint)
			}
			running = running[1:]
		}
	}
	return all
}

// The same seed makes the same decisions, none of which is an endpoint that is gone, also
// where decisions are explained.
func TestDecisionsFollowFromTheSeed(t *testing.T) {
	eachPolicy(t, func(t *testing.T, spec Spec) {
		want := serve(t, mustNew(t, spec, 5), newTraffic(5), 1500)
		same(t, "again", want, serve(t, mustNew(t, spec, 5), newTraffic(5), 1500))
		r := mustNew(t, spec, 5)
		r.Explain(func(x *Explanation) {
			if x.Err != nil || len(x.Candidates) == 0 || len(x.Endpoints) == 0 {
				t.Fatalf("an explanation without candidates: %+v", x)
			}
		})
		same(t, "explained", want, serve(t, r, newTraffic(5), 1500))
	})
}

// Other numbers of the tenants change nothing, unless the tenant is the key.
func TestTenantsAreOnlyAKey(t *testing.T) {
	eachPolicy(t, func(t *testing.T, spec Spec) {
		want := serve(t, mustNew(t, spec, 5), newTraffic(5), 500)
		w := newTraffic(5)
		w.tenantOf = []int{2, 0, 3, 1}
		got := serve(t, mustNew(t, spec, 5), w, 500)
		if spec.Parameters["key"] != "tenant" {
			same(t, "with other numbers", want, got)
		}
	})
}

// Where all endpoints are gone there is no decision, and the next one is as if nobody had
// asked.
func TestNoEndpointIsNoDecision(t *testing.T) {
	eachPolicy(t, func(t *testing.T, spec Spec) {
		r := mustNew(t, spec, 2)
		v := view(policy.Scrape{}, policy.Scrape{})
		v.Down = []bool{true, true}
		for id := range 3 {
			if _, err := r.Route(v, request(id, text(1, 100))); !errors.Is(err, policy.ErrNoEndpoint) {
				t.Fatalf("request %d: %v", id, err)
			}
		}
		route(t, r, view(policy.Scrape{}, policy.Scrape{}), request(3, text(1, 100)))
	})
}

// Once the memory of a router has grown, a decision allocates nothing. A map that entries
// come into and go from may still be made again, at random.
func TestDecisionsAllocateNothing(t *testing.T) {
	eachPolicy(t, func(t *testing.T, spec Spec) {
		r := mustNew(t, spec, 5)
		listener := r.Routing().Responses
		w := newTraffic(5)
		var views []*policy.View
		var requests []*policy.Request
		for range 300 {
			v, q := w.next()
			copied := *v
			copied.Down = append([]bool{}, v.Down...)
			copied.Scrapes = append([]policy.Scrape{}, v.Scrapes...)
			views, requests = append(views, &copied), append(requests, q)
		}
		now, n := w.view.Now, 0
		one := func() {
			v, q := views[n%len(views)], requests[n%len(requests)]
			now = now.Add(time.Second)
			v.Now = now
			n++
			to, err := r.Route(v, q)
			if err != nil {
				t.Fatal(err)
			}
			if listener != nil {
				listener.Finished(q, to.Endpoint)
			}
		}
		const decisions = 3000
		many := func() {
			for range decisions {
				one()
			}
		}
		many()
		if got := testing.AllocsPerRun(1, many); got > decisions/1000 {
			t.Errorf("%v allocations in %d decisions", got, decisions)
		}
	})
}

func BenchmarkDecisions(b *testing.B) {
	for _, name := range Policies() {
		b.Run(name, func(b *testing.B) {
			const endpoints = 16
			r, w := mustNew(b, specs(name)[""], endpoints), newTraffic(endpoints)
			var requests []*policy.Request
			for range 10_000 {
				_, q := w.next()
				requests = append(requests, q)
			}
			v := view(make([]policy.Scrape, endpoints)...)
			listener := r.Routing().Responses
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				q := requests[n%len(requests)]
				n++
				v.Now = v.Now.Add(time.Millisecond)
				e := route(b, r, v, q)
				if listener != nil {
					listener.Finished(q, e)
				}
			}
		})
	}
}
