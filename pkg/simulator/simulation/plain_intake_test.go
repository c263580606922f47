// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// refusal is why the engine of a rank lets no request in. It counts all ranks behind its port.
func (p *plain) refusal(r *plainReplica) (simulator.Reason, bool) {
	ranks := []*plainReplica{r}
	if r.OnePort {
		ranks = p.ranksOf(r)
	}
	requests, tokens := 0, 0
	for _, rank := range ranks {
		for _, q := range p.allOf(rank) {
			requests++
			if q.LastToken == request.Unset || q.moved {
				tokens += int(q.Prompt)
			}
		}
	}
	switch {
	case r.MaxQueuedRequests != nil && requests+1 > *r.MaxQueuedRequests:
		return simulator.EngineQueueFull, true
	case r.MaxQueuedTokens != nil && tokens >= *r.MaxQueuedTokens:
		return simulator.EngineTokensFull, true
	}
	return 0, false
}

// allOf lists whom a replica has: in its queue, in its batch or on the way to either, and those
// whose prompts others compute for it.
func (p *plain) allOf(r *plainReplica) []*plainRequest {
	all := slices.Concat(r.waiting, r.running, r.loading)
	for _, e := range p.events {
		if e.kind == plainEntry && e.replica == r {
			all = append(all, e.request)
		}
	}
	for _, decode := range p.replicas {
		for _, job := range decode.door {
			if job.handoff.prefill == r {
				all = append(all, job)
			}
		}
	}
	for _, q := range p.flying {
		if q.receives() && q.handoff.decode == r && !q.handoff.asked {
			all = append(all, q)
		}
	}
	return all
}

// front is the number of the endpoint that the router sees of a rank.
func (p *plain) front(r *plainReplica) int {
	if r.OnePort {
		return p.ranksOf(r)[0].index
	}
	return r.index
}

// hideRanks shows the router only the first rank of the replicas with one port.
func (p *plain) hideRanks() {
	for _, r := range p.replicas {
		if p.front(r) == r.index {
			continue
		}
		if p.view.Down == nil {
			p.view.Down = make([]bool, len(p.replicas))
		}
		p.view.Down[r.index] = true
	}
}

// balance lets the engines of replicas with one port choose the ranks of a request.
func (p *plain) balance(to policy.Route) policy.Route {
	rank := func(endpoint int) int {
		if !p.replicas[endpoint].OnePort {
			return endpoint
		}
		return slices.MinFunc(p.ranksOf(p.replicas[endpoint]), func(a, b *plainReplica) int { return p.loadOf(a) - p.loadOf(b) }).index
	}
	to.Endpoint = rank(to.Endpoint)
	if to.Prefill != policy.NoPrefill {
		to.Prefill = rank(to.Prefill)
	}
	return to
}

// loadOf is what the engine chooses a rank by: each request that does not run yet is as much as
// four that do.
func (p *plain) loadOf(r *plainReplica) int {
	return 4*len(p.allOf(r)) - 3*len(r.running)
}

// randomIntake bounds what the engines of some clusters let in: of few, as they are under less
// strain. It draws from the seed, so that the clusters are the same otherwise.
func randomIntake(config *simulator.Config) {
	if config.Seed%8 != 5 {
		return
	}
	for i := range config.Pools {
		draw := int(config.Seed)/8 + i
		bound := func(n int) *int { return &n }
		if draw%3 != 0 {
			config.Pools[i].MaxQueuedRequests = bound(draw % 9)
		}
		if draw%3 != 1 {
			config.Pools[i].MaxQueuedTokens = bound(draw * 7 % 60)
		}
	}
}
