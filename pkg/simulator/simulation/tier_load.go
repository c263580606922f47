// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// startOrLoad starts a request, or brings here what lower tiers have of its
// prompt beyond what the cache has.
func (l *tierSet) startOrLoad(q *request.Request, budget int32) bool {
	block := l.replica.cache.BlockTokens()
	cached := l.replica.match(q)
	l.find(q.Chain, int(cached)/block, int(q.Total-1)/block)
	if len(l.found) == 0 {
		if !l.replica.start(q, cached, budget) {
			return false
		}
		l.touch(l.replica, q)
		return true
	}
	tokens := l.found[len(l.found)-1].to * block
	reserve := tokens
	if l.replica.reserve {
		reserve = int(q.Total)
	}
	blocks, ok := l.replica.admitBlocks(kv.Admission{
		Chain: q.Chain, Cached: int(cached), Tokens: tokens, Reserve: reserve, Withheld: true, Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	q.Blocks, q.Computed, q.Chunk = blocks, int32(tokens), 0
	l.replica.exports.admit(l.replica.now, q, cached, int32(tokens)-cached)
	q.MoveTo(request.Loading)
	q.Loading = l.replica.now
	l.replica.port.loading++
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, [simulator.TierKinds]int32{}
		for _, p := range l.found {
			q.TierTokens[l.tiers[p.tier].kind] += int32((p.to - p.from) * block)
		}
	}
	l.load(q, l.replica.waiting.Front())
	l.touch(l.replica, q)
	return true
}

// load brings the blocks that find has listed into the cache: one transfer from
// each tier.
func (l *tierSet) load(q *request.Request, id int32) {
	since := simtime.Time(math.MaxInt64)
	if window := l.offload.ThrashWindow; window > 0 {
		since = l.replica.now.Add(-window)
	}
	for k := range l.tiers {
		t := &l.tiers[k]
		d := &load{replica: l.replica.index, request: id, tier: k}
		blocks := 0
		for _, p := range l.found {
			if p.tier != k {
				continue
			}
			t.store.counts.ThrashedBlocks += int64(t.store.StoredSince(q.Chain, p.from, p.to, since))
			d.pins = append(d.pins, t.store.Pin(q.Chain, p.from, p.to))
			blocks += p.to - p.from
		}
		if blocks == 0 {
			continue
		}
		t.store.counts.LoadedBlocks += int64(blocks)
		l.replica.exports.loaded(t.kind, int64(blocks)*l.replica.blockBytes)
		q.Loads++
		l.replica.cluster.beginTransfer(l.replica.fabric, 0, d, int64(blocks)*l.replica.blockBytes, t.read, l.toGPU)
	}
}

// load is a transfer from a tier to a request's blocks.
type load struct {
	sending
	replica, request int32
	tier             int
	pins             []kv.Pin
}

func (d *load) unpin(r *replica) {
	// The last block first, so that the first one is the youngest.
	for _, p := range slices.Backward(d.pins) {
		r.tiers.tiers[d.tier].store.Unpin(p)
	}
}

func (d *load) land(c *cluster, now simtime.Time) {
	r, q := &c.replicas[d.replica], &c.requests.All[d.request]
	d.unpin(r)
	q.Loads--
	if q.Loads > 0 {
		return
	}
	r.cache.Publish(q.Blocks)
	c.metrics.Loaded(now, q)
	r.resumeLater(d.request)
}

func (d *load) cancel(c *cluster) { d.unpin(&c.replicas[d.replica]) }

func (d *load) of() int32 { return d.replica }

func (d *load) count(c *cluster, n int) { c.replicas[d.replica].port.transfers += n }
