// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// ender keeps request 0 back until a time, and then ends another one that is in
// flight.
type ender struct {
	*attentive
	at     simtime.Time
	victim int
	kept   *policy.Request
	asked  bool
	s      *simulation // to know what it does
	met    phases
	ended  bool
}

func (e *ender) routing() policy.Routing {
	return policy.Routing{Router: e, Responses: e, Queue: e, Evictor: e}
}

func (e *ender) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	if q.ID > 0 {
		return e.attentive.Route(v, q)
	}
	kept := *q
	e.kept = &kept
	return policy.Route{}, policy.ErrHeld
}

func (e *ender) Wake(simtime.Time) (simtime.Time, bool) { return e.at, e.kept != nil }

func (e *ender) Release(v *policy.View) (policy.Released, bool) {
	if e.kept == nil || v.Now < e.at {
		return policy.Released{}, false
	}
	q := e.kept
	e.kept = nil
	to, err := e.attentive.Route(v, q)
	return policy.Released{Request: q.ID, Decision: to, Err: err}, true
}

func (*ender) Queues(*policy.Request) bool { return true }

func (e *ender) Cancel(simtime.Time, *policy.Request) { e.kept = nil }

func (e *ender) Evict(now simtime.Time) (int, bool) {
	if _, open := e.open[e.victim]; now < e.at || e.asked || !open {
		e.asked = e.asked || now >= e.at
		return 0, false
	}
	e.asked, e.ended = true, true
	for i := range e.s.Requests.All {
		if q := &e.s.Requests.All[i]; q.Info.ID == e.victim && !q.Job {
			e.met[q.Phase()] = true
		}
	}
	return e.victim, true
}

// TestARequestMayBeEndedAtAnyTime: whatever a request is about when it is ended,
// all others get each of their tokens once, and nobody hears of it again.
func TestARequestMayBeEndedAtAnyTime(t *testing.T) {
	met := phases{}
	for offload := simulator.OffloadEager; offload <= simulator.OffloadThreshold; offload++ {
		for granularity := simulator.GranularityBlock; granularity <= simulator.GranularityStream; granularity++ {
			for _, shared := range []bool{false, true} {
				t.Run(fmt.Sprint("offload ", offload, ", granularity ", granularity, ", shared ", shared), func(t *testing.T) {
					endEvery(t, met, func() simulator.Config { return busyPair(offload, granularity, shared) })
				})
			}
		}
	}
	for p := request.Remote; p <= request.Leaving; p++ {
		if !met[p] {
			t.Errorf("no request was ended in phase %d", p)
		}
	}
}

// endEvery ends a request at each nanosecond of a story, one after the other, in
// a run of its own.
func endEvery(t *testing.T, met phases, config func() simulator.Config) {
	for at := simtime.Time(1); ; at++ {
		c := config()
		e := &ender{attentive: newAttentive(), at: at, victim: 1 + int(at)%7, met: met}
		c.Policies.Routing = e.routing()
		s := newSimulation(context.Background(), c)
		e.s = s
		o, err := s.run()
		if err != nil {
			t.Fatal(err)
		}
		rejected := int64(0)
		if e.ended {
			rejected = 1
		}
		if sum := sumCells(o); sum.Rejected != rejected || sum.Completed != 8-rejected {
			t.Fatalf("request %d is ended at %v: %d completed, %d rejected", e.victim, at, sum.Completed, sum.Rejected)
		}
		if len(e.open) > 0 {
			t.Fatalf("request %d ends at %v: nobody is told of the end of %v", e.victim, at, e.open)
		}
		if !e.ended && at > 200 {
			return
		}
	}
}
