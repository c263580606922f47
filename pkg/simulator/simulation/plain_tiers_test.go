// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
)

// plainTier is a tier below a GPU: its blocks by identity, each on its own.
type plainTier struct {
	*simulator.Tier
	read, write transfer.StationID
	blocks      map[uint64]*plainBlock
	uses        int64 // numbers the uses
	occupied    measure.Use
	counts      simulator.TierUse
}

// plainBlock is a block in a tier. It is pending while its content is on the way.
type plainBlock struct {
	plainContent
	pending  bool
	pins     int
	uses     int
	recency  int64
	storedAt simtime.Time
}

// plainContent is what a block is to hold.
type plainContent struct {
	identity uint64
	priority int
}

// plainTransfer is in flight. arrive is what happens when it ends, undo when it
// is cancelled.
type plainTransfer struct {
	id           transfer.ID
	route        []transfer.StationID
	arrive, undo func()
	begun        simtime.Time
	bytes        int64
	copies       []uint64 // blocks into a tier
}

// addStations lays the network. One will do for all: what does not meet does not
// mind.
func (p *plain) addStations() {
	p.network = transfer.New()
	p.transfers = map[transfer.ID]*plainTransfer{}
	for _, r := range p.replicas {
		r.tiers = make([]*plainTier, len(r.Tiers.Lower))
		if len(r.tiers) == 0 {
			continue
		}
		r.toHost, r.toGPU = p.network.Add(r.Tiers.ToHost), p.network.Add(r.Tiers.ToGPU)
		r.own = append(r.own, r.toHost, r.toGPU)
		for k := range r.tiers {
			if tier := &r.Tiers.Lower[k]; !r.shares(tier) {
				r.tiers[k] = p.newTier(tier)
				r.own = append(r.own, r.tiers[k].read, r.tiers[k].write)
			}
		}
	}
	p.addSharedTiers()
	if p.Handoff.Egress.BytesPerSecond == 0 {
		return
	}
	for _, r := range p.replicas {
		r.egress, r.ingress = p.network.Add(p.Handoff.Egress), p.network.Add(p.Handoff.Ingress)
		r.own = append(r.own, r.egress, r.ingress)
	}
}

func (p *plain) addSharedTiers() {
	for i := range p.Pools {
		for k := range p.Pools[i].Tiers.Lower {
			tier := &p.Pools[i].Tiers.Lower[k]
			if !tier.Shared || max(p.Pools[i].Replicas, p.Pools[i].MaxReplicas) < 2 {
				continue
			}
			shared := p.newTier(tier)
			for _, r := range p.replicas {
				if r.pool == i {
					r.tiers[k] = shared
				}
			}
		}
	}
}

// shares says whether a tier is others' too.
func (r *plainReplica) shares(tier *simulator.Tier) bool {
	return tier.Shared && max(r.Replicas, r.MaxReplicas) > 1
}

func (p *plain) newTier(tier *simulator.Tier) *plainTier {
	return &plainTier{
		Tier: tier, read: p.network.Add(tier.Read), write: p.network.Add(tier.Write), blocks: map[uint64]*plainBlock{},
	}
}

// transmit sends blocks of a replica on their way.
func (p *plain) transmit(r *plainReplica, blocks int, arrive, undo func(), route ...transfer.StationID) *plainTransfer {
	return p.transmitAfter(r, 0, blocks, arrive, undo, route...)
}

// transmitAfter lets them wait first.
func (p *plain) transmitAfter(
	r *plainReplica, wait time.Duration, blocks int, arrive, undo func(), route ...transfer.StationID,
) *plainTransfer {
	t := &plainTransfer{route: route, arrive: arrive, undo: undo, begun: p.now, bytes: int64(blocks) * r.BlockBytes}
	t.id = p.network.StartAfter(p.now, wait, t.bytes, route...)
	p.transfers[t.id] = t
	return t
}

func (p *plain) cancel(t *plainTransfer) {
	p.network.Cancel(p.now, t.id)
	delete(p.transfers, t.id)
	if t.undo != nil {
		t.undo()
	}
}

func (p *plain) endTransfers() {
	for _, done := range p.network.Advance(p.now) {
		if t, ok := p.transfers[done.ID]; ok {
			delete(p.transfers, done.ID)
			p.tellTransfer(t)
			t.arrive()
		}
	}
}

// crosses says whether a transfer uses one of the replica's own stations.
func (r *plainReplica) crosses(t *plainTransfer) bool {
	return slices.ContainsFunc(t.route, func(at transfer.StationID) bool { return slices.Contains(r.own, at) })
}

// congestion is what a scrape shows of the replica's transfers.
func (p *plain) congestion(r *plainReplica, at simtime.Time) (transfers int, delay time.Duration) {
	for _, t := range p.transfers {
		if r.crosses(t) {
			transfers++
		}
	}
	for _, station := range r.own {
		delay = max(delay, p.network.Load(at, station).Delay)
	}
	return transfers, delay
}

// below returns the blocks that tiers have of those that follow the request's
// first cached tokens, by tier; nothing where there are none.
func (p *plain) below(r *plainReplica, q *plainRequest, cached int32) [][]uint64 {
	held := make([][]uint64, len(r.tiers))
	found := false
	limit := int(q.Total-1) / r.BlockTokens
	for i := int(cached) / r.BlockTokens; i < limit && r.PrefixCaching; i++ {
		k := slices.IndexFunc(r.tiers, func(t *plainTier) bool { return t.present(q.identities[i]) })
		if k < 0 {
			break
		}
		held[k] = append(held[k], q.identities[i])
		found = true
	}
	if !found {
		return nil
	}
	return held
}

func (t *plainTier) present(identity uint64) bool {
	b, ok := t.blocks[identity]
	return ok && !b.pending
}

// load admits a request whose next blocks lie in tiers, and lets them come.
func (p *plain) load(r *plainReplica, q *plainRequest, cached int32, held [][]uint64) bool {
	tokens := cached
	for _, blocks := range held {
		tokens += int32(len(blocks) * r.BlockTokens)
	}
	reserve := tokens
	if r.ReserveFullPrompt {
		reserve = q.Total
	}
	sequence, ok := r.allot(p.now, kvtest.Admission{
		Chain: q.identities, Cached: int(cached), Tokens: int(tokens), Reserve: int(reserve),
		Withheld: true, Priority: q.Info.Priority,
	})
	if !ok {
		return false
	}
	r.waiting = r.waiting[1:]
	r.loading = append(r.loading, q)
	q.sequence = sequence
	r.noteAdmission(p.now, q, cached, tokens-cached)
	p.noteHits(r, q, cached, held)
	began := p.now
	for k, blocks := range held {
		if len(blocks) > 0 {
			p.loadFrom(r, r.tiers[k], q, blocks, func() { p.loaded(r, q, tokens, began) })
		}
	}
	p.touch(r, q)
	return true
}

// loadFrom lets blocks come from one tier, and calls last when all that the
// request waits for have come.
func (p *plain) loadFrom(r *plainReplica, t *plainTier, q *plainRequest, blocks []uint64, last func()) {
	t.pin(blocks)
	t.counts.LoadedBlocks += int64(len(blocks))
	r.loaded = append(r.loaded, plainMoved{t.Kind, len(blocks)})
	for _, identity := range blocks {
		if window := r.Tiers.Offload.ThrashWindow; window > 0 && p.now.Sub(t.blocks[identity].storedAt) <= window {
			t.counts.ThrashedBlocks++
		}
	}
	unpin := func() { t.unpin(blocks) }
	var load *plainTransfer
	load = p.transmit(r, len(blocks), func() {
		unpin()
		if q.loads = remove(q.loads, load); len(q.loads) == 0 {
			last()
		}
	}, unpin, t.read, r.toGPU)
	q.loads = append(q.loads, load)
}

func remove(all []*plainTransfer, t *plainTransfer) []*plainTransfer {
	return slices.DeleteFunc(all, func(o *plainTransfer) bool { return o == t })
}

// loaded puts a request back into the queue whose KV has come.
func (p *plain) loaded(r *plainReplica, q *plainRequest, tokens int32, began simtime.Time) {
	r.loading = without(r.loading, q)
	r.cache.Publish(q.sequence)
	q.Computed = tokens
	p.metrics.Touch(p.now, q.Cell).KVLoad.Record(int64(p.now.Sub(began)))
	r.newcomers = append(r.newcomers, q)
	r.wait(q)
	p.wake(r)
}

// noteHits writes down where the KV of a request came from when it was last admitted
// before it was ever scheduled.
func (p *plain) noteHits(r *plainReplica, q *plainRequest, cached int32, held [][]uint64) {
	if q.scheduled {
		return
	}
	q.Cached, q.tierTokens = cached, [simulator.TierKinds]int64{}
	for k, blocks := range held {
		q.tierTokens[r.tiers[k].Kind] = int64(len(blocks) * r.BlockTokens)
	}
}

// touch makes the request's blocks in all tiers the most recently used ones, the
// first of them last.
func (p *plain) touch(r *plainReplica, q *plainRequest) {
	if !r.PrefixCaching {
		return
	}
	for _, t := range r.tiers {
		for i := int(q.Total)/r.BlockTokens - 1; i >= 0; i-- {
			if b := t.blocks[q.identities[i]]; b != nil && !b.pending {
				b.uses++
				b.priority = max(b.priority, q.Info.Priority)
				t.use(b)
			}
		}
	}
}

// use makes a block the most recently used one.
func (t *plainTier) use(b *plainBlock) {
	t.uses++
	b.recency = t.uses
}

func (t *plainTier) pin(blocks []uint64) {
	for _, identity := range blocks {
		t.blocks[identity].pins++
	}
}

// unpin lets blocks be evicted again, as the most recently used ones.
func (t *plainTier) unpin(blocks []uint64) {
	for _, identity := range slices.Backward(blocks) {
		b := t.blocks[identity]
		if b.pins--; b.pins == 0 {
			t.use(b)
		}
	}
}

// storeEagerly copies what is computed of a request down.
func (p *plain) storeEagerly(r *plainReplica, q *plainRequest) {
	if len(r.tiers) == 0 || !r.PrefixCaching || r.Tiers.Offload.Policy != simulator.OffloadEager || q.receives() {
		return
	}
	var content []plainContent
	for _, identity := range q.identities[:int(q.Computed)/r.BlockTokens] {
		content = append(content, plainContent{identity: identity, priority: q.Info.Priority})
	}
	q.stores = append(q.stores, p.copyFromGPU(r, content, func(store *plainTransfer) {
		q.stores = remove(q.stores, store)
		if len(q.stores) == 0 && q.parting != nil {
			q.parting()
		}
	})...)
}

// copyFromGPU sends content that the first tier has not there, and what has no room there
// to the next one. It calls then at the end of each transfer.
func (p *plain) copyFromGPU(r *plainReplica, content []plainContent, then func(*plainTransfer)) []*plainTransfer {
	var all []*plainTransfer
	for k, t := range r.tiers {
		content = t.missing(content)
		var sent *plainTransfer
		if sent = p.copyDown(r, k, content, r.toHost, nil, func() { then(sent) }); sent != nil {
			all = append(all, sent)
		}
		content = t.missing(content)
	}
	return all
}

// copyDown sends content to tier k that it has not, as much of it as there is
// room for, and calls then when it is there. Until then it is pinned in the tier
// that it comes from, if it is one that keeps it. copyDown returns nil if it sends
// nothing.
func (p *plain) copyDown(
	r *plainReplica, k int, content []plainContent, from transfer.StationID, source *plainTier, then func(),
) *plainTransfer {
	t := r.tiers[k]
	sent, refused := t.divide(t.missing(content))
	t.counts.RefusedBlocks += int64(refused)
	if len(sent) == 0 {
		return nil
	}
	p.evict(r, k, len(sent))
	p.settleTier(t)
	var identities []uint64
	for _, c := range sent {
		t.blocks[c.identity] = &plainBlock{plainContent: c, pending: true, uses: 1}
		identities = append(identities, c.identity)
	}
	t.occupied.PeakUsed = max(t.occupied.PeakUsed, len(t.blocks))
	if source != nil {
		source.pin(identities)
	}
	arrive := func() {
		p.arriveIn(t, identities, r.Tiers.Offload.Policy == simulator.OffloadEager)
		r.stored = append(r.stored, plainMoved{t.Kind, len(identities)})
		if source != nil {
			source.unpin(identities)
		}
		if r.Tiers.Offload.Policy == simulator.OffloadEager && k+1 < len(r.tiers) {
			p.copyDown(r, k+1, sent, t.read, t, func() {})
		}
		then()
	}
	undo := func() {
		p.settleTier(t)
		for _, identity := range identities {
			delete(t.blocks, identity)
		}
		if source != nil {
			source.unpin(identities)
		}
	}
	store := p.transmit(r, len(sent), arrive, undo, from, t.write)
	store.copies = identities
	return store
}

// arriveIn makes blocks present, the last one of a text first, and what came in
// the order of its eviction in that order.
func (p *plain) arriveIn(t *plainTier, identities []uint64, text bool) {
	if text {
		identities = slices.Clone(identities)
		slices.Reverse(identities)
	}
	for _, identity := range identities {
		b := t.blocks[identity]
		b.pending, b.storedAt = false, p.now
		p.tellTier(t, identity, true)
		t.use(b)
	}
	t.counts.StoredBlocks += int64(len(identities))
}

// missing returns the content that the tier neither has nor expects.
func (t *plainTier) missing(content []plainContent) []plainContent {
	return slices.DeleteFunc(slices.Clone(content), func(c plainContent) bool { return t.blocks[c.identity] != nil })
}

// divide returns the first content that there is room for, each once, and how
// much of the rest is refused.
func (t *plainTier) divide(content []plainContent) (sent []plainContent, refused int) {
	room := t.room()
	seen := map[uint64]bool{}
	for _, c := range content {
		switch {
		case seen[c.identity]:
		case len(sent) < room:
			sent = append(sent, c)
			seen[c.identity] = true
		default:
			refused++
		}
	}
	return sent, refused
}

// room is how many blocks can be stored.
func (t *plainTier) room() int {
	room := t.Blocks - len(t.blocks)
	for _, b := range t.blocks {
		if b.evictable() {
			room++
		}
	}
	return room
}

func (b *plainBlock) evictable() bool { return !b.pending && b.pins == 0 }

// evict makes room for n blocks in tier k. What goes is sent on to the next tier
// unless it has been there since it was computed.
func (p *plain) evict(r *plainReplica, k, n int) {
	t := r.tiers[k]
	p.settleTier(t)
	var evicted []plainContent
	for len(t.blocks)+n > t.Blocks {
		b := t.oldest()
		delete(t.blocks, b.identity)
		p.tellTier(t, b.identity, false)
		evicted = append(evicted, plainContent{identity: b.identity})
		t.counts.EvictedBlocks++
	}
	if r.Tiers.Offload.Policy != simulator.OffloadEager && k+1 < len(r.tiers) {
		p.copyDown(r, k+1, evicted, t.read, nil, func() {})
	}
}

// oldest returns the block that is evicted next.
func (t *plainTier) oldest() *plainBlock {
	var oldest *plainBlock
	for _, b := range t.blocks {
		if b.evictable() && (oldest == nil || t.comesBefore(b, oldest)) {
			oldest = b
		}
	}
	return oldest
}

func (t *plainTier) comesBefore(b, c *plainBlock) bool {
	first := 0
	switch t.Eviction {
	case kv.LFU:
		first = cmp.Compare(b.uses, c.uses)
	case kv.Priority:
		first = cmp.Compare(b.priority, c.priority)
	}
	return cmp.Or(first, cmp.Compare(b.recency, c.recency)) < 0
}

// offload does what the replica's offload policy does once a step is formed. It returns
// true where the step has to wait for it; begin begins it then.
func (p *plain) offload(r *plainReplica, begins bool, begin func()) bool {
	evicted := r.cache.Evicted
	r.cache.Evicted = nil
	if len(r.tiers) == 0 || r.Tiers.Offload.Policy == simulator.OffloadEager {
		return false
	}
	holding := 0
	landed := func() {
		if holding--; holding == 0 {
			p.copyAhead(r)
			begin()
		}
	}
	if begins {
		for _, a := range r.ahead {
			if slices.ContainsFunc(evicted, func(identity uint64) bool { return slices.Contains(a.identities, identity) }) {
				holding++
				a.then = append(a.then, landed)
			}
		}
	}
	sent := p.copyFromGPU(r, contentOf(evicted), func(*plainTransfer) {
		if begins {
			landed()
		}
	})
	if begins {
		holding += len(sent)
	}
	if holding == 0 {
		p.copyAhead(r)
	}
	return holding > 0
}

func contentOf(identities []uint64) []plainContent {
	var content []plainContent
	for _, identity := range identities {
		content = append(content, plainContent{identity: identity})
	}
	return content
}

// plainAhead is blocks on their way down that are still in the cache.
type plainAhead struct {
	identities []uint64
	then       []func()
}

// copyAhead copies the free blocks that would be evicted next once too few are blank.
func (p *plain) copyAhead(r *plainReplica) {
	if r.Tiers.Offload.Policy != simulator.OffloadThreshold {
		return
	}
	most := r.KVBlocks - int(math.Floor(r.Tiers.Offload.Threshold*float64(r.KVBlocks)))
	want := min(most-r.cache.Blank(), r.tiers[0].Blocks)
	a := &plainAhead{}
	transfer := p.copyDown(r, 0, contentOf(r.cache.NextEvicted(want)), r.toHost, nil, func() {
		r.ahead = slices.DeleteFunc(r.ahead, func(o *plainAhead) bool { return o == a })
		for _, then := range a.then {
			then()
		}
	})
	if transfer == nil {
		return
	}
	a.identities = transfer.copies
	r.ahead = append(r.ahead, a)
}

// dropBlocks takes a request's blocks away, with the copies under way.
func (p *plain) dropBlocks(r *plainReplica, q *plainRequest) {
	for _, store := range q.stores {
		p.cancel(store)
	}
	for _, load := range q.loads {
		p.cancel(load)
	}
	q.stores, q.loads = nil, nil
	p.letGo(r, q, r.cache.Release)
}

// letGo frees a request's blocks in some way, once they are copied down.
func (p *plain) letGo(r *plainReplica, q *plainRequest, free func(*kvtest.Sequence)) {
	if q.sequence == nil {
		return
	}
	if len(q.stores) == 0 {
		p.part(r, q, free)
		return
	}
	r.parting = append(r.parting, q)
	q.parting = func() {
		r.parting = without(r.parting, q)
		p.part(r, q, free)
	}
}

func (p *plain) part(r *plainReplica, q *plainRequest, free func(*kvtest.Sequence)) {
	r.use.Settle(p.now, r.cache.Used())
	free(q.sequence)
	q.sequence, q.parting = nil, nil
	p.wake(r)
}

// unblock lets somebody give blocks back where nothing goes on and nothing will
// by itself.
func (p *plain) unblock(r *plainReplica) bool {
	if len(r.waiting) == 0 || len(r.running)+len(r.loading)+len(r.parting) > 0 || p.loadsAdapter(r) {
		return false
	}
	return p.giveBackReady(r, 1) || p.giveUpHandoff(r)
}

// makeRoom lets somebody who does not run give blocks back to the only one that
// does.
func (p *plain) makeRoom(r *plainReplica) bool {
	return p.giveBackReady(r, 0) || p.giveBackLoading(r) || p.cutParting(r) || p.giveUpHandoff(r)
}

// cutParting frees the blocks of the last one to leave at once.
func (p *plain) cutParting(r *plainReplica) bool {
	if len(r.parting) == 0 {
		return false
	}
	q := r.parting[len(r.parting)-1]
	for _, store := range q.stores {
		p.cancel(store)
	}
	q.stores = nil
	q.parting()
	return true
}

// giveBackReady lets the last request of the queue give its blocks back that holds
// some and does not stand before a place.
func (p *plain) giveBackReady(r *plainReplica, from int) bool {
	r.putInOrder(p.now)
	for i := len(r.waiting) - 1; i >= from; i-- {
		if q := r.waiting[i]; q.sequence != nil {
			p.loseHandoff(q)
			p.dropBlocks(r, q)
			q.Computed = 0
			r.noteNeeds(q)
			return true
		}
	}
	return false
}

// giveBackLoading lets the last of those give its blocks back that wait for KV
// from tiers.
func (p *plain) giveBackLoading(r *plainReplica) bool {
	var last *plainRequest
	for _, q := range r.loading {
		if !q.receives() && (last == nil || r.compare(q, last, p.now) > 0) {
			last = q
		}
	}
	if last == nil {
		return false
	}
	r.loading = without(r.loading, last)
	p.dropBlocks(r, last)
	r.wait(last)
	return true
}

func (p *plain) settleTier(t *plainTier) { t.occupied.Settle(p.now, len(t.blocks)) }

// restartTiers begins the figures of all tiers anew.
func (p *plain) restartTiers() {
	for _, r := range p.replicas {
		for _, t := range r.tiers {
			t.occupied = measure.Use{Since: p.now, Settled: p.now, PeakUsed: len(t.blocks)}
			t.counts = simulator.TierUse{}
		}
	}
}

// reportTiers reports the replica's tiers, and those that its pool shares if it
// is the first one of it.
func (p *plain) reportTiers(r *plainReplica) []simulator.TierUse {
	var all []simulator.TierUse
	first := slices.IndexFunc(p.replicas, func(o *plainReplica) bool { return o.pool == r.pool })
	for _, t := range r.tiers {
		if r.shares(t.Tier) && r.index != first {
			continue
		}
		p.settleTier(t)
		u := t.counts
		u.Kind, u.Blocks = t.Kind, t.Blocks
		u.PeakShare = float64(t.occupied.PeakUsed) / float64(t.Blocks)
		u.MeanShare = meanShare(&t.occupied, p.now.Sub(t.occupied.Since), t.Blocks)
		all = append(all, u)
	}
	return all
}
