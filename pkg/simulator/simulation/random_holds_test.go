// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomHolds lets the router keep requests back, most of the time.
func randomHolds(c *choices, config *simulator.Config) {
	scatterOf(config).tick = simtime.Time(max(0, c.pick(30)-5))
}

// scatterGate keeps four of five requests back: until a multiple of tick, for a
// number of ticks that depends on the request, or as long as the endpoints look
// busy, of which it lets one go at a time. Some it gives up, and of more than
// five the last one is turned away.
type scatterGate struct {
	tick simtime.Time
	held []heldRequest
}

type heldRequest struct {
	request policy.Request
	since   simtime.Time
}

func (g *scatterGate) keep(v *policy.View, q *policy.Request) bool {
	if g.tick <= 0 || q.ID%5 == 0 {
		return false
	}
	g.held = append(g.held, heldRequest{*q, v.Now})
	return true
}

func (g *scatterGate) Wake(now simtime.Time) (simtime.Time, bool) {
	return (now/g.tick + 1) * g.tick, len(g.held) > 0
}

func (r *scatter) Release(v *policy.View) (policy.Released, bool) {
	r.watch(v)
	r.log = append(r.log, r.heard.lines(len(v.Scrapes))...)
	r.log = append(r.log, fmt.Sprint("release at ", v.Now, " by ", v.Scrapes, " without ", v.Down))
	if n := len(r.held); n > 5 {
		return r.turnAway(n-1, policy.ErrQueueFull)
	}
	for i, h := range r.held {
		ticks := v.Now.Sub(h.since) / time.Duration(r.tick)
		best := r.best(v, h.request.ID)
		switch {
		case ticks >= 5 && h.request.ID%3 == 0:
			return r.turnAway(i, policy.ErrExpired)
		case ticks >= 8 || ticks > time.Duration(h.request.ID%4) && best >= 0 && loadOf(v.Scrapes[best]) < 2:
			r.held = slices.Delete(r.held, i, i+1)
			to, err := r.choose(v, &h.request)
			return policy.Released{Request: h.request.ID, Decision: to, Err: err}, true
		}
	}
	return policy.Released{}, false
}

func (*scatterGate) Queues(*policy.Request) bool { return true }

func (r *scatter) Cancel(now simtime.Time, request *policy.Request) {
	r.log = append(r.log, fmt.Sprint("cancel ", request.ID, " at ", now))
	r.held = slices.DeleteFunc(r.held, func(h heldRequest) bool { return h.request.ID == request.ID })
}

func (g *scatterGate) turnAway(i int, err error) (policy.Released, bool) {
	id := g.held[i].request.ID
	g.held = slices.Delete(g.held, i, i+1)
	return policy.Released{Request: id, Err: err}, true
}
