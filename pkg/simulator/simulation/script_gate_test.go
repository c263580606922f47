// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// scriptGate lets a request go at each multiple of hold, that with the highest
// priority first. It turns away who comes when full wait, and at a multiple of
// hold who has waited for ttl; 0 is no bound.
type scriptGate struct {
	hold simtime.Time
	ttl  time.Duration
	full int
	held []heldRequest
	last simtime.Time // when it last let one go
}

func (g *scriptGate) keep(v *policy.View, q *policy.Request) {
	g.held = append(g.held, heldRequest{*q, v.Now})
}

func (g *scriptGate) Wake(now simtime.Time) (simtime.Time, bool) {
	return (now/g.hold + 1) * g.hold, len(g.held) > 0
}

func (r *scriptRouter) Release(v *policy.View) (policy.Released, bool) {
	if n := len(r.held); r.full > 0 && n > r.full {
		return policy.Released{Request: r.leave(n - 1).ID, Err: policy.ErrQueueFull}, true
	}
	if v.Now%r.hold != 0 || len(r.held) == 0 {
		return policy.Released{}, false
	}
	next := 0
	for i, h := range r.held {
		if r.ttl > 0 && v.Now.Sub(h.since) >= r.ttl {
			return policy.Released{Request: r.leave(i).ID, Err: policy.ErrExpired}, true
		}
		if h.request.Priority > r.held[next].request.Priority {
			next = i
		}
	}
	if v.Now == r.last {
		return policy.Released{}, false
	}
	r.last = v.Now
	q := r.leave(next)
	to, err := r.choose(v, &q)
	return policy.Released{Request: q.ID, Decision: to, Err: err}, true
}

func (*scriptGate) Queues(*policy.Request) bool { return true }

func (g *scriptGate) Cancel(_ simtime.Time, request *policy.Request) {
	g.held = slices.DeleteFunc(g.held, func(h heldRequest) bool { return h.request.ID == request.ID })
}

// leave takes a request out.
func (g *scriptGate) leave(i int) policy.Request {
	q := g.held[i].request
	g.held = slices.Delete(g.held, i, i+1)
	return q
}
