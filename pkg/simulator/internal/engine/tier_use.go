// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// tierStore is the blocks of a tier, with how full it was.
type tierStore struct {
	*kv.Tier
	use    measure.Use
	counts simulator.TierUse
}

// renewed puts an empty store in the place of one that is lost, or of none.
func (t *tierStore) renewed(now simtime.Time, store *kv.Tier) *tierStore {
	if t == nil {
		return &tierStore{Tier: store}
	}
	t.use.Changed(now, t.Used(), 0)
	t.Tier = store
	return t
}

// changed notes a new number of places in use.
func (t *tierStore) changed(now simtime.Time, before int) {
	if after := t.Used(); after != before {
		t.use.Changed(now, before, after)
	}
}

// restart begins the figures anew.
func (t *tierStore) restart(now simtime.Time) {
	t.use = measure.Use{Since: now, Settled: now, PeakUsed: t.Used()}
	t.counts = simulator.TierUse{}
}

// restart begins the figures of a replica's tiers anew.
func (l *tierSet) restart(now simtime.Time) {
	for k := range l.Tiers {
		l.Tiers[k].Store.restart(now)
	}
}

// report settles the figures of a replica's tiers. Shared ones are the first
// replica's.
func (l *tierSet) report(now simtime.Time) []simulator.TierUse {
	var uses []simulator.TierUse
	for k := range l.Tiers {
		if t := &l.Tiers[k]; !t.elsewhere {
			uses = append(uses, t.Store.report(now, t.kind))
		}
	}
	return uses
}

func (t *tierStore) report(now simtime.Time, kind simulator.TierKind) simulator.TierUse {
	t.use.Settle(now, t.Used())
	u := t.counts
	u.Kind, u.Blocks = kind, t.Blocks()
	u.PeakShare = float64(t.use.PeakUsed) / float64(t.Blocks())
	u.MeanShare = t.use.Mean(now.Sub(t.use.Since)) / float64(t.Blocks())
	return u
}

// listLinks lists the stations that belong to a replica.
func (r *Replica) listLinks(handing bool) {
	if l := r.Tiers; l != nil {
		r.links = append(r.links, link{name: "toHost", station: l.toHost}, link{name: "toGPU", station: l.toGPU})
		for _, t := range l.Tiers {
			if t.elsewhere {
				continue
			}
			r.links = append(r.links,
				link{name: t.kind.String() + ".read", station: t.read, shared: t.shared},
				link{name: t.kind.String() + ".write", station: t.write, shared: t.shared})
		}
	}
	if handing {
		r.links = append(r.links, link{name: "egress", station: r.Port.egress}, link{name: "ingress", station: r.Port.ingress})
	}
}
