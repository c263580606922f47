// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Replicas are several EPPs of one configuration behind one gateway, which takes
// them in turn. Each has counters, a prefix index, queues and random streams of
// its own.
//
// Real ones read the metrics each at its own times; here all see the same
// scrapes. What EPPs tell each other of the load in flight, where a syncer is
// configured (parameter syncCrossReplicaState), is not simulated.
type Replicas struct {
	policy.Router
	routing    policy.Routing
	schedulers []*scheduler.Scheduler
}

// NewReplicas returns n EPPs; the first one is what [New] returns.
func NewReplicas(c *config.Config, cluster config.Cluster, n int, seed int64) *Replicas {
	r := &Replicas{}
	var routings []policy.Routing
	for i := range n {
		own := seed
		if i > 0 {
			own = int64(stats.Hash64(uint64(seed), stats.HashString("epp/replica"), uint64(i)))
		}
		s := New(c, cluster, own)
		r.schedulers = append(r.schedulers, s)
		routings = append(routings, s.Routing())
	}
	r.routing = policy.Replicate(routings...)
	r.Router = r.routing.Router
	return r
}

// Routing returns the EPPs as one router, with what their plugins take part in.
func (r *Replicas) Routing() policy.Routing {
	all := r.routing
	all.Router = r
	return all
}

// Weights implements [policy.Weighted]: those of each of them.
func (r *Replicas) Weights() []policy.ScorerWeight { return r.schedulers[0].Weights() }

// SetWeight implements [policy.Weighted].
func (r *Replicas) SetWeight(i int, weight float64) {
	for _, s := range r.schedulers {
		s.SetWeight(i, weight)
	}
}

// Idle implements [policy.Idler].
func (r *Replicas) Idle() []string { return policy.IdleInAll(r.schedulers) }

// FullIndexes implements [policy.PrefixIndexer].
func (r *Replicas) FullIndexes() []int {
	full := r.schedulers[0].FullIndexes()
	for _, s := range r.schedulers[1:] {
		for e, tokens := range s.FullIndexes() {
			if full[e] == 0 || tokens > 0 && tokens < full[e] {
				full[e] = tokens
			}
		}
	}
	return full
}

// Force implements [policy.Forcible]: each of them asks for its own requests.
func (r *Replicas) Force(force policy.Force) {
	for _, s := range r.schedulers {
		s.Force(force)
	}
}

// Explain has all of them explain their decisions; see [Scheduler.Explain].
func (r *Replicas) Explain(tell func(*scheduler.Explanation)) {
	for i, s := range r.schedulers {
		if tell == nil {
			s.Explain(nil)
			continue
		}
		s.Explain(func(x *scheduler.Explanation) {
			x.EPP = i
			tell(x)
		})
	}
}
