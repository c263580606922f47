// SPDX-License-Identifier: Apache-2.0

package engine

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
	block := l.replica.Cache.BlockTokens()
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
	l.replica.Exports.admit(l.replica.Now, q, cached, int32(tokens)-cached)
	q.MoveTo(request.Loading)
	q.Loading = l.replica.Now
	l.replica.Port.Loading++
	if !q.Scheduled() {
		q.Cached, q.TierTokens = cached, [simulator.TierKinds]int32{}
		for _, p := range l.found {
			q.TierTokens[l.Tiers[p.tier].kind] += int32((p.to - p.from) * block)
		}
	}
	l.load(q, l.replica.Waiting.Front())
	l.touch(l.replica, q)
	return true
}

// load brings the blocks that find has listed into the cache: one transfer from
// each tier.
func (l *tierSet) load(q *request.Request, id int32) {
	since := simtime.Time(math.MaxInt64)
	if window := l.offload.ThrashWindow; window > 0 {
		since = l.replica.Now.Add(-window)
	}
	for k := range l.Tiers {
		t := &l.Tiers[k]
		d := &load{replica: l.replica.Index, request: id, tier: k}
		blocks := 0
		for _, p := range l.found {
			if p.tier != k {
				continue
			}
			t.Store.counts.ThrashedBlocks += int64(t.Store.StoredSince(q.Chain, p.from, p.to, since))
			d.pins = append(d.pins, t.Store.Pin(q.Chain, p.from, p.to))
			blocks += p.to - p.from
		}
		if blocks == 0 {
			continue
		}
		t.Store.counts.LoadedBlocks += int64(blocks)
		l.replica.Exports.loaded(t.kind, int64(blocks)*l.replica.blockBytes)
		q.Loads++
		l.replica.Cluster.beginTransfer(l.replica.Fabric, 0, d, int64(blocks)*l.replica.blockBytes, t.read, l.toGPU)
	}
}

// load is a transfer from a tier to a request's blocks.
type load struct {
	sending
	replica, request int32
	tier             int
	pins             []kv.Pin
}

func (d *load) unpin(r *Replica) {
	// The last block first, so that the first one is the youngest.
	for _, p := range slices.Backward(d.pins) {
		r.Tiers.Tiers[d.tier].Store.Unpin(p)
	}
}

func (d *load) land(c *Cluster, now simtime.Time) {
	r, q := &c.Replicas[d.replica], &c.Requests.All[d.request]
	d.unpin(r)
	q.Loads--
	if q.Loads > 0 {
		return
	}
	r.Cache.Publish(q.Blocks)
	c.Metrics.Loaded(now, q)
	r.resumeLater(d.request)
}

func (d *load) cancel(c *Cluster) { d.unpin(&c.Replicas[d.replica]) }

func (d *load) of() int32 { return d.replica }

func (d *load) count(c *Cluster, n int) { c.Replicas[d.replica].Port.transfers += n }

func (d *load) describe(c *Cluster) simulator.Transfer {
	kind := c.Replicas[d.replica].Tiers.Tiers[d.tier].kind
	return simulator.Transfer{
		Reason: simulator.ReloadTransfer, Request: c.Requests.All[d.request].Info.ID,
		From: int(d.replica), To: int(d.replica), FromTier: tierPlaces[kind], ToTier: simulator.GPUPlace,
	}
}
