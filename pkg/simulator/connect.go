// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// connect gives replicas their tiers and their networks: one of its own to each,
// or one to all where KV is handed over, a tier is shared, or replicas are advanced
// in the order of time for a source that hears of ends.
func (s *simulation) connect(c *Config) {
	handing := c.Handoff.Egress.BytesPerSecond > 0
	if handing || shares(c.Pools) || c.Listener != nil {
		s.order = newReplicaOrder(len(s.replicas), newFabric())
	}
	for i := range s.replicas {
		s.addTiers(&s.replicas[i])
	}
	if s.order != nil {
		s.addShared(c.Pools)
		s.addPorts(&c.Handoff, handing)
	}
	for i := range s.replicas {
		s.replicas[i].listLinks(handing)
		s.replicas[i].restartLinks(0)
	}
}

// addPorts gives the replicas a network together.
func (s *simulation) addPorts(c *Handoff, handing bool) {
	for i := range s.replicas {
		r := &s.replicas[i]
		r.fabric = s.order.fabric
		if handing {
			r.port.egress, r.port.ingress = r.fabric.Add(c.Egress), r.fabric.Add(c.Ingress)
		}
	}
}

// shares says whether replicas of a pool have a tier together.
func shares(pools []Pool) bool {
	for i := range pools {
		for _, t := range pools[i].Tiers.Lower {
			if t.Shared && pools[i].places() > 1 {
				return true
			}
		}
	}
	return false
}

// addTiers gives a replica its own tiers, and a network.
func (s *simulation) addTiers(r *replica) {
	c := &r.config.Tiers
	if len(c.Lower) == 0 {
		return
	}
	if s.order != nil {
		r.fabric = s.order.fabric
	} else {
		r.fabric = newFabric()
	}
	l := &tierSet{
		toHost: r.fabric.Add(c.ToHost), toGPU: r.fabric.Add(c.ToGPU), offload: c.Offload,
		tiers: make([]tier, len(c.Lower)),
	}
	if c.Offload.Policy == OffloadThreshold {
		l.blank = r.config.KVBlocks - int(math.Floor(float64(c.Offload.Threshold*float64(r.config.KVBlocks))))
	}
	for k, t := range c.Lower {
		l.tiers[k].kind, l.tiers[k].shared = t.Kind, t.Shared && r.config.places() > 1
		if !l.tiers[k].shared {
			l.tiers[k].read, l.tiers[k].write = r.fabric.Add(t.Read), r.fabric.Add(t.Write)
		}
	}
	r.tiers = l
	l.empty(s, r, 0)
}

// empty makes the replica's own tiers new ones.
func (l *tierSet) empty(s *simulation, r *replica, now simtime.Time) {
	l.sources, l.idle, l.detached, l.spills = nil, nil, nil, nil
	if l.offload.Policy == OffloadLazy {
		r.cache.WatchEvictions()
	}
	for k, t := range r.config.Tiers.Lower {
		if !l.tiers[k].shared {
			l.tiers[k].store = l.tiers[k].store.renewed(now, kv.NewStore(t.Blocks, t.Eviction))
			s.watch(l.tiers[k].store.Store, t.Kind, r.index, r.index+1)
		}
	}
}

// addShared gives the replicas of a pool the tiers that they share.
func (s *simulation) addShared(pools []Pool) {
	for p := range pools {
		for k, t := range pools[p].Tiers.Lower {
			if !t.Shared || pools[p].places() == 1 {
				continue
			}
			f := s.order.fabric
			store := &tierStore{Store: kv.NewStore(t.Blocks, t.Eviction)}
			read, write := f.Add(t.Read), f.Add(t.Write)
			s.shareTier(p, k, store, read, write)
			first := int32(slices.IndexFunc(s.replicas, func(r replica) bool { return r.pool == p }))
			s.watch(store.Store, t.Kind, first, first+int32(pools[p].places()))
		}
	}
}

func (s *simulation) shareTier(pool, k int, store *tierStore, read, write transfer.StationID) {
	first := true
	for i := range s.replicas {
		if r := &s.replicas[i]; r.pool == pool {
			t := &r.tiers.tiers[k]
			t.elsewhere, first = !first, false
			t.store, t.read, t.write = store, read, write
		}
	}
}
