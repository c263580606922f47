// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// Store is the blocks of a tier, with how full it was.
type Store struct {
	*kv.Tier
	use    measure.Use
	counts simulator.TierUse
}

// NewStore returns an empty store.
func NewStore(c *simulator.Tier) *Store { return &Store{Tier: kv.NewTier(c.Blocks, c.Eviction)} }

// renewed puts an empty store in the place of one that is lost, or of none.
func (t *Store) renewed(now simtime.Time, c *simulator.Tier) *Store {
	fresh := NewStore(c)
	if t == nil {
		return fresh
	}
	t.use.Changed(now, t.Used(), 0)
	t.Tier = fresh.Tier
	return t
}

// changed notes a new number of places in use.
func (t *Store) changed(now simtime.Time, before int) {
	if after := t.Used(); after != before {
		t.use.Changed(now, before, after)
	}
}

// restart begins the figures anew.
func (t *Store) restart(now simtime.Time) {
	t.use = measure.Use{Since: now, Settled: now, PeakUsed: t.Used()}
	t.counts = simulator.TierUse{}
}

func (t *Store) report(now simtime.Time, kind simulator.TierKind) simulator.TierUse {
	t.use.Settle(now, t.Used())
	u := t.counts
	u.Kind, u.Blocks = kind, t.Blocks()
	u.PeakShare = float64(t.use.PeakUsed) / float64(t.Blocks())
	u.MeanShare = t.use.Mean(now.Sub(t.use.Since)) / float64(t.Blocks())
	return u
}

// level is a replica's access to one tier, which may be others' too.
type level struct {
	kind        simulator.TierKind
	shared      bool // by the pool
	elsewhere   bool // and reported with its first replica
	store       *Store
	read, write transfer.StationID
	arrived     []kv.Span // scratch
}

// levels are the tiers of a replica, fastest first.
type levels []level

// span is consecutive blocks of a text that a tier has.
type span struct {
	tier     int
	from, to int
}

// find lists where the blocks of a text are from one on up to the first that is
// nowhere, or to a limit: each in the fastest tier that has it.
func (l levels) find(found []span, chain []prompt.Stretch, from, limit int) []span {
	for from < limit {
		to := limit
		k := 0
		for ; k < len(l); k++ {
			if n := l[k].store.Hits(chain, from, to); n > 0 {
				to = from + n
				break
			}
			to = from + l[k].store.Misses(chain, from, to)
		}
		if k == len(l) {
			break
		}
		found = append(found, span{tier: k, from: from, to: to})
		from = to
	}
	return found
}

// missing returns those of some blocks that a tier lacks.
func (l levels) missing(tier int, spans []kv.Span) []kv.Span {
	return l[tier].store.MissingSpans(nil, spans)
}
