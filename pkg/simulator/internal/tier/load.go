// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Load brings the blocks that Find found into the cache: one transfer from each tier.
func (l *Set) Load(q *request.Request, id int32) {
	since := simtime.Time(math.MaxInt64)
	if window := l.owner.Pool.Tiers.Offload.ThrashWindow; window > 0 {
		since = l.Now.Add(-window)
	}
	for k := range l.levels {
		t := &l.levels[k]
		d := &load{Set: l, request: id, tier: k}
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
		l.Loaded[t.kind] += l.bytes(blocks)
		q.Loads++
		l.owner.Fabric.Begin(l.Now, 0, d, l.bytes(blocks), t.read, l.toGPU)
	}
}

// CancelLoads takes back what is on its way from the tiers to a request.
func (l *Set) CancelLoads(id int32) {
	l.owner.Fabric.Fail(l.Now, func(t network.Transfer) bool { d, ok := t.(*load); return ok && d.request == id })
}

// load is a transfer from a tier to a request's blocks.
type load struct {
	*Set
	request int32
	tier    int
	pins    []kv.Pin
}

// Land implements [network.Transfer].
func (d *load) Land(now simtime.Time) {
	q := &d.Requests.All[d.request]
	d.unpin()
	q.Loads--
	if q.Loads > 0 {
		return
	}
	d.cache.Publish(q.Blocks)
	d.Metrics.Loaded(now, q)
	d.owner.Resume(d.request)
}

func (d *load) unpin() {
	// The last block first, so that the first one is the youngest.
	for _, p := range slices.Backward(d.pins) {
		d.levels[d.tier].store.Unpin(p)
	}
}

// Cancel implements [network.Transfer].
func (d *load) Cancel(simtime.Time) { d.unpin() }

// Replica implements [network.Transfer].
func (d *load) Replica() int32 { return d.owner.Replica }

// Count implements [network.Transfer].
func (d *load) Count(n int) { d.owner.Links.UnderWay += n }

// Describe implements [network.Transfer].
func (d *load) Describe() simulator.Transfer {
	return simulator.Transfer{
		Reason: simulator.ReloadTransfer, Request: d.Requests.All[d.request].Info.ID,
		From: int(d.owner.Replica), To: int(d.owner.Replica), FromTier: places[d.levels[d.tier].kind], ToTier: simulator.GPUPlace,
	}
}
