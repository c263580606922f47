// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/kvtest"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// TestAgainstOracle drives the cache and the block-by-block one with the same
// random operations and compares all that can be seen, and the free queue too.
func TestAgainstOracle(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		blocks := 1 + r.IntN(40)
		operations := make([]byte, 600)
		for i := range operations {
			operations[i] = byte(r.Uint32())
		}
		compareWithOracle(t, blocks, seed%5 != 0, operations)
	}
}

func FuzzAgainstOracle(f *testing.F) {
	f.Add(uint8(0), true, []byte{0, 1, 2, 3, 255, 128, 64})
	f.Add(uint8(4), true, []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	f.Add(uint8(9), false, []byte{0, 17, 255, 1, 17, 255, 0, 0, 0, 2, 9, 255})
	f.Fuzz(func(t *testing.T, blocks uint8, caching bool, operations []byte) {
		compareWithOracle(t, 1+int(blocks)%32, caching, operations)
	})
}

const pairBlockTokens = 4

// pair is a cache, its oracle and the sequences that run on both.
type pair struct {
	t        *testing.T
	cache    *Cache
	oracle   *kvtest.Cache
	running  []*twin // in order of admission
	answers  uint64
	operands []byte
}

// twin is a sequence on both.
type twin struct {
	sequence Sequence
	plain    *kvtest.Sequence
	text     prompt.Prompt
	length   int
	tokens   int
	decoding bool
}

// compareWithOracle reads operations from bytes: sequences are admitted with
// one of a few prompts, which share beginnings and contain answers that others
// are generating; they grow by chunks or decode, all of them a token a step; and
// they end.
func compareWithOracle(t *testing.T, blocks int, caching bool, operations []byte) {
	t.Helper()
	p := &pair{
		t: t, cache: New(blocks, pairBlockTokens, caching), oracle: kvtest.New(blocks, pairBlockTokens, caching),
		operands: operations,
	}
	for len(p.operands) > 0 {
		left := len(p.operands)
		switch p.pick(8) {
		case 0, 1:
			p.admit()
		case 2:
			p.extend()
		case 3:
			p.decode()
		case 4:
			p.release()
		default:
			p.step()
		}
		p.compare()
		if t.Failed() {
			t.Fatalf("%d operands before the end", left)
		}
	}
}

func (p *pair) pick(n int) int {
	if len(p.operands) == 0 {
		return 0
	}
	b := p.operands[0]
	p.operands = p.operands[1:]
	return int(b) % n
}

// text is a prompt and its answer. Answers are numbered and cycle, so that
// prompts may contain one that is under way.
func (p *pair) text() prompt.Prompt {
	text := prompt.Prompt{}
	for range 1 + p.pick(3) {
		text = text.Append(prompt.Extent{Source: uint64(p.pick(3)), Tokens: int32(p.pick(19))})
	}
	if p.pick(2) == 0 {
		text = text.Append(prompt.Extent{Source: 100 + uint64(p.pick(3)), Tokens: int32(p.pick(30))})
	}
	p.answers = (p.answers + 1) % 3
	return text.Append(prompt.Extent{Source: 100 + p.answers, Tokens: int32(1 + p.pick(40))})
}

func (p *pair) admit() {
	text := p.text()
	length := text.Tokens()
	chain, blocks := text.FullStretches(nil, pairBlockTokens), text.FullBlocks(nil, pairBlockTokens)
	limit := p.pick(length + 1)
	cached, want := p.cache.Match(chain, limit), p.oracle.Match(blocks, limit)
	if cached != want {
		p.t.Fatalf("Match(%v, %d) = %d, want %d", text, limit, cached, want)
	}
	tokens := min(cached+1+p.pick(20), length)
	if tokens <= cached {
		return
	}
	reserve := p.pick(2) * length
	s, got := p.cache.Admit(Admission{Chain: chain, Cached: cached, Tokens: tokens, Reserve: reserve})
	plain, ok := p.oracle.Admit(kvtest.Admission{Chain: blocks, Cached: cached, Tokens: tokens, Reserve: reserve})
	if got != ok {
		p.t.Fatalf("Admit(%v, %d, %d, %d) = %v, want %v", text, cached, tokens, reserve, got, ok)
	}
	if got {
		p.running = append(p.running, &twin{s, plain, text, length, tokens, false})
	}
}

func (p *pair) choose() *twin {
	if len(p.running) == 0 {
		return nil
	}
	return p.running[p.pick(len(p.running))]
}

func (p *pair) extend() {
	w := p.choose()
	if w == nil {
		return
	}
	if w.decoding {
		p.cache.Pause(w.sequence)
		w.decoding = false
	}
	tokens := min(w.tokens+1+p.pick(20), w.length)
	got, want := p.cache.Extend(w.sequence, tokens), p.oracle.Extend(w.plain, tokens)
	if got != want {
		p.t.Fatalf("Extend(%v, %d) = %v, want %v", w.text, tokens, got, want)
	}
	if got {
		w.tokens = max(tokens, w.tokens)
	}
}

func (p *pair) decode() {
	if w := p.choose(); w != nil && !w.decoding {
		p.cache.Decode(w.sequence)
		w.decoding = true
	}
}

// step gives every sequence in decode another token, those that are at their
// end none, which ends their decode.
func (p *pair) step() {
	for _, w := range p.running {
		if w.decoding && w.tokens == w.length {
			p.cache.Pause(w.sequence)
			w.decoding = false
		}
	}
	if p.cache.StepNeeds() > p.cache.Free() {
		return
	}
	p.cache.Step()
	for _, w := range p.running {
		if !w.decoding {
			continue
		}
		w.tokens++
		if !p.oracle.Extend(w.plain, w.tokens) {
			p.t.Fatal("the oracle has no room")
		}
	}
}

func (p *pair) release() {
	w := p.choose()
	if w == nil {
		return
	}
	p.cache.Release(w.sequence)
	p.oracle.Release(w.plain)
	for i, other := range p.running {
		if other == w {
			p.running = append(p.running[:i], p.running[i+1:]...)
			return
		}
	}
}

func (p *pair) compare() {
	p.t.Helper()
	if err := p.cache.Check(); err != nil {
		p.t.Error(err)
	}
	if got, want := p.cache.Used(), p.oracle.Used(); got != want {
		p.t.Errorf("%d blocks used, want %d", got, want)
	}
	if got, want := p.cache.Evictions(), p.oracle.Evictions; got != want {
		p.t.Errorf("%d evictions, want %d", got, want)
	}
	if diff := cmp.Diff(named(p.oracle.Free()), p.cache.freeOrder()); diff != "" {
		p.t.Errorf("named blocks in the free queue (-want +got):\n%s", diff)
	}
}

// named says which blocks of the free queue have an identity.
func named(ids []uint64) []bool {
	order := []bool{}
	for _, id := range ids {
		order = append(order, id != 0)
	}
	return order
}

func (c *Cache) freeOrder() []bool {
	order := []bool{}
	blank := func(n int) {
		for range n {
			order = append(order, false)
		}
	}
	for at := c.queue.first; at != none; at = c.segments.all[at].after {
		s := &c.segments.all[at]
		blank(int(s.blank))
		for range s.len() {
			order = append(order, true)
		}
	}
	blank(c.queue.blank)
	return order
}
