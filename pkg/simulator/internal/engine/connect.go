// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Connect gives replicas their tiers and their networks: one of its own to each,
// or one to all where KV is handed over, a tier is shared, or replicas are advanced
// in the order of time for a source that hears of ends.
func (c *Cluster) Connect(config *simulator.Config) {
	handing := config.Handoff.Egress.BytesPerSecond > 0
	if handing || shares(config.Pools) || config.Listener != nil || slices.ContainsFunc(config.Pools, func(p simulator.Pool) bool { return p.LockStep != nil }) {
		c.order = newReplicaOrder(len(c.Replicas), newFabric())
	}
	c.joinRanks()
	for i := range c.Replicas {
		c.Replicas[i].addTiers()
	}
	if c.order != nil {
		c.addShared(config.Pools)
		c.addPorts(&config.Handoff, handing)
	}
	for i := range c.Replicas {
		c.Replicas[i].listLinks(handing)
		c.Replicas[i].restartLinks(0)
	}
}

// addPorts gives the replicas a network together.
func (c *Cluster) addPorts(config *simulator.Handoff, handing bool) {
	for i := range c.Replicas {
		r := &c.Replicas[i]
		r.Fabric = c.order.fabric
		if handing {
			r.Port.egress, r.Port.ingress = r.Fabric.Add(config.Egress), r.Fabric.Add(config.Ingress)
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
func (r *Replica) addTiers() {
	c := &r.Config.Tiers
	if len(c.Lower) == 0 {
		return
	}
	if r.Cluster.order != nil {
		r.Fabric = r.Cluster.order.fabric
	} else {
		r.Fabric = newFabric()
	}
	l := &tierSet{
		replica: r,
		toHost:  r.Fabric.Add(c.ToHost), toGPU: r.Fabric.Add(c.ToGPU), offload: c.Offload,
		Tiers: make([]tier, len(c.Lower)),
	}
	if c.Offload.Policy == simulator.OffloadThreshold {
		l.blank = r.Config.KVBlocks - int(math.Floor(float64(c.Offload.Threshold*float64(r.Config.KVBlocks))))
	}
	for k, t := range c.Lower {
		l.Tiers[k].kind, l.Tiers[k].shared = t.Kind, t.Shared && r.Config.Places() > 1
		if !l.Tiers[k].shared {
			l.Tiers[k].read, l.Tiers[k].write = r.Fabric.Add(t.Read), r.Fabric.Add(t.Write)
		}
	}
	r.Tiers = l
	l.empty(0)
}

// addShared gives the replicas of a pool the tiers that they share.
func (c *Cluster) addShared(pools []simulator.Pool) {
	for p := range pools {
		for k, t := range pools[p].Tiers.Lower {
			if !t.Shared || pools[p].Places() == 1 {
				continue
			}
			f := c.order.fabric
			store := &tierStore{Tier: kv.NewTier(t.Blocks, t.Eviction)}
			read, write := f.Add(t.Read), f.Add(t.Write)
			c.shareTier(p, k, store, read, write)
			first := int32(slices.IndexFunc(c.Replicas, func(r Replica) bool { return r.Pool == p }))
			c.watch(store.Tier, t.Kind, first, first+int32(pools[p].Places()))
		}
	}
}

func (c *Cluster) shareTier(pool, k int, store *tierStore, read, write transfer.StationID) {
	first := true
	for i := range c.Replicas {
		if r := &c.Replicas[i]; r.Pool == pool {
			t := &r.Tiers.Tiers[k]
			t.elsewhere, first = !first, false
			t.Store, t.read, t.write = store, read, write
		}
	}
}
