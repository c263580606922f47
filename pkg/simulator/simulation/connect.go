// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// connect gives replicas their tiers and their networks: one of its own to each,
// or one to all where KV is handed over, a tier is shared, or replicas are advanced
// in the order of time for a source that hears of ends.
func (c *cluster) connect(config *simulator.Config) {
	handing := config.Handoff.Egress.BytesPerSecond > 0
	if handing || shares(config.Pools) || config.Listener != nil || slices.ContainsFunc(config.Pools, func(p simulator.Pool) bool { return p.LockStep != nil }) {
		c.order = newReplicaOrder(len(c.replicas), newFabric())
	}
	c.joinRanks()
	for i := range c.replicas {
		c.replicas[i].addTiers()
	}
	if c.order != nil {
		c.addShared(config.Pools)
		c.addPorts(&config.Handoff, handing)
	}
	for i := range c.replicas {
		c.replicas[i].listLinks(handing)
		c.replicas[i].restartLinks(0)
	}
}

// addPorts gives the replicas a network together.
func (c *cluster) addPorts(config *simulator.Handoff, handing bool) {
	for i := range c.replicas {
		r := &c.replicas[i]
		r.fabric = c.order.fabric
		if handing {
			r.port.egress, r.port.ingress = r.fabric.Add(config.Egress), r.fabric.Add(config.Ingress)
		}
	}
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
func (r *replica) addTiers() {
	c := &r.config.Tiers
	if len(c.Lower) == 0 {
		return
	}
	if r.cluster.order != nil {
		r.fabric = r.cluster.order.fabric
	} else {
		r.fabric = newFabric()
	}
	l := &tierSet{
		replica: r,
		toHost:  r.fabric.Add(c.ToHost), toGPU: r.fabric.Add(c.ToGPU), offload: c.Offload,
		tiers: make([]tier, len(c.Lower)),
	}
	if c.Offload.Policy == simulator.OffloadThreshold {
		l.blank = r.config.KVBlocks - int(math.Floor(float64(c.Offload.Threshold*float64(r.config.KVBlocks))))
	}
	for k, t := range c.Lower {
		l.tiers[k].kind, l.tiers[k].shared = t.Kind, t.Shared && r.config.Places() > 1
		if !l.tiers[k].shared {
			l.tiers[k].read, l.tiers[k].write = r.fabric.Add(t.Read), r.fabric.Add(t.Write)
		}
	}
	r.tiers = l
	l.empty(0)
}

// addShared gives the replicas of a pool the tiers that they share.
func (c *cluster) addShared(pools []simulator.Pool) {
	for p := range pools {
		for k, t := range pools[p].Tiers.Lower {
			if !t.Shared || pools[p].Places() == 1 {
				continue
			}
			f := c.order.fabric
			store := &tierStore{Tier: kv.NewTier(t.Blocks, t.Eviction)}
			read, write := f.Add(t.Read), f.Add(t.Write)
			c.shareTier(p, k, store, read, write)
			first := int32(slices.IndexFunc(c.replicas, func(r replica) bool { return r.pool == p }))
			c.watch(store.Tier, t.Kind, first, first+int32(pools[p].Places()))
		}
	}
}

func (c *cluster) shareTier(pool, k int, store *tierStore, read, write transfer.StationID) {
	first := true
	for i := range c.replicas {
		if r := &c.replicas[i]; r.pool == pool {
			t := &r.tiers.tiers[k]
			t.elsewhere, first = !first, false
			t.store, t.read, t.write = store, read, write
		}
	}
}
