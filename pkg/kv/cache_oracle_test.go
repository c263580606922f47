// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// TestCacheAgainstOracle drives the cache and the block-by-block one with the same
// random operations and compares all that can be seen, and the free queue too.
func TestCacheAgainstOracle(t *testing.T) {
	for seed := range uint64(1200) {
		operations := randomBytes(seed, 600)
		compareCaches(t, 1+int(operations[0]%40), seed%5 != 0, Order(seed%3), operations[1:])
	}
}

func FuzzCacheAgainstOracle(f *testing.F) {
	f.Add(uint8(0), true, uint8(LRU), []byte{0, 1, 2, 3, 255, 128, 64})
	f.Add(uint8(4), true, uint8(LRU), []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	f.Add(uint8(9), false, uint8(LRU), []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	for order := range uint8(3) {
		f.Add(uint8(20), true, order, randomBytes(uint64(order), 200))
	}
	f.Fuzz(func(t *testing.T, blocks uint8, caching bool, order uint8, operations []byte) {
		compareCaches(t, 1+int(blocks)%32, caching, Order(order%3), operations)
	})
}

const oracleBlockTokens = 4

// unnamedBlock is the identity that the oracle gives to the blocks of anonymous sequences.
const unnamedBlock = 1

// cachePair is a cache, its oracle and the sequences on both.
type cachePair struct {
	choices
	t         *testing.T
	cache     *Cache
	oracle    *kvtest.Cache
	names     blockIdentities
	running   []*sequencePair // in order of admission
	answer    uint64
	named     []prompt.Prompt // texts of sequences that were anonymous
	listening bool
	events    recordedEvents
	// unnamed are the identities of blocks of anonymous sequences, where there may be some.
	unnamed map[uint64]bool
}

// sequencePair is a sequence on both.
type sequencePair struct {
	cache    Sequence
	oracle   *kvtest.Sequence
	text     prompt.Prompt
	length   int
	tokens   int
	decoding bool
	withheld bool
	// past is for how many tokens there is room beyond those that are sure to come.
	past int
}

// compareCaches reads operations from bytes: sequences are admitted with
// one of a few prompts, which share beginnings and contain answers that others
// are generating; they grow by chunks or decode, all of them a token a step; and
// they end. Some withhold their blocks for a while, and some take the content of
// theirs with them.
func compareCaches(t *testing.T, blocks int, caching bool, order Order, operations []byte) {
	t.Helper()
	p := &cachePair{
		choices: operations, t: t, names: blockIdentities{},
		cache:  NewCache(blocks, oracleBlockTokens, caching, order),
		oracle: kvtest.NewCache(blocks, oracleBlockTokens, caching, kvtest.Order(order)),
	}
	if len(operations) > 1 && operations[1]%3 > 0 {
		w := Windows{Groups: int(operations[1] % 3), Blocks: 1 + int(operations[1]/3%4)}
		p.cache.SetWindows(w)
		p.oracle.Groups, p.oracle.WindowBlocks = w.Groups, w.Blocks
	}
	p.listening = len(operations) > 0 && operations[0]%2 == 0
	if len(operations) > 0 && operations[0]%4 == 1 && order == LRU {
		p.unnamed = map[uint64]bool{}
	} else {
		p.cache.RecordEvictions()
	}
	if p.listening {
		p.cache.SetListener(&p.events)
	}
	for len(p.choices) > 0 {
		left := len(p.choices)
		p.runOperation()
		p.compare()
		if t.Failed() {
			t.Fatalf("%d operands before the end", left)
		}
	}
}

func (p *cachePair) runOperation() {
	switch p.pick(13) {
	case 0, 1:
		p.admit()
	case 2:
		p.extend()
	case 3:
		p.startDecode()
	case 4:
		p.end(p.cache.Release, p.oracle.Release)
	case 5:
		if p.unnamed == nil {
			p.end(p.cache.Discard, p.oracle.Discard)
		} else {
			p.name()
		}
	case 6:
		p.publish()
	case 7:
		if p.unnamed == nil {
			p.nextEvicted()
		}
	case 8:
		p.evictFree()
	case 9:
		p.extendPast()
	default:
		p.step()
	}
}

// text is a prompt and its answer. Answers are numbered and cycle, so that
// prompts may contain one that is under way.
func (p *cachePair) text() prompt.Prompt {
	text := prompt.Prompt{}
	for range 1 + p.pick(3) {
		text = text.Append(prompt.Extent{Source: uint64(p.pick(3)), Tokens: int32(p.pick(19))})
	}
	if p.pick(2) == 0 {
		text = text.Append(prompt.Extent{Source: 100 + uint64(p.pick(3)), Tokens: int32(p.pick(30))})
	}
	p.answer = (p.answer + 1) % 3
	return text.Append(prompt.Extent{Source: 100 + p.answer, Tokens: int32(1 + p.pick(40))})
}

// withOwn appends to some texts a part that no other has.
func (p *cachePair) withOwn(text prompt.Prompt) prompt.Prompt {
	switch {
	case p.unnamed == nil || p.pick(3) == 0:
		return text
	case len(p.named) > 0 && p.pick(3) == 0:
		return p.named[p.pick(len(p.named))]
	}
	text = text.Append(prompt.Extent{Source: 1000 + uint64(len(p.choices)), Tokens: int32(1 + p.pick(40))})
	text.Own = 1
	return text
}

// name names the blocks of an anonymous sequence. From then on others have its text.
func (p *cachePair) name() {
	w := p.pickSequence()
	if w == nil || w.text.Own == 0 {
		return
	}
	w.text.Own, w.decoding = 0, false
	chain, blocks := p.names.add(w.text)
	for _, id := range blocks {
		delete(p.unnamed, id)
	}
	p.cache.Name(w.cache, chain)
	p.named = append(p.named, w.text)
}

func (p *cachePair) admit() {
	text := p.withOwn(p.text())
	length := text.Tokens()
	chain, blocks := p.names.add(text)
	if text.Own > 0 {
		chain = text.Shared().FullStretches(nil, oracleBlockTokens)
		for _, id := range blocks[len(text.Shared().FullBlocks(nil, oracleBlockTokens)):] {
			p.unnamed[id] = true
		}
	}
	limit := p.pick(length + 1)
	cached, want := p.cache.Match(chain, limit), p.oracle.Match(blocks, limit)
	if cached != want {
		p.t.Fatalf("Match(%v, %d) = %d, want %d", text, limit, cached, want)
	}
	tokens := min(cached+1+p.pick(20), length)
	if tokens <= cached {
		return
	}
	how := p.pick(8)
	a := Admission{
		Chain: chain, Cached: cached, Tokens: tokens, Reserve: how % 2 * length,
		Withheld: how/2 == 0, Priority: p.pick(4) - 1, Anonymous: text.Own > 0,
	}
	same := kvtest.Admission{
		Chain: blocks, Cached: cached, Tokens: tokens, Reserve: a.Reserve,
		Withheld: a.Withheld, Priority: a.Priority,
	}
	fresh, idle := p.cache.AdmitNeeds(a)
	if wantFresh, wantIdle := p.oracle.AdmitNeeds(same); fresh != wantFresh || idle != wantIdle {
		p.t.Errorf("Takes(%v, %+v) = %d, %d, want %d, %d", text, a, fresh, idle, wantFresh, wantIdle)
	}
	s, got := p.cache.Admit(a)
	plain, ok := p.oracle.Admit(same)
	if got != ok {
		p.t.Fatalf("Admit(%v, %+v) = %v, want %v", text, a, got, ok)
	}
	if got {
		p.running = append(p.running, &sequencePair{s, plain, text, length, tokens, false, a.Withheld, 0})
	}
}

func (p *cachePair) evictFree() {
	n := p.pick(12)
	if got, want := p.cache.EvictFree(n), p.oracle.EvictFree(n); got != want {
		p.t.Fatalf("Empty(%d) = %d, want %d", n, got, want)
	}
}

func (p *cachePair) pickSequence() *sequencePair {
	if len(p.running) == 0 {
		return nil
	}
	return p.running[p.pick(len(p.running))]
}

func (p *cachePair) extend() {
	w := p.pickSequence()
	if w == nil {
		return
	}
	if w.decoding {
		p.cache.StopDecode(w.cache)
		w.decoding = false
	}
	if w.past > 0 {
		return
	}
	tokens := min(w.tokens+1+p.pick(20), w.length)
	got, want := p.cache.Extend(w.cache, tokens), p.oracle.Extend(w.oracle, tokens)
	if got != want {
		p.t.Fatalf("Extend(%v, %d) = %v, want %v", w.text, tokens, got, want)
	}
	if got {
		w.tokens = max(tokens, w.tokens)
	}
}

// extendPast gives a sequence tokens and room beyond them, which it then has for good.
func (p *cachePair) extendPast() {
	w := p.pickSequence()
	if w == nil || w.decoding {
		return
	}
	content, past := min(w.tokens+p.pick(9), w.length), 1+p.pick(9)
	got, want := p.cache.ExtendPast(w.cache, content, content+past), p.oracle.ExtendPast(w.oracle, content, content+past)
	if got != want {
		p.t.Fatalf("ExtendPast(%v, %d, %d) = %v, want %v", w.text, content, content+past, got, want)
	}
	if got {
		w.tokens, w.past = content, past
	}
	if held, want := p.cache.Held(w.cache), len(w.oracle.Blocks); held != want {
		p.t.Fatalf("%v has %d blocks, want %d", w.text, held, want)
	}
}

func (p *cachePair) startDecode() {
	if w := p.pickSequence(); w != nil && !w.decoding && !w.withheld && w.past == 0 {
		p.cache.StartDecode(w.cache)
		w.decoding = true
	}
}

// step gives every sequence in decode another token, those that are at their
// end none, which ends their decode. Where blocks do not suffice the last sequences
// end: of the cache before the step, and of the oracle when one lacks a block.
func (p *cachePair) step() {
	for _, w := range p.running {
		if w.decoding && w.tokens == w.length {
			p.cache.StopDecode(w.cache)
			w.decoding = false
		}
	}
	if p.oracle.Groups > 0 && p.cache.StepNeeds() > p.cache.Free() {
		return
	}
	left := len(p.running)
	for ; p.cache.StepNeeds() > p.cache.Free(); left-- {
		p.cache.Prepay()
		p.cache.Release(p.running[left-1].cache)
	}
	p.cache.Step()
	for i := 0; i < len(p.running); i++ {
		w := p.running[i]
		if !w.decoding {
			continue
		}
		w.tokens++
		for i < len(p.running) && !p.oracle.Extend(w.oracle, w.tokens) {
			last := len(p.running) - 1
			p.oracle.Release(p.running[last].oracle)
			p.running = p.running[:last]
		}
	}
	if len(p.running) != left {
		p.t.Fatalf("%d sequences are left, want %d", left, len(p.running))
	}
}

func (p *cachePair) publish() {
	if w := p.pickSequence(); w != nil && w.withheld {
		p.cache.Publish(w.cache)
		p.oracle.Publish(w.oracle)
		w.withheld = false
	}
}

func (p *cachePair) nextEvicted() {
	n := p.pick(20)
	if diff := cmp.Diff(p.oracle.NextEvicted(n), p.names.of(p.cache.NextEvicted(n, nil))); diff != "" {
		p.t.Fatalf("NextEvicted(%d) (-want +got):\n%s", n, diff)
	}
}

// end ends a sequence in one way on both.
func (p *cachePair) end(ends func(Sequence), endsPlain func(*kvtest.Sequence)) {
	w := p.pickSequence()
	if w == nil {
		return
	}
	ends(w.cache)
	endsPlain(w.oracle)
	for i, other := range p.running {
		if other == w {
			p.running = append(p.running[:i], p.running[i+1:]...)
			return
		}
	}
}

func (p *cachePair) compare() {
	p.t.Helper()
	if err := p.cache.Check(); err != nil {
		p.t.Error(err)
	}
	type seen struct {
		Used, Blank, Shared int
		Evictions           int64
		Evicted, Free       []uint64
	}
	got := seen{
		p.cache.Used(), p.cache.Blank(), p.cache.Shared(), p.cache.Evictions(),
		p.names.of(p.cache.TakeEvicted(nil)), p.freeOrder(),
	}
	want := seen{
		p.oracle.Used(), p.oracle.Blank(), p.oracle.Shared(), p.oracle.Evictions,
		append([]uint64{}, p.oracle.Evicted...), p.oracle.Free(),
	}
	if p.unnamed != nil {
		want.Evicted = []uint64{}
		for i, id := range want.Free {
			if p.unnamed[id] {
				want.Free[i] = unnamedBlock
			}
		}
	}
	p.oracle.Evicted = nil
	if diff := cmp.Diff(formatEvents(p.oracle.Changes), p.events.of(p.names)); p.listening && diff != "" {
		p.t.Errorf("found (+) and lost (-) (-want +got):\n%s", diff)
	}
	p.oracle.Changes = nil
	for _, w := range p.running {
		if got, want := p.cache.SharedBy(w.cache), p.oracle.SharedBy(w.oracle); got != want {
			p.t.Errorf("%d blocks of %v are shared, want %d", got, w.text, want)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.cache.Free() + p.cache.Used(); got != p.cache.Blocks() {
		p.t.Errorf("%d blocks free or used, of %d", got, p.cache.Blocks())
	}
}

// freeOrder returns the identities of the free blocks in the order in which they
// will be reused, unnamedBlock for one that cannot be found, and 0 for one without.
func (p *cachePair) freeOrder() []uint64 {
	c := p.cache
	order := []uint64{}
	blank := func(n int) { order = append(order, make([]uint64, n)...) }
	if c.sequences.pool.queue.order != LRU {
		blank(c.sequences.pool.queue.loose)
	}
	for at := c.sequences.pool.queue.first; at != none; at = c.sequences.pool.table.segments.all[at].after {
		s := &c.sequences.pool.table.segments.all[at]
		blank(int(s.blank))
		if s.stretch == none {
			order = append(order, slices.Repeat([]uint64{unnamedBlock}, int(s.len()))...)
			continue
		}
		order = append(order, p.names.of([]Span{{c.sequences.pool.table.stretches.all[s.stretch].id, s.to, s.from}})...)
	}
	if c.sequences.pool.queue.order == LRU {
		blank(c.sequences.pool.queue.loose)
	}
	return order
}
