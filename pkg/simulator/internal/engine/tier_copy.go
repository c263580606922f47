// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// copying is a transfer of blocks into a tier.
type copying struct {
	sending
	replica int32
	tier    int
	pending kv.Reservation
	id      transfer.ID
	// past says that it comes from GPU memory, past the tiers above, which had no room.
	past bool
	// source is one more than the number of the keep whose blocks are copied, 0 if
	// none.
	source int32
	// request is the ID of the request whose blocks are copied, or NoRequest.
	request int
	// pin holds the source in the tier above, where pinned.
	pinned bool
	pin    kv.Pin
	// shared says that both ends are tiers that several replicas have.
	shared bool
	// priority is that of the request; 0 of what was evicted or will be.
	priority int
	// holds says that a step waits for it, ahead that it copies what would be evicted next.
	holds, ahead bool
	blocks       int
}

// copyDown copies the blocks down that a request has filled, as far as the first tier
// lacks them: when its prompt is computed, and when it ends. One whose KV is not all here
// copies nothing.
func (l *tierSet) copyDown(id int32, q *request.Request) {
	if l.offload.Policy != simulator.OffloadEager || q.Incomplete {
		return
	}
	l.spans = l.Tiers[0].Store.Missing(l.spans[:0], q.Chain, 0, int(q.Computed)/l.replica.Cache.BlockTokens())
	l.copyFromGPU(l.spans, func(c *copying) {
		k := l.sourceOf(q, id)
		c.source, c.priority, c.request = q.Source, q.Info.Priority, q.Info.ID
		k.copies = append(k.copies, c)
	})
}

// copyFromGPU copies blocks that the first tier lacks to that tier, and what it has no
// room for straight to the next one, so that a small tier keeps nothing from a large one.
// prepare sees each copy before it starts.
func (l *tierSet) copyFromGPU(spans []kv.Span, prepare func(*copying)) {
	for k := range l.Tiers {
		if k > 0 {
			spans = l.Tiers[k].Store.MissingSpans(nil, l.Tiers[k-1].Store.MissingSpans(nil, spans))
		}
		if c := l.reserve(k, spans); c != nil {
			c.past = k > 0
			prepare(c)
			l.startCopy(c)
		}
	}
}

// reserve takes places in a tier for the first of some blocks, as many as there
// is room for, or returns nil where there is none. What it evicts goes on to the
// next tier, unless it is there already.
func (l *tierSet) reserve(tier int, spans []kv.Span) *copying {
	if len(spans) == 0 {
		return nil
	}
	t := &l.Tiers[tier]
	used := t.Store.Used()
	pending, taken, evicted := t.Store.Reserve(spans)
	t.Store.changed(l.replica.Now, used)
	if taken < kv.CountBlocks(spans) {
		t.Store.counts.RefusedBlocks += int64(kv.CountBlocks(t.Store.MissingSpans(nil, spans)))
	}
	t.Store.counts.EvictedBlocks += int64(kv.CountBlocks(evicted))
	if taken == 0 {
		return nil
	}
	c := l.newCopying()
	*c = copying{replica: l.replica.Index, tier: tier, pending: pending, blocks: taken, request: simulator.NoRequest}
	if l.offload.Policy != simulator.OffloadEager && tier+1 < len(l.Tiers) && len(evicted) > 0 {
		l.copyEvictedOn(tier+1, evicted)
	}
	return c
}

// copyEvictedOn sends blocks that a tier has evicted to the next one.
func (l *tierSet) copyEvictedOn(tier int, evicted []kv.Span) {
	missing := l.Tiers[tier].Store.MissingSpans(nil, evicted)
	if c := l.reserve(tier, missing); c != nil {
		l.startCopy(c)
	}
}

// startCopy puts a copy on its way.
func (l *tierSet) startCopy(c *copying) {
	source := l.toHost
	if c.tier > 0 && !c.past {
		source = l.Tiers[c.tier-1].read
		c.shared = l.Tiers[c.tier-1].shared && l.Tiers[c.tier].shared
	}
	t := &l.Tiers[c.tier]
	c.id = l.replica.Cluster.beginTransfer(l.replica.Fabric, 0, c, int64(c.blocks)*l.replica.blockBytes, source, t.write)
}

func (c *copying) land(in *Cluster, now simtime.Time) {
	r := &in.Replicas[c.replica]
	l := r.Tiers
	t := &l.Tiers[c.tier]
	t.arrived = t.arrived[:0]
	if l.offload.Policy == simulator.OffloadEager && c.tier+1 < len(l.Tiers) {
		t.arrived = t.Store.ReservedSpans(t.arrived, c.pending)
	}
	t.Store.Complete(c.pending, now, c.priority)
	t.Store.counts.StoredBlocks += int64(c.blocks)
	r.Exports.stored(t.kind, int64(c.blocks)*r.blockBytes)
	c.unpin(l)
	if len(t.arrived) > 0 {
		r.Tiers.copyOn(c, t.arrived)
	}
	if c.source > 0 {
		r.Tiers.copyEnded(c)
	}
	if c.ahead {
		l.endAhead(c)
	}
	if c.holds {
		l.endHold()
	}
	l.spare = append(l.spare, c)
}

// copyOn copies what has arrived in a tier to the next one.
func (l *tierSet) copyOn(c *copying, arrived []kv.Span) {
	next := &l.Tiers[c.tier+1]
	on := l.reserve(c.tier+1, next.Store.MissingSpans(nil, arrived))
	if on == nil {
		return
	}
	on.pin, on.pinned = l.Tiers[c.tier].Store.PinSpans(next.Store.ReservedSpans(nil, on.pending)), true
	on.priority, on.request = c.priority, c.request
	l.startCopy(on)
}

func (c *copying) unpin(l *tierSet) {
	if c.pinned {
		l.Tiers[c.tier-1].Store.Unpin(c.pin)
	}
}

func (c *copying) cancel(in *Cluster) {
	l := in.Replicas[c.replica].Tiers
	t := &l.Tiers[c.tier]
	used := t.Store.Used()
	t.Store.Cancel(c.pending)
	t.Store.changed(in.Now, used)
	c.unpin(l)
}

// of is nobody where both ends are shared.
func (c *copying) of() int32 {
	if c.shared {
		return simulator.NoReplica
	}
	return c.replica
}

func (c *copying) count(in *Cluster, n int) {
	if !c.shared {
		in.Replicas[c.replica].Port.transfers += n
	}
}

// newCopying returns a record, perhaps one that was used before.
func (l *tierSet) newCopying() *copying {
	if n := len(l.spare); n > 0 {
		c := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return c
	}
	return &copying{}
}

var tierPlaces = [simulator.TierKinds]string{simulator.CPUTier: simulator.CPUPlace, simulator.StorageTier: simulator.StoragePlace}

func (c *copying) describe(in *Cluster) simulator.Transfer {
	tiers := in.Replicas[c.replica].Tiers.Tiers
	from := simulator.GPUPlace
	if c.tier > 0 && !c.past {
		from = tierPlaces[tiers[c.tier-1].kind]
	}
	return simulator.Transfer{
		Reason: simulator.OffloadTransfer, Request: c.request,
		From: int(c.replica), To: int(c.replica), FromTier: from, ToTier: tierPlaces[tiers[c.tier].kind],
	}
}
