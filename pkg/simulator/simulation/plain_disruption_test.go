// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"errors"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func (p *plain) disrupt(d simulator.Disruption) {
	if p.view.Down == nil {
		p.view.Down = make([]bool, len(p.replicas))
	}
	ranks := p.ranksOf(p.replicas[d.Endpoint])
	for _, r := range ranks {
		p.view.Down[r.index] = d.Kind != simulator.Recover
		present := len(r.lives) > 0 && r.lives[len(r.lives)-1].To == simtime.Never
		switch {
		case d.Kind == simulator.Fail && present:
			r.lives[len(r.lives)-1].To = p.now
		case d.Kind == simulator.Recover && !present:
			r.lives = append(r.lives, simulator.Lifetime{From: p.now, To: simtime.Never})
		}
	}
	if d.Kind == simulator.Fail {
		p.fail(ranks...)
	}
}

// showPresence lets the router see which replicas are not there at the start.
func (p *plain) showPresence() {
	for i, r := range p.replicas {
		if len(r.lives) > 0 {
			continue
		}
		if p.view.Down == nil {
			p.view.Down = make([]bool, len(p.replicas))
		}
		p.view.Down[i] = true
	}
}

// lifetimesOf are a replica's in the time that its figures are of.
func (p *plain) lifetimesOf(r *plainReplica) []simulator.Lifetime {
	var all []simulator.Lifetime
	for _, l := range r.lives {
		if from, to := max(l.From, r.use.Since), min(l.To, p.now); from < to {
			all = append(all, simulator.Lifetime{From: from, To: to})
		}
	}
	return all
}

// fail takes all that depends on some replicas off everything, empties them, and has
// the requests routed again in order of arrival.
func (p *plain) fail(replicas ...*plainReplica) {
	var lost []*plainRequest
	for _, r := range replicas {
		lost = append(lost, p.stop(r, lost...)...)
	}
	slices.SortStableFunc(lost, func(q, o *plainRequest) int { return q.Info.ID - o.Info.ID })
	for _, q := range lost {
		p.routeAgain(q)
	}
	p.revoke()
}

// dependOn lists the requests that need a replica.
func (p *plain) dependOn(r *plainReplica) []*plainRequest {
	var all []*plainRequest
	for _, q := range p.flying {
		if q.accepted && !q.leaving && !slices.Contains(p.waiting, q) && (int(q.Replica) == r.index || q.receives() && q.handoff.prefill == r) {
			all = append(all, q)
		}
	}
	return all
}

// stop takes all that depends on a replica off everything, but for those of which that
// was done, and empties it.
func (p *plain) stop(r *plainReplica, but ...*plainRequest) []*plainRequest {
	lost := slices.DeleteFunc(p.dependOn(r), func(q *plainRequest) bool { return slices.Contains(but, q) })
	for _, q := range lost {
		p.takeOff(q)
	}
	for _, id := range slices.Sorted(maps.Keys(p.transfers)) {
		if t, ok := p.transfers[id]; ok && r.crosses(t) {
			p.cancel(t)
		}
	}
	p.empty(r)
	return lost
}

// takeOff takes a request and its job off whatever they are in.
func (p *plain) takeOff(q *plainRequest) {
	if h := q.handoff; h != nil {
		p.dismiss(h.prefill, h.job)
		p.takeBack(h)
		if h.done {
			p.letGo(h.prefill, h.job, h.prefill.cache.Release)
		} else {
			p.dropBlocks(h.prefill, h.job)
		}
		p.openDoor(h.decode)
	}
	r := p.replicas[q.Replica]
	p.dismiss(r, q)
	p.dropBlocks(r, q)
	q.exported = false
}

// empty makes a replica as it was at the start, but for its figures. Its step is
// lost.
func (p *plain) empty(r *plainReplica) {
	r.use.Settle(p.now, r.cache.Used())
	if r.stepping {
		r.use.Busy += p.now.Sub(max(r.stepStart, r.use.Since))
	}
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool {
		return e.replica == r && (e.kind == plainStepEnd || e.kind == plainWake || e.kind == plainAdapterLoaded)
	})
	r.stepping, r.held, r.waking, r.formed = false, false, false, latency.Step{}
	r.waiting, r.running, r.loading = nil, nil, nil
	r.scheduler, r.turns = plainScheduler(r.Pool), 0
	r.parting, r.ahead, r.adapters, r.plainExports = nil, nil, nil, plainExports{}
	p.tellCleared(r)
	evictions := r.cache.Evictions
	r.cache, r.unused = newPlainCache(r.Pool), r.KVBlocks
	r.cache.Evictions = evictions
	r.watch(r.settings, p.now)
	for _, t := range r.tiers {
		if !r.shares(t.Tier) {
			p.settleTier(t)
			t.blocks = map[uint64]*plainBlock{}
		}
	}
}

// routeAgain asks the router for another endpoint. What the request has been
// given stays given.
func (p *plain) routeAgain(q *plainRequest) {
	p.tellFinished(q, int(q.Replica))
	q.High = max(q.High, q.Computed)
	q.Computed, q.Chunk = 0, 0
	q.RoutedAt = p.now
	p.tellAll()
	decision, err := p.Policies.Routing.Router.Route(p.look(), &q.Info)
	if errors.Is(err, policy.ErrHeld) {
		p.waiting = append(p.waiting, q)
	} else {
		p.sendAgainTo(q, decision, err)
	}
	p.release()
}

func (p *plain) sendAgainTo(q *plainRequest, decision policy.Route, err error) {
	if err == nil {
		decision = p.balance(decision)
		if _, _, never := p.refuses(q, decision); !never {
			p.metrics.Cells[q.Cell].Migrated++
			p.noteWait(q)
			q.moved, q.charged = true, false
			p.flowOf(q).Sent++
			p.place(q, decision)
			return
		}
		p.tellFinished(q, decision.Endpoint)
	}
	p.breakOff(q)
}

// breakOff ends a request that has lost its replica.
func (p *plain) breakOff(q *plainRequest) {
	p.metrics.Touch(p.now, q.Cell).Failed++
	p.metrics.End(p.now, &q.Request, simulator.SeriesFailed)
	p.note(q, func(rec *record) { rec.end = "failed" })
	p.hear(q, workload.Failed)
	p.events = slices.DeleteFunc(p.events, func(e plainEvent) bool { return e.request == q })
	p.uncount(q)
	p.forget(q)
}
