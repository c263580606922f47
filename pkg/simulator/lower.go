// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// lower is the tiers below a replica's cache, fastest first.
type lower struct {
	tiers         []tier
	toHost, toGPU transfer.StationID
	offload       Offload
	// blank is how many GPU blocks OffloadThreshold keeps without content.
	blank int

	// keeps are numbered; parting are those whose requests have left, and spills
	// what is under way of what is to be emptied, in the order in which it began.
	keeps   []keep
	idle    []int32 // numbers to use again
	parting []int32
	spills  []*copying
	spare   []*copying // records to use again

	found []part    // scratch
	spans []kv.Span // scratch
}

// tier is a replica's access to one tier, which may be others' too.
type tier struct {
	kind        TierKind
	shared      bool // by the pool
	elsewhere   bool // and told of with its first replica
	stock       *stock
	read, write transfer.StationID
	arrived     []kv.Span // scratch
}

// part is consecutive blocks of a text that a tier has.
type part struct {
	tier     int
	from, to int
}

// find lists where the blocks of a text are from one on up to the first that is
// nowhere, or to a limit: each in the fastest tier that has it.
func (l *lower) find(chain []prompt.Stretch, from, limit int) {
	l.found = l.found[:0]
	for from < limit {
		to := limit
		k := 0
		for ; k < len(l.tiers); k++ {
			if n := l.tiers[k].stock.Run(chain, from, to); n > 0 {
				to = from + n
				break
			}
			to = from + l.tiers[k].stock.Absent(chain, from, to)
		}
		if k == len(l.tiers) {
			return
		}
		l.found = append(l.found, part{tier: k, from: from, to: to})
		from = to
	}
}

// frees says whether blocks of the cache are about to be freed by themselves.
func (l *lower) frees() bool { return len(l.parting)+len(l.spills) > 0 }

// touch makes a request's blocks the last to leave their tiers.
func (l *lower) touch(r *replica, q *request) {
	for k := range l.tiers {
		l.tiers[k].stock.Touch(q.chain, int(q.total)/r.cache.BlockTokens(), q.info.Priority)
	}
}

// startOrLoad starts a request, or brings here what lower tiers have of its
// prompt beyond what the cache has.
func (s *simulation) startOrLoad(r *replica, q *request, budget int32) bool {
	l, block := r.lower, r.cache.BlockTokens()
	cached := s.match(r, q)
	l.find(q.chain, int(cached)/block, int(q.total-1)/block)
	if len(l.found) == 0 {
		if !s.start(r, q, cached, budget) {
			return false
		}
		l.touch(r, q)
		return true
	}
	tokens := l.found[len(l.found)-1].to * block
	reserve := tokens
	if r.reserve {
		reserve = int(q.total)
	}
	blocks, ok := s.allot(r, kv.Admission{
		Chain: q.chain, Cached: int(cached), Tokens: tokens, Reserve: reserve, Withheld: true, Priority: q.info.Priority,
	})
	if !ok {
		return false
	}
	q.blocks, q.computed, q.chunk = blocks, int32(tokens), 0
	q.phase, q.loading = phaseLoading, s.now
	r.port.loading++
	if !q.scheduled {
		q.cached, q.tierTokens = cached, [TierKinds]int32{}
		for _, p := range l.found {
			q.tierTokens[l.tiers[p.tier].kind] += int32((p.to - p.from) * block)
		}
	}
	s.load(r, q, r.waiting.front())
	l.touch(r, q)
	return true
}

// load brings the blocks that find has listed into the cache: one transfer from
// each tier.
func (s *simulation) load(r *replica, q *request, id int32) {
	l := r.lower
	since := simtime.Time(math.MaxInt64)
	if window := l.offload.ThrashWindow; window > 0 {
		since = s.now.Add(-window)
	}
	for k := range l.tiers {
		t := &l.tiers[k]
		d := &load{replica: r.index, request: id, tier: k}
		blocks := 0
		for _, p := range l.found {
			if p.tier != k {
				continue
			}
			t.stock.counts.ThrashedBlocks += int64(t.stock.Stored(q.chain, p.from, p.to, since))
			d.pins = append(d.pins, t.stock.Pin(q.chain, p.from, p.to))
			blocks += p.to - p.from
		}
		if blocks == 0 {
			continue
		}
		t.stock.counts.LoadedBlocks += int64(blocks)
		q.loads++
		s.beginTransfer(r.fabric, 0, d, int64(blocks)*r.blockBytes, t.read, l.toGPU)
	}
}

// load is a transfer from a tier to a request's blocks.
type load struct {
	replica, request int32
	tier             int
	pins             []kv.Pin
}

func (d *load) unpin(r *replica) {
	// The last block first, so that the first one is the youngest.
	for _, p := range slices.Backward(d.pins) {
		r.lower.tiers[d.tier].stock.Unpin(p)
	}
}

func (d *load) land(s *simulation, now simtime.Time) {
	r, q := &s.replicas[d.replica], &s.requests.all[d.request]
	d.unpin(r)
	q.loads--
	if q.loads > 0 {
		return
	}
	r.cache.Publish(q.blocks)
	s.metrics.loaded(now, q)
	s.resumeLater(r, d.request)
}

func (d *load) cancel(s *simulation) { d.unpin(&s.replicas[d.replica]) }
func (d *load) of() int32            { return d.replica }

func (d *load) count(s *simulation, n int) { s.replicas[d.replica].port.transfers += n }
