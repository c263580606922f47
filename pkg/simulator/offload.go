// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// keep is a request's blocks that are being copied: they stay until that is
// done, even when the request has ended, but not when it is preempted.
type keep struct {
	number  int32
	request int32
	copies  []*copying
	// over says that the request has given them up, drop that their content is
	// to go with them.
	over, drop bool
	blocks     kv.Sequence
	chain      []prompt.Stretch
}

// copying is a transfer of blocks into a tier.
type copying struct {
	replica int32
	tier    int
	pending kv.Pending
	id      transfer.ID
	// keep is one more than the number of the keep whose blocks are copied, 0 if
	// none.
	keep int32
	// pin holds the source in the tier above, where pinned.
	pinned bool
	pin    kv.Pin
	// shared says that both ends are tiers that several replicas have.
	shared bool
	// priority is that of the request; 0 of what was evicted or spilled.
	priority int
	// holds says that a step waits for it; spill is what is emptied then, if
	// spills.
	holds, spills bool
	spill         kv.Spill
	blocks        int
}

// copyDown copies the blocks that a request has filled to the first tier, as far
// as that lacks them: when its prompt is computed, and when it ends. One whose KV
// is not all here copies nothing.
func (s *simulation) copyDown(r *replica, id int32, q *request) {
	l := r.lower
	if l == nil || l.offload.Policy != OffloadEager || q.incomplete {
		return
	}
	l.spans = l.tiers[0].stock.Missing(l.spans[:0], q.chain, 0, int(q.computed)/r.cache.BlockTokens())
	c := s.reserve(r, 0, l.spans)
	if c == nil {
		return
	}
	k := l.keepOf(q, id)
	c.keep, c.priority = q.keep, q.info.Priority
	k.copies = append(k.copies, c)
	s.copy(r, c)
}

// reserve takes places in a tier for the first of some blocks, as many as there
// is room for, or returns nil where there is none. What it evicts goes on to the
// next tier, unless it is there already.
func (s *simulation) reserve(r *replica, tier int, spans []kv.Span) *copying {
	if len(spans) == 0 {
		return nil
	}
	t := &r.lower.tiers[tier]
	used := t.stock.Used()
	pending, taken, evicted := t.stock.Reserve(spans)
	t.stock.changed(s.now, used)
	if taken < kv.CountBlocks(spans) {
		t.stock.counts.RefusedBlocks += int64(kv.CountBlocks(t.stock.MissingOf(nil, spans)))
	}
	t.stock.counts.EvictedBlocks += int64(kv.CountBlocks(evicted))
	if taken == 0 {
		return nil
	}
	c := r.lower.newCopying()
	*c = copying{replica: r.index, tier: tier, pending: pending, blocks: taken}
	if r.lower.offload.Policy != OffloadEager && tier+1 < len(r.lower.tiers) && len(evicted) > 0 {
		s.pass(r, tier+1, evicted)
	}
	return c
}

// pass sends blocks that a tier has evicted to the next one.
func (s *simulation) pass(r *replica, tier int, evicted []kv.Span) {
	missing := r.lower.tiers[tier].stock.MissingOf(nil, evicted)
	if c := s.reserve(r, tier, missing); c != nil {
		s.copy(r, c)
	}
}

// copy puts a copy on its way.
func (s *simulation) copy(r *replica, c *copying) {
	l := r.lower
	source := l.toHost
	if c.tier > 0 {
		source = l.tiers[c.tier-1].read
		c.shared = l.tiers[c.tier-1].shared && l.tiers[c.tier].shared
	}
	t := &l.tiers[c.tier]
	c.id = s.beginTransfer(r.fabric, 0, c, int64(c.blocks)*r.blockBytes, source, t.write)
}

func (c *copying) land(s *simulation, now simtime.Time) {
	r := &s.replicas[c.replica]
	l := r.lower
	t := &l.tiers[c.tier]
	t.arrived = t.arrived[:0]
	if l.offload.Policy == OffloadEager && c.tier+1 < len(l.tiers) {
		t.arrived = t.stock.Spans(t.arrived, c.pending)
	}
	t.stock.Arrive(c.pending, now, c.priority)
	t.stock.counts.StoredBlocks += int64(c.blocks)
	c.unpin(l)
	if len(t.arrived) > 0 {
		s.copyOn(r, c, t.arrived)
	}
	if c.keep > 0 {
		s.copied(r, c)
	}
	if c.spills {
		used := r.cache.Used()
		s.endSpill(r, c)
		s.vacated(r, used)
	}
	if c.holds {
		step := *r.held
		r.held = nil
		s.begin(r, step)
		s.moved(r)
	}
	l.spare = append(l.spare, c)
}

// newCopying returns a record, perhaps one that was used before.
func (l *lower) newCopying() *copying {
	if n := len(l.spare); n > 0 {
		c := l.spare[n-1]
		l.spare = l.spare[:n-1]
		return c
	}
	return &copying{}
}

func (c *copying) unpin(l *lower) {
	if c.pinned {
		l.tiers[c.tier-1].stock.Unpin(c.pin)
	}
}

func (c *copying) cancel(s *simulation) {
	l := s.replicas[c.replica].lower
	t := &l.tiers[c.tier]
	used := t.stock.Used()
	t.stock.Cancel(c.pending)
	t.stock.changed(s.now, used)
	c.unpin(l)
}

// of is nobody where both ends are shared.
func (c *copying) of() int32 {
	if c.shared {
		return noReplica
	}
	return c.replica
}

// copyOn copies what has arrived in a tier to the next one.
func (s *simulation) copyOn(r *replica, c *copying, arrived []kv.Span) {
	next := &r.lower.tiers[c.tier+1]
	on := s.reserve(r, c.tier+1, next.stock.MissingOf(nil, arrived))
	if on == nil {
		return
	}
	on.pin, on.pinned = r.lower.tiers[c.tier].stock.PinSpans(next.stock.Spans(nil, on.pending)), true
	on.priority = c.priority
	s.copy(r, on)
}

func (c *copying) count(s *simulation, n int) {
	if !c.shared {
		s.replicas[c.replica].port.transfers += n
	}
}

// keepOf returns the keep of a request.
func (l *lower) keepOf(q *request, id int32) *keep {
	if q.keep > 0 {
		return &l.keeps[q.keep-1]
	}
	if n := len(l.idle); n > 0 {
		q.keep = l.idle[n-1] + 1
		l.idle = l.idle[:n-1]
	} else {
		l.keeps = append(l.keeps, keep{})
		q.keep = int32(len(l.keeps))
	}
	k := &l.keeps[q.keep-1]
	*k = keep{number: q.keep - 1, request: id, copies: k.copies[:0], chain: k.chain[:0]}
	return k
}

// keepOn keeps the blocks of a request that gives them up until they have been
// copied.
func (l *lower) keepOn(q *request, drop bool) {
	k := &l.keeps[q.keep-1]
	k.over, k.drop, k.blocks = true, drop, q.blocks
	l.parting = append(l.parting, k.number)
	// The chain lives as long as the blocks.
	q.keep = 0
	k.chain, q.chain = q.chain, k.chain[:0]
}

// copied ends a copy of a request's blocks.
func (s *simulation) copied(r *replica, c *copying) {
	l := r.lower
	k := &l.keeps[c.keep-1]
	k.copies = slices.DeleteFunc(k.copies, func(o *copying) bool { return o == c })
	if len(k.copies) > 0 {
		return
	}
	if !k.over {
		s.requests.all[k.request].keep = 0
		l.idle = append(l.idle, k.number)
		return
	}
	used := r.cache.Used()
	s.part(r, k.number)
	s.vacated(r, used)
}

// part frees the blocks that a request has left, now that nobody copies them.
func (s *simulation) part(r *replica, number int32) {
	l := r.lower
	k := &l.keeps[number]
	l.parting = slices.DeleteFunc(l.parting, func(other int32) bool { return other == number })
	l.idle = append(l.idle, number)
	if k.drop {
		r.cache.Discard(k.blocks)
		return
	}
	r.cache.Release(k.blocks)
}

// cancelCopies takes back the copies of a request's blocks that are under way.
func (s *simulation) cancelCopies(r *replica, q *request) {
	l := r.lower
	for _, c := range l.keeps[q.keep-1].copies {
		s.abort(r.fabric, c.id)
		c.cancel(s)
	}
	l.idle = append(l.idle, q.keep-1)
	q.keep = 0
}

// watches says whether a step that opens so many blocks is one that follow may
// have to do with.
func (l *lower) watches(r *replica, needs int) bool {
	switch l.offload.Policy {
	case OffloadLazy:
		return needs > 0 || r.cache.HasEvicted()
	case OffloadThreshold:
		return needs > 0 || l.wanted(r) > 0
	default:
		return false
	}
}

// wanted is how many more blocks OffloadThreshold wants without content.
func (l *lower) wanted(r *replica) int { return l.blank - r.cache.Blank() - r.cache.Spilling() }

// follow copies down what the forming of a step has evicted, or is about to, and
// says whether the step has to wait for it.
func (s *simulation) follow(r *replica, step latency.Step) bool {
	switch r.lower.offload.Policy {
	case OffloadLazy:
		return s.copyEvicted(r, step)
	case OffloadThreshold:
		s.spill(r)
	}
	return false
}

// copyEvicted copies down what the step is about to write over.
func (s *simulation) copyEvicted(r *replica, step latency.Step) bool {
	l := r.lower
	l.spans = r.cache.Evicted(l.spans[:0])
	if len(l.spans) == 0 {
		return false
	}
	c := s.reserve(r, 0, l.tiers[0].stock.MissingOf(nil, l.spans))
	if c == nil {
		return false
	}
	c.holds = step.Sequences > 0
	if c.holds {
		r.held = &step
	}
	s.copy(r, c)
	return c.holds
}

// spill moves the blocks down that would be evicted next, once too few are
// blank.
func (s *simulation) spill(r *replica) {
	l := r.lower
	want := l.wanted(r)
	if want <= 0 {
		return
	}
	var spilled kv.Spill
	spilled, l.spans = r.cache.Spill(want, l.spans[:0])
	c := s.reserve(r, 0, l.tiers[0].stock.MissingOf(nil, l.spans))
	if c == nil {
		r.cache.Drop(spilled)
		return
	}
	c.spills, c.spill = true, spilled
	l.spills = append(l.spills, c)
	s.copy(r, c)
}

// endSpill empties the blocks that were spilled.
func (s *simulation) endSpill(r *replica, c *copying) {
	r.lower.spills = slices.DeleteFunc(r.lower.spills, func(o *copying) bool { return o == c })
	r.cache.Drop(c.spill)
}
