// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/handoff"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/tier"
)

// Connect gives replicas their tiers and their networks: one of its own to each,
// or one to all where KV is handed over, a tier is shared, or replicas are advanced
// in the order of time for a source that hears of ends.
func (c *Cluster) Connect(config *simulator.Config) {
	c.Handoffs = handoff.New(c.State, config.Handoff)
	handing := config.Handoff.Egress.BytesPerSecond > 0
	if handing || shares(config.Pools) || config.Listener != nil || slices.ContainsFunc(config.Pools, func(p simulator.Pool) bool { return p.LockStep != nil }) {
		c.order = newReplicaOrder(len(c.Replicas), network.NewFabric(c.Listeners.Transferred))
	}
	c.joinRanks()
	for i := range c.Replicas {
		r := &c.Replicas[i]
		if c.order != nil {
			r.Fabric = c.order.fabric
		}
		r.addTiers()
	}
	if c.order != nil {
		c.addShared(config.Pools)
	}
	for i := range c.Replicas {
		c.Replicas[i].connect(&config.Handoff, handing)
	}
}

// connect gives a replica its place among those that hand over, and lists its links.
func (r *Replica) connect(config *simulator.Handoff, handing bool) {
	r.Port.Engine, r.Port.Pool = r, r.Config
	r.Cluster.Handoffs.Ports = append(r.Cluster.Handoffs.Ports, &r.Port)
	if r.Tiers != nil {
		r.Tiers.ListLinks()
	}
	if handing {
		r.Port.Connect(config, r.Fabric, &r.Links)
	}
	r.Links.Restart(0)
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
func (r *Replica) addTiers() {
	if len(r.Config.Tiers.Lower) == 0 {
		return
	}
	if r.Fabric == nil {
		r.Fabric = network.NewFabric(r.Listeners.Transferred)
	}
	r.Tiers = tier.New(r.State, tier.Owner{
		Engine: r, Replica: r.Index, Pool: r.Config, Fabric: r.Fabric, Links: &r.Links,
		Listen: func(store *kv.Tier, kind simulator.TierKind) { r.Cluster.watch(store, kind, r.Index, r.Index+1) },
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
			f := c.order.fabric
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
