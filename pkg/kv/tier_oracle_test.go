// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestStoreAgainstOracle drives the store and the block-by-block one with the
// same random operations and compares all that can be seen, and the queue too.
func TestStoreAgainstOracle(t *testing.T) {
	for seed := range uint64(600) {
		compareStores(t, 1+int(seed%50), Order(seed%3), randomBytes(seed, 600))
	}
}

func FuzzStoreAgainstOracle(f *testing.F) {
	for order := range uint8(3) {
		f.Add(uint8(20), order, randomBytes(uint64(order), 200))
	}
	f.Fuzz(func(t *testing.T, blocks, order uint8, operations []byte) {
		compareStores(t, 1+int(blocks)%50, Order(order%3), operations)
	})
}

func randomBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	operations := make([]byte, n)
	for i := range operations {
		operations[i] = byte(r.Uint32())
	}
	return operations
}

// operands are bytes that decide what a test does.
type operands []byte

func (o *operands) pick(n int) int {
	if len(*o) == 0 {
		return 0
	}
	b := (*o)[0]
	*o = (*o)[1:]
	return int(b) % n
}

// names leads from blocks of stretches to their identities.
type names map[Span]uint64

// learn notes the blocks of a text.
func (n names) learn(text prompt.Prompt) (chain []prompt.Stretch, blocks []uint64) {
	chain, blocks = text.FullStretches(nil, pairBlockTokens), text.FullBlocks(nil, pairBlockTokens)
	i := 0
	for _, stretch := range chain {
		for b := range stretch.Blocks {
			n[Span{ID: stretch.ID, From: b}] = blocks[i]
			i++
		}
	}
	return chain, blocks
}

// of returns the identities of spans' blocks, in their order.
func (n names) of(spans []Span) []uint64 {
	blocks := []uint64{}
	for _, s := range spans {
		from, to := s.bounds()
		part := []uint64{}
		for b := from; b < to; b++ {
			part = append(part, n[Span{ID: s.ID, From: b}])
		}
		if s.backwards() {
			slices.Reverse(part)
		}
		blocks = append(blocks, part...)
	}
	return blocks
}

// backwards turns spans and their order round.
func backwards(spans []Span) []Span {
	turned := []Span{}
	for _, s := range slices.Backward(spans) {
		turned = append(turned, Span{s.ID, s.To, s.From})
	}
	return turned
}

// stores is a store and its oracle, with what is on its way and pinned on both.
type stores struct {
	operands
	t       *testing.T
	names   names
	real    *Tier
	oracle  *kvtest.Tier
	pending []storing
	pins    []pinning
	now     time.Duration
	told    inventory
}

type storing struct {
	pending Reservation
	blocks  []uint64 // as they arrive: the last one first
}

type pinning struct {
	pin    Pin
	blocks []uint64
}

func compareStores(t *testing.T, blocks int, order Order, operations []byte) {
	t.Helper()
	p := &stores{
		operands: operations, t: t, names: names{}, told: inventory{},
		real: NewTier(blocks, order), oracle: kvtest.NewTier(blocks, kvtest.Order(order)),
	}
	p.real.SetListener(p.told)
	for len(p.operands) > 0 && !t.Failed() {
		left := len(p.operands)
		p.now += time.Duration(p.pick(2))
		switch p.pick(8) {
		case 0, 1:
			p.reserve()
		case 2, 3:
			p.arrive()
		case 4:
			p.pin()
		case 5:
			p.unpin()
		case 6:
			p.touch()
		default:
			p.cancel()
		}
		p.compare()
		if t.Failed() {
			t.Fatalf("%d operands before the end", left)
		}
	}
}

// part is some blocks of one of a few texts that share beginnings.
func (p *stores) part() (chain []prompt.Stretch, blocks []uint64, from, to int) {
	text := prompt.Prompt{}
	for range 1 + p.pick(3) {
		text = text.Append(prompt.Extent{Source: uint64(p.pick(3)), Tokens: int32(p.pick(40))})
	}
	chain, blocks = p.names.learn(text)
	from = p.pick(len(blocks) + 1)
	return chain, blocks, from, from + p.pick(len(blocks)-from+1)
}

func (p *stores) reserve() {
	chain, blocks, from, to := p.part()
	missing := p.real.Missing(nil, chain, from, to)
	want := p.oracle.Missing(blocks[from:to])
	p.equal("Missing", want, p.names.of(missing))
	all := ChainSpans(nil, chain, from, to)
	turned := p.pick(2) == 0
	if turned {
		all = backwards(all)
		slices.Reverse(want)
	}
	p.equal("MissingOf", want, p.names.of(p.real.MissingSpans(nil, all)))
	if p.pick(4) == 0 {
		all = append(all, all...)
	}
	pending, taken, evicted := p.real.Reserve(all)
	wantTaken, wantEvicted := p.oracle.Reserve(p.names.of(all))
	p.equal("evicted", wantEvicted, p.names.of(evicted))
	if taken != len(wantTaken) {
		p.t.Fatalf("Reserve took %d places, want %d", taken, len(wantTaken))
	}
	if taken == 0 {
		return
	}
	p.equal("reserved", wantTaken, p.names.of(p.real.ReservedSpans(nil, pending)))
	if turned {
		slices.Reverse(wantTaken)
	}
	p.pending = append(p.pending, storing{pending, wantTaken})
}

func (p *stores) arrive() {
	if len(p.pending) == 0 {
		return
	}
	i, priority := p.pick(len(p.pending)), p.pick(4)-1
	w := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	p.real.Complete(w.pending, simtime.Time(p.now), priority)
	p.oracle.Complete(w.blocks, p.now, priority)
}

func (p *stores) cancel() {
	if len(p.pending) == 0 {
		return
	}
	i := p.pick(len(p.pending))
	w := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	p.real.Cancel(w.pending)
	p.oracle.Cancel(w.blocks)
}

func (p *stores) pin() {
	chain, blocks, from, to := p.part()
	n := p.real.Hits(chain, from, to)
	if want := p.oracle.Hits(blocks[from:to]); n != want {
		p.t.Fatalf("Run(%v, %d, %d) = %d, want %d", chain, from, to, n, want)
	}
	if got, want := p.real.Misses(chain, from, to), p.oracle.Misses(blocks[from:to]); got != want {
		p.t.Fatalf("Absent(%v, %d, %d) = %d, want %d", chain, from, to, got, want)
	}
	since := p.now - time.Duration(p.pick(100))
	got, want := p.real.StoredSince(chain, from, to, simtime.Time(since)), p.oracle.StoredSince(blocks[from:to], since)
	if got != want {
		p.t.Fatalf("Stored(%v, %d, %d, %v) = %d, want %d", chain, from, to, since, got, want)
	}
	if n == 0 {
		return
	}
	w := pinning{blocks: blocks[from : from+n]}
	if p.pick(2) == 0 {
		w.pin = p.real.Pin(chain, from, from+n)
	} else {
		w.pin = p.real.PinSpans(ChainSpans(nil, chain, from, from+n))
	}
	p.oracle.Pin(w.blocks)
	p.pins = append(p.pins, w)
}

func (p *stores) unpin() {
	if len(p.pins) == 0 {
		return
	}
	i := p.pick(len(p.pins))
	w := p.pins[i]
	p.pins = slices.Delete(p.pins, i, i+1)
	p.real.Unpin(w.pin)
	p.oracle.Unpin(w.blocks)
}

func (p *stores) touch() {
	chain, blocks, _, to := p.part()
	priority := p.pick(4) - 1
	p.real.Touch(chain, to, priority)
	p.oracle.Touch(blocks[:to], priority)
}

func (p *stores) equal(what string, want, got []uint64) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (p *stores) compare() {
	p.t.Helper()
	if err := p.real.Check(); err != nil {
		p.t.Error(err)
	}
	type counts struct {
		Present, Pending, Pinned, Room int
		Evictions                      int64
	}
	got := counts{p.real.Present(), p.real.Pending(), p.real.Pinned(), p.real.Reservable(), p.real.Evictions()}
	want := counts{
		p.oracle.Present(), p.oracle.Pending(), p.oracle.Present() - len(p.oracle.Queue()),
		p.oracle.Size - p.oracle.Pending() - p.oracle.Present() + len(p.oracle.Queue()), p.oracle.Evictions,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("(-want +got):\n%s", diff)
	}
	for block, identity := range p.names {
		if p.told[block] != p.oracle.Has(identity) {
			p.t.Errorf("block %v: told of %v, present %v", block, p.told[block], p.oracle.Has(identity))
		}
	}
	queue := []Span{}
	table := &p.real.table
	for at := p.real.queue.first; at != none; at = table.segments.all[at].after {
		s := &table.segments.all[at]
		queue = append(queue, Span{table.stretches.all[s.stretch].id, s.to, s.from})
	}
	p.equal("queue", append([]uint64{}, p.oracle.Queue()...), p.names.of(queue))
}
