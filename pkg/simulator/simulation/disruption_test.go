// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// attentive is a router that has prompts computed at the first endpoint that is
// there and answers given by the last one. It panics where it hears of answers
// what cannot be: those of requests that it has not routed, or twice.
type attentive struct {
	open         map[int]int // endpoint by request
	routed, told map[int]int // how often, by request
}

func newAttentive() *attentive {
	return &attentive{open: map[int]int{}, routed: map[int]int{}, told: map[int]int{}}
}

func (a *attentive) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	if at, twice := a.open[q.ID]; twice {
		panic(fmt.Sprintf("request %d is routed again, and endpoint %d has not ended it", q.ID, at))
	}
	first, last := -1, -1
	for e := range v.Scrapes {
		if v.Down == nil || !v.Down[e] {
			last = e
			if first < 0 {
				first = e
			}
		}
	}
	if first < 0 {
		return policy.Route{}, policy.ErrNoEndpoint
	}
	a.open[q.ID] = last
	a.routed[q.ID]++
	return policy.Route{Prefill: first, Endpoint: last}, nil
}

// routing has the router hear of first tokens and ends.
func (a *attentive) routing() policy.Routing { return policy.Routing{Router: a, Responses: a} }

// FirstToken comes once from each endpoint at most. What was on its way when one
// failed still comes.
func (a *attentive) FirstToken(q *policy.Request, endpoint int) {
	a.told[q.ID]++
	if at, open := a.open[q.ID]; !open || a.told[q.ID] > a.routed[q.ID] || at != endpoint && a.routed[q.ID] == 1 {
		panic(fmt.Sprintf("first token %d of request %d from endpoint %d, which is with %d", a.told[q.ID], q.ID, endpoint, at))
	}
}

func (a *attentive) Finished(q *policy.Request, endpoint int) {
	if at, open := a.open[q.ID]; !open || at != endpoint {
		panic(fmt.Sprintf("the end of request %d from endpoint %d, which is with %d", q.ID, endpoint, at))
	}
	delete(a.open, q.ID)
}

// busyPair is two replicas with tiers between which everything is under way at
// some nanosecond: entries, hand-overs in parts, loads, copies and answers.
func busyPair(offload simulator.OffloadPolicy, granularity simulator.Granularity, shared bool) simulator.Config {
	slow := transfer.Station{Latency: 2, BytesPerSecond: int64(time.Second)}
	c := twoTiers()
	p := &c.Pools[0]
	p.Timer = mixedStep{base: 3, token: 1}
	p.BlockTokens, p.KVBlocks, p.MaxNumSeqs, p.MaxNumBatchedTokens = 2, 14, 3, 6
	p.Cost = latency.RequestCost{QueueBase: 2, PerOutputToken: 1, Completion: 3}
	p.Tiers.ToHost, p.Tiers.ToGPU = slow, slow
	p.Tiers.Lower[0].Blocks, p.Tiers.Lower[1].Shared = 20, shared
	p.Tiers.Offload = simulator.Offload{Policy: offload, Threshold: 0.5, ThrashWindow: 50}
	c.Handoff = simulator.Handoff{Egress: slow, Ingress: slow, Granularity: granularity, StartShare: 0.5, MaxPending: 2}
	c.Disruptions, c.CheckInvariants, c.ScrapeInterval = nil, true, 7
	c.Policies.Routing = newAttentive().routing()
	c.Horizon.Drain = time.Hour
	var requests []workload.Request
	for id := range 8 {
		shared := prompt.Extent{Source: uint64(id % 3), Tokens: 8}
		own := prompt.Extent{Source: uint64(100 + id), Tokens: int32(3 + id%4)}
		requests = append(requests, workload.Request{
			ID: id, Arrival: simtime.Time(5 * id), OutputTokens: 2 + id%5, Response: uint64(1000 + id),
			Prompt: prompt.Prompt{Extents: []prompt.Extent{shared, own}},
		})
	}
	c.Source = &script{requests: requests}
	return c
}

// TestAReplicaMayFailAtAnyTime: whatever a replica is about when it fails, every
// request gets each of its tokens once, and is told of as if it had been sent
// anew.
func TestAReplicaMayFailAtAnyTime(t *testing.T) {
	met, first := phases{}, simtime.Time(0)
	for offload := simulator.OffloadEager; offload <= simulator.OffloadThreshold; offload++ {
		for granularity := simulator.GranularityBlock; granularity <= simulator.GranularityStream; granularity++ {
			for _, shared := range []bool{false, true} {
				t.Run(fmt.Sprint("offload ", offload, ", granularity ", granularity, ", shared ", shared), func(t *testing.T) {
					for endpoint := range 2 {
						failEvery(t, first%3, endpoint, met, func() simulator.Config { return busyPair(offload, granularity, shared) })
						first++
					}
				})
			}
		}
	}
	for p := request.Entering; p <= request.Leaving; p++ {
		if !met[p] {
			t.Errorf("no request was ever in phase %d", p)
		}
	}
}

// failEvery lets an endpoint fail at every third nanosecond from one on, each in
// a run of its own, and come back a while later.
func failEvery(t *testing.T, first simtime.Time, endpoint int, met phases, config func() simulator.Config) {
	for at, end := first, first; at <= end; at += 3 {
		c := config()
		c.Disruptions = []simulator.Disruption{{At: at, Endpoint: endpoint}, {At: at + 30, Endpoint: endpoint, Kind: simulator.Recover}}
		s := newSimulation(context.Background(), c)
		watch := &phaseWatch{met: met}
		watch.s = s
		s.Observers = append(s.Observers, watch)
		o, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		sum := sumCells(o)
		if sum.Completed != 8 || sum.OutputTokens != 29 {
			t.Fatalf("endpoint %d fails at %v: %d completed with %d tokens, want 8 with 29", endpoint, at, sum.Completed, sum.OutputTokens)
		}
		if open := c.Policies.Routing.Router.(*attentive).open; len(open) > 0 {
			t.Fatalf("endpoint %d fails at %v: nobody is told of the end of %v", endpoint, at, open)
		}
		end = max(end, o.End)
	}
}

// phases are those that requests have been in.
type phases map[request.Phase]bool

// phaseWatch notes phases.
type phaseWatch struct {
	occupancy
	met phases
}

func (w *phaseWatch) Settled(int32) {
	s := w.s
	for i := range s.Requests.All {
		w.met[s.Requests.All[i].Phase()] = true
	}
}
