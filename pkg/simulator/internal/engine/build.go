// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/tier"
)

// New returns the replicas of all pools, as they start, with their tiers and networks: one
// of its own to each, or one to all where KV is handed over, a tier is shared, or replicas
// are advanced in the order of time for a source that hears of ends.
func New(state *run.State, config *simulator.Config) *Cluster {
	c := &Cluster{State: state, kvEvents: config.Policies.Routing.KVEvents, Replicas: make([]Replica, 0, places(config.Pools))}
	c.Handoffs = handoff.New(state, config.Handoff)
	c.due = make([]simtime.Time, places(config.Pools))
	c.soonest = make([]simtime.Time, (len(c.due)+dueGroup-1)/dueGroup)
	for i := range config.Pools {
		c.addPool(config, i)
	}
	handing := config.Handoff.Egress.BytesPerSecond > 0
	if handing || shares(config.Pools) || config.Listener != nil || slices.ContainsFunc(config.Pools, func(p simulator.Pool) bool { return p.LockStep != nil }) {
		c.fabric = network.NewFabric(c.Listeners.Transferred)
		c.order, c.advance = newOrder(len(c.Replicas)), c.AdvanceInOrder
	}
	c.joinRanks()
	for i := range c.Replicas {
		r := &c.Replicas[i]
		r.Fabric = c.fabric
		c.addTiers(r)
	}
	if c.fabric != nil {
		c.addShared(config.Pools)
	}
	for i := range c.Replicas {
		c.connect(&c.Replicas[i], &config.Handoff, handing)
	}
	return c
}

// places is how many replicas there may be in all pools.
func places(pools []simulator.Pool) int {
	n := 0
	for i := range pools {
		n += pools[i].Places()
	}
	return n
}

// addPool adds a pool's replicas.
func (c *Cluster) addPool(config *simulator.Config, pool int) {
	p := &config.Pools[pool]
	for place := range p.Places() {
		index := len(c.Replicas)
		c.Replicas = append(c.Replicas, Replica{Pool: pool, Rank: place % p.RanksPerReplica()})
		r := &c.Replicas[index]
		r.State, r.cluster, r.Index, r.limits = c.State, &c.shared, int32(index), newLimits(p)
		r.link()
		r.empty()
		r.Next = simtime.Never
		r.Advisor = newAdvisor(&r.memory, &r.Batch, &r.Use, 0)
		r.watch = newQueueWatch(c.State, &c.shared, config, p)
		if place < p.Replicas {
			r.Lifetimes.Begin(0)
		}
		if c.kvEvents != nil {
			r.cacheEvents = &cacheEventRelay{State: c.State, router: c.kvEvents, endpoint: index}
			r.Cache.SetListener(r.cacheEvents)
		}
	}
}

// connect gives a replica its place among those that hand over, and lists its links.
func (c *Cluster) connect(r *Replica, config *simulator.Handoff, handing bool) {
	r.Port.Engine, r.Port.Pool = r, r.Config
	c.Handoffs.Ports = append(c.Handoffs.Ports, &r.Port)
	if r.Tiers != nil {
		r.Tiers.ListLinks()
	}
	if handing {
		r.Port.Connect(config, r.Fabric, &r.links)
	}
	r.links.Restart(0)
}

// shares says whether replicas of a pool have a tier together.
func shares(pools []simulator.Pool) bool {
	for i := range pools {
		for _, t := range pools[i].Tiers.Lower {
			if t.Shared && pools[i].Places() > 1 {
				return true
			}
		}
	}
	return false
}

// addTiers gives a replica its own tiers, and a network.
func (c *Cluster) addTiers(r *Replica) {
	if len(r.Config.Tiers.Lower) == 0 {
		return
	}
	if r.Fabric == nil {
		r.Fabric = network.NewFabric(r.Listeners.Transferred)
	}
	r.Tiers = tier.New(r.State, tier.Owner{
		Engine: r, Replica: r.Index, Pool: r.Config, Fabric: r.Fabric, Links: &r.links,
		Listen: func(store *kv.Tier, kind simulator.TierKind) { c.watch(store, kind, r.Index, r.Index+1) },
	})
	r.Tiers.Empty(r.Cache)
}

// addShared gives the replicas of a pool the tiers that they share.
func (c *Cluster) addShared(pools []simulator.Pool) {
	for p := range pools {
		for k, t := range pools[p].Tiers.Lower {
			if !t.Shared || pools[p].Places() == 1 {
				continue
			}
			f := c.fabric
			store := tier.NewStore(&t)
			read, write := f.Add(t.Read), f.Add(t.Write)
			c.shareTier(p, k, store, read, write)
			first := int32(slices.IndexFunc(c.Replicas, func(r Replica) bool { return r.Pool == p }))
			c.watch(store.Tier, t.Kind, first, first+int32(pools[p].Places()))
		}
	}
}

func (c *Cluster) shareTier(pool, k int, store *tier.Store, read, write transfer.StationID) {
	first := true
	for i := range c.Replicas {
		if r := &c.Replicas[i]; r.Pool == pool {
			r.Tiers.Share(k, store, read, write, !first)
			first = false
		}
	}
}

// watch lets the router hear of a tier that the replicas [from, to) have.
func (c *Cluster) watch(store *kv.Tier, kind simulator.TierKind, from, to int32) {
	if c.kvEvents == nil {
		return
	}
	tier := policy.CPUMemory
	if kind == simulator.StorageTier {
		tier = policy.Storage
	}
	store.SetListener(&tierEventRelay{State: c.State, router: c.kvEvents, tier: tier, from: from, to: to})
}

// joinRanks lets the ranks of each replica step together whose pool says so.
func (c *Cluster) joinRanks() {
	for i := range c.Replicas {
		r := &c.Replicas[i]
		switch pool := r.Config; {
		case pool.LockStep == nil:
			continue
		case r.Rank == 0:
			r.LockStep = &lockStep{State: c.State, timer: pool.LockStep, steps: make([]latency.Step, pool.RanksPerReplica())}
		default:
			r.LockStep = c.Replicas[i-1].LockStep
		}
		r.LockStep.Ranks = append(r.LockStep.Ranks, r)
	}
}
