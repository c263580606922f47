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

// TestTierAgainstOracle drives the tier and the block-by-block one with the
// same random operations and compares all that can be seen, and the queue too.
func TestTierAgainstOracle(t *testing.T) {
	for seed := range uint64(600) {
		compareTiers(t, 1+int(seed%50), Order(seed%3), randomBytes(seed, 600))
	}
}

func FuzzTierAgainstOracle(f *testing.F) {
	for order := range uint8(3) {
		f.Add(uint8(20), order, randomBytes(uint64(order), 200))
	}
	f.Fuzz(func(t *testing.T, blocks, order uint8, operations []byte) {
		compareTiers(t, 1+int(blocks)%50, Order(order%3), operations)
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

// choices are bytes that decide what a test does; pick consumes one.
type choices []byte

func (o *choices) pick(n int) int {
	if len(*o) == 0 {
		return 0
	}
	b := (*o)[0]
	*o = (*o)[1:]
	return int(b) % n
}

// blockIdentities maps blocks of stretches to their identities.
type blockIdentities map[Span]uint64

// add adds the blocks of a text and returns them.
func (n blockIdentities) add(text prompt.Prompt) (chain []prompt.Stretch, blocks []uint64) {
	chain, blocks = text.FullStretches(nil, oracleBlockTokens), text.FullBlocks(nil, oracleBlockTokens)
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
func (n blockIdentities) of(spans []Span) []uint64 {
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

// reverseSpans reverses spans and their order.
func reverseSpans(spans []Span) []Span {
	turned := []Span{}
	for _, s := range slices.Backward(spans) {
		turned = append(turned, Span{s.ID, s.To, s.From})
	}
	return turned
}

// tierPair is a tier and its oracle, with the reservations and pins of both.
type tierPair struct {
	choices
	t       *testing.T
	names   blockIdentities
	tier    *Tier
	oracle  *kvtest.Tier
	pending []reservationPair
	pins    []pinPair
	now     time.Duration
	events  storedBlocks
}

type reservationPair struct {
	pending Reservation
	blocks  []uint64 // in the order in which they are stored: the last one first
}

type pinPair struct {
	pin    Pin
	blocks []uint64
}

func compareTiers(t *testing.T, blocks int, order Order, operations []byte) {
	t.Helper()
	p := &tierPair{
		choices: operations, t: t, names: blockIdentities{}, events: storedBlocks{},
		tier: NewTier(blocks, order), oracle: kvtest.NewTier(blocks, kvtest.Order(order)),
	}
	p.tier.SetListener(p.events)
	for len(p.choices) > 0 && !t.Failed() {
		left := len(p.choices)
		p.now += time.Duration(p.pick(2))
		switch p.pick(8) {
		case 0, 1:
			p.reserve()
		case 2, 3:
			p.complete()
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

// pickPart is some blocks of one of a few texts that share beginnings.
func (p *tierPair) pickPart() (chain []prompt.Stretch, blocks []uint64, from, to int) {
	text := prompt.Prompt{}
	for range 1 + p.pick(3) {
		text = text.Append(prompt.Extent{Source: uint64(p.pick(3)), Tokens: int32(p.pick(40))})
	}
	chain, blocks = p.names.add(text)
	from = p.pick(len(blocks) + 1)
	return chain, blocks, from, from + p.pick(len(blocks)-from+1)
}

func (p *tierPair) reserve() {
	chain, blocks, from, to := p.pickPart()
	missing := p.tier.Missing(nil, chain, from, to)
	want := p.oracle.Missing(blocks[from:to])
	p.wantEqual("Missing", want, p.names.of(missing))
	all := chainSpans(nil, chain, from, to)
	turned := p.pick(2) == 0
	if turned {
		all = reverseSpans(all)
		slices.Reverse(want)
	}
	p.wantEqual("MissingOf", want, p.names.of(p.tier.MissingSpans(nil, all)))
	if p.pick(4) == 0 {
		all = append(all, all...)
	}
	pending, taken, evicted := p.tier.Reserve(all)
	wantTaken, wantEvicted := p.oracle.Reserve(p.names.of(all))
	p.wantEqual("evicted", wantEvicted, p.names.of(evicted))
	if taken != len(wantTaken) {
		p.t.Fatalf("Reserve took %d places, want %d", taken, len(wantTaken))
	}
	if taken == 0 {
		return
	}
	p.wantEqual("reserved", wantTaken, p.names.of(p.tier.ReservedSpans(nil, pending)))
	if turned {
		slices.Reverse(wantTaken)
	}
	p.pending = append(p.pending, reservationPair{pending, wantTaken})
}

func (p *tierPair) complete() {
	if len(p.pending) == 0 {
		return
	}
	i, priority := p.pick(len(p.pending)), p.pick(4)-1
	w := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	p.tier.Complete(w.pending, simtime.Time(p.now), priority)
	p.oracle.Complete(w.blocks, p.now, priority)
}

func (p *tierPair) cancel() {
	if len(p.pending) == 0 {
		return
	}
	i := p.pick(len(p.pending))
	w := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	p.tier.Cancel(w.pending)
	p.oracle.Cancel(w.blocks)
}

func (p *tierPair) pin() {
	chain, blocks, from, to := p.pickPart()
	n := p.tier.Hits(chain, from, to)
	if want := p.oracle.Hits(blocks[from:to]); n != want {
		p.t.Fatalf("Run(%v, %d, %d) = %d, want %d", chain, from, to, n, want)
	}
	if got, want := p.tier.Misses(chain, from, to), p.oracle.Misses(blocks[from:to]); got != want {
		p.t.Fatalf("Absent(%v, %d, %d) = %d, want %d", chain, from, to, got, want)
	}
	since := p.now - time.Duration(p.pick(100))
	got, want := p.tier.StoredSince(chain, from, to, simtime.Time(since)), p.oracle.StoredSince(blocks[from:to], since)
	if got != want {
		p.t.Fatalf("Stored(%v, %d, %d, %v) = %d, want %d", chain, from, to, since, got, want)
	}
	if n == 0 {
		return
	}
	w := pinPair{blocks: blocks[from : from+n]}
	if p.pick(2) == 0 {
		w.pin = p.tier.Pin(chain, from, from+n)
	} else {
		w.pin = p.tier.PinSpans(chainSpans(nil, chain, from, from+n))
	}
	p.oracle.Pin(w.blocks)
	p.pins = append(p.pins, w)
}

func (p *tierPair) unpin() {
	if len(p.pins) == 0 {
		return
	}
	i := p.pick(len(p.pins))
	w := p.pins[i]
	p.pins = slices.Delete(p.pins, i, i+1)
	p.tier.Unpin(w.pin)
	p.oracle.Unpin(w.blocks)
}

func (p *tierPair) touch() {
	chain, blocks, _, to := p.pickPart()
	priority := p.pick(4) - 1
	p.tier.Touch(chain, to, priority)
	p.oracle.Touch(blocks[:to], priority)
}

func (p *tierPair) wantEqual(what string, want, got []uint64) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (p *tierPair) compare() {
	p.t.Helper()
	if err := p.tier.Check(); err != nil {
		p.t.Error(err)
	}
	type counts struct {
		Present, Pending, Pinned, Room int
		Evictions                      int64
	}
	got := counts{p.tier.Present(), p.tier.Pending(), p.tier.Pinned(), p.tier.Reservable(), p.tier.Evictions()}
	want := counts{
		p.oracle.Present(), p.oracle.Pending(), p.oracle.Present() - len(p.oracle.Queue()),
		p.oracle.Size - p.oracle.Pending() - p.oracle.Present() + len(p.oracle.Queue()), p.oracle.Evictions,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("(-want +got):\n%s", diff)
	}
	for block, identity := range p.names {
		if p.events[block] != p.oracle.Has(identity) {
			p.t.Errorf("block %v: told of %v, present %v", block, p.events[block], p.oracle.Has(identity))
		}
	}
	queue := []Span{}
	table := &p.tier.table
	for at := p.tier.queue.first; at != none; at = table.segments.all[at].after {
		s := &table.segments.all[at]
		queue = append(queue, Span{table.stretches.all[s.stretch].id, s.to, s.from})
	}
	p.wantEqual("queue", append([]uint64{}, p.oracle.Queue()...), p.names.of(queue))
}
