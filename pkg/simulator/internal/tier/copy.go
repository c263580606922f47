// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// copies are what a replica copies into its tiers.
type copies struct {
	*run.State
	owner Owner
	cache *kv.Cache
	levels
	toHost transfer.StationID
	policy simulator.OffloadPolicy

	sources sources
	// landed hears of copies that have arrived.
	landed func(*copying)
	// Stored is the bytes that have arrived in each tier since the replica started.
	Stored [simulator.TierKinds]int64

	spare []*copying // records to use again
	spans []kv.Span  // scratch
}

// CopyDown copies the blocks down that a request has filled, as far as the first tier
// lacks them: when its prompt is computed, and when it ends. One whose KV is not all here
// copies nothing.
func (l *copies) CopyDown(id int32, q *request.Request) {
	if l.policy != simulator.OffloadEager || q.Incomplete() {
		return
	}
	l.spans = l.levels[0].store.Missing(l.spans[:0], q.Chain, 0, int(q.Computed)/l.cache.BlockTokens())
	l.copyFromGPU(l.spans, func(c *copying) {
		k := l.sources.of(q, id)
		c.source, c.priority, c.request = q.Source, q.Info.Priority, q.Info.ID
		k.copies = append(k.copies, c)
	})
}

// copyFromGPU copies blocks that the first tier lacks to that tier, and what it has no
// room for straight to the next one, so that a small tier keeps nothing from a large one.
// prepare sees each copy before it starts.
func (l *copies) copyFromGPU(spans []kv.Span, prepare func(*copying)) {
	for k := range l.levels {
		if k > 0 {
			spans = l.missing(k, l.missing(k-1, spans))
		}
		if c := l.reserve(k, spans); c != nil {
			c.past = k > 0
			prepare(c)
			l.startCopy(c)
		}
	}
}

// reserve takes places in a tier for the first of some blocks, as many as there
// is room for, or returns nil if there is none. What it evicts goes on to the
// next tier, unless it is there already.
func (l *copies) reserve(tier int, spans []kv.Span) *copying {
	if len(spans) == 0 {
		return nil
	}
	t := l.levels[tier].store
	used := t.Used()
	pending, taken, evicted := t.Reserve(spans)
	t.changed(l.Now, used)
	if taken < kv.CountBlocks(spans) {
		t.counts.RefusedBlocks += int64(kv.CountBlocks(t.MissingSpans(nil, spans)))
	}
	t.counts.EvictedBlocks += int64(kv.CountBlocks(evicted))
	if taken == 0 {
		return nil
	}
	c := l.newCopying()
	*c = copying{copies: l, tier: tier, pending: pending, blocks: taken, request: simulator.NoRequest}
	if l.policy != simulator.OffloadEager && tier+1 < len(l.levels) && len(evicted) > 0 {
		l.copyEvictedOn(tier+1, evicted)
	}
	return c
}

// copyEvictedOn sends blocks that a tier has evicted to the next one.
func (l *copies) copyEvictedOn(tier int, evicted []kv.Span) {
	if c := l.reserve(tier, l.missing(tier, evicted)); c != nil {
		l.startCopy(c)
	}
}

// newCopying returns a record, perhaps one that was used before.
func (l *copies) newCopying() *copying {
	if n := len(l.spare); n > 0 {
		c := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return c
	}
	return &copying{}
}

// startCopy puts a copy on its way.
func (l *copies) startCopy(c *copying) {
	source, t := l.toHost, &l.levels[c.tier]
	if c.tier > 0 && !c.past {
		above := &l.levels[c.tier-1]
		source, c.shared = above.read, above.shared && t.shared
	}
	c.id = l.owner.Fabric.Begin(l.Now, 0, c, l.bytes(c.blocks), source, t.write)
}

// Land implements [network.Transfer].
func (c *copying) Land(now simtime.Time) {
	t := &c.levels[c.tier]
	t.arrived = t.arrived[:0]
	if c.policy == simulator.OffloadEager && c.tier+1 < len(c.levels) {
		t.arrived = t.store.ReservedSpans(t.arrived, c.pending)
	}
	t.store.Complete(c.pending, now, c.priority)
	t.store.counts.StoredBlocks += int64(c.blocks)
	c.Stored[t.kind] += c.bytes(c.blocks)
	c.unpin()
	if len(t.arrived) > 0 {
		c.copyOn(t.arrived)
	}
	if c.source > 0 {
		c.copied(c)
	}
	c.landed(c)
	c.spare = append(c.spare, c)
}

// copyOn copies what has arrived in a tier to the next one.
func (c *copying) copyOn(arrived []kv.Span) {
	next := c.levels[c.tier+1].store
	on := c.reserve(c.tier+1, next.MissingSpans(nil, arrived))
	if on == nil {
		return
	}
	on.pin, on.pinned = c.levels[c.tier].store.PinSpans(next.ReservedSpans(nil, on.pending)), true
	on.priority, on.request = c.priority, c.request
	c.startCopy(on)
}

func (c *copying) unpin() {
	if c.pinned {
		c.levels[c.tier-1].store.Unpin(c.pin)
	}
}

// Cancel implements [network.Transfer].
func (c *copying) Cancel(now simtime.Time) {
	t := c.levels[c.tier].store
	used := t.Used()
	t.Cancel(c.pending)
	t.changed(now, used)
	c.unpin()
}

// Replica implements [network.Transfer]. A copy between shared tiers fails with no replica.
func (c *copying) Replica() int32 {
	if c.shared {
		return simulator.NoReplica
	}
	return c.owner.Replica
}

// Count implements [network.Transfer].
func (c *copying) Count(n int) {
	if !c.shared {
		c.owner.Links.UnderWay += n
	}
}

var places = [simulator.TierKinds]string{simulator.CPUTier: simulator.CPUPlace, simulator.StorageTier: simulator.StoragePlace}

// Describe implements [network.Transfer].
func (c *copying) Describe() simulator.Transfer {
	from := simulator.GPUPlace
	if c.tier > 0 && !c.past {
		from = places[c.levels[c.tier-1].kind]
	}
	return simulator.Transfer{
		Reason: simulator.OffloadTransfer, Request: c.request,
		From: int(c.owner.Replica), To: int(c.owner.Replica), FromTier: from, ToTier: places[c.levels[c.tier].kind],
	}
}

// copied ends a copy of a request's blocks.
func (l *copies) copied(c *copying) {
	k := &l.sources.all[c.source-1]
	k.copies = slices.DeleteFunc(k.copies, func(o *copying) bool { return o == c })
	switch {
	case len(k.copies) > 0:
	case k.over:
		used := l.cache.Used()
		l.release(k)
		l.owner.BlocksReleased(used)
	default:
		l.Requests.All[k.request].Source = 0
		l.sources.forget(k.number)
	}
}

// release frees the blocks that a request has left, now that nothing copies them.
func (l *copies) release(k *source) {
	l.sources.forget(k.number)
	if k.drop {
		l.cache.Discard(k.blocks)
		return
	}
	l.cache.Release(k.blocks)
}

// Detach keeps the blocks of a request that gives them up until they have been copied.
// Then their content goes too, if it is to be dropped.
func (l *copies) Detach(q *request.Request, drop bool) { l.sources.detach(q, drop) }

// PassOn notes that the blocks of a source belong to another request from now on.
func (l *copies) PassOn(source, to int32) { l.sources.all[source-1].request = to }

// CancelCopies takes back the copies of a request's blocks that are under way.
func (l *copies) CancelCopies(q *request.Request) {
	l.cancelCopies(&l.sources.all[q.Source-1])
	l.sources.forget(q.Source - 1)
	q.Source = 0
}

func (l *copies) cancelCopies(k *source) {
	for _, c := range k.copies {
		l.owner.Fabric.Abort(l.Now, c.id)
		c.Cancel(l.Now)
	}
}

// EndLastCopies frees the blocks at once of the last request that left some to be
// copied.
func (l *copies) EndLastCopies() bool {
	last := len(l.sources.detached) - 1
	if last < 0 {
		return false
	}
	k := &l.sources.all[l.sources.detached[last]]
	l.cancelCopies(k)
	l.release(k)
	return true
}

// Frees says whether blocks of the cache are about to be freed by themselves.
func (l *copies) Frees() bool { return len(l.sources.detached) > 0 }

func (l *copies) bytes(blocks int) int64 { return int64(blocks) * l.owner.Pool.BlockBytes }
