// SPDX-License-Identifier: Apache-2.0

package prompt_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

func of(extents ...prompt.Extent) prompt.Prompt { return prompt.Prompt{Extents: extents} }

func TestBlocksOfEqualContentHaveEqualIdentities(t *testing.T) {
	const block = 4
	whole := of(prompt.Extent{Source: 1, Tokens: 10}, prompt.Extent{Source: 2, Start: 3, Tokens: 5})
	for name, tc := range map[string]struct {
		p      prompt.Prompt
		shared int // leading blocks with the identities of whole, the partial one included
	}{
		"the same extents": {whole, 4},
		"a run cut inside a block": {of(
			prompt.Extent{Source: 1, Tokens: 6},
			prompt.Extent{Source: 1, Start: 6, Tokens: 4},
			prompt.Extent{Source: 2, Start: 3, Tokens: 5}), 4},
		"a run cut at a block's end": {of(
			prompt.Extent{Source: 1, Tokens: 8},
			prompt.Extent{Source: 1, Start: 8, Tokens: 2},
			prompt.Extent{Source: 2, Start: 3, Tokens: 5}), 4},
		"empty extents between": {of(
			prompt.Extent{Source: 9, Start: 7},
			prompt.Extent{Source: 1, Tokens: 6},
			prompt.Extent{Source: 9},
			prompt.Extent{Source: 1, Start: 6, Tokens: 4},
			prompt.Extent{Source: 2, Start: 3, Tokens: 5}), 4},
		"the second text from elsewhere": {of(
			prompt.Extent{Source: 1, Tokens: 10},
			prompt.Extent{Source: 2, Start: 4, Tokens: 5}), 2},
		"another second text": {of(
			prompt.Extent{Source: 1, Tokens: 10},
			prompt.Extent{Source: 3, Start: 3, Tokens: 5}), 2},
		"one token more": {of(
			prompt.Extent{Source: 1, Tokens: 10},
			prompt.Extent{Source: 2, Start: 3, Tokens: 6}), 3},
		"one token less at the front": {of(
			prompt.Extent{Source: 1, Start: 1, Tokens: 9},
			prompt.Extent{Source: 2, Start: 3, Tokens: 5}), 0},
		"the texts in the other order": {of(
			prompt.Extent{Source: 2, Start: 3, Tokens: 5},
			prompt.Extent{Source: 1, Tokens: 10}), 0},
	} {
		t.Run(name, func(t *testing.T) {
			want, got := whole.AllBlocks(nil, block), tc.p.AllBlocks(nil, block)
			shared := 0
			for shared < min(len(want), len(got)) && want[shared] == got[shared] {
				shared++
			}
			if shared != tc.shared {
				t.Errorf("%d leading blocks shared, want %d", shared, tc.shared)
			}
		})
	}
}

// The partial block of one prompt is the first part of a full block of the
// other, and the texts go on past what an int32 counts.
func TestIdentitiesAtTheEdges(t *testing.T) {
	o := newOracle(16)
	for tokens := range int32(40) {
		o.check(t, of(prompt.Extent{Source: 1, Tokens: tokens}))
		o.check(t, of(
			prompt.Extent{Source: 1, Tokens: 3},
			prompt.Extent{Source: 1, Start: 3, Tokens: tokens},
			prompt.Extent{Source: 1, Start: math.MaxInt32 - 2, Tokens: 2},
			prompt.Extent{Source: 1, Start: math.MaxInt32, Tokens: tokens}))
	}
}

func TestIdentitiesDifferBetweenBlockSizes(t *testing.T) {
	p := of(prompt.Extent{Source: 1, Tokens: 16})
	if a, b := p.AllBlocks(nil, 16), p.AllBlocks(nil, 64); a[0] == b[0] {
		t.Errorf("a block of 16 and a partial block of 64 are both %x", a[0])
	}
}

func TestBlocksAreAppended(t *testing.T) {
	p := of(prompt.Extent{Source: 1, Tokens: 40})
	want := append([]uint64{7}, p.FullBlocks(nil, 16)...)
	if diff := cmp.Diff(want, p.FullBlocks([]uint64{7}, 16)); diff != "" {
		t.Errorf("blocks after one that was there (−want +got):\n%s", diff)
	}
}

func TestBlocksAllocateNothingWhereThereIsRoom(t *testing.T) {
	p := of(prompt.Extent{Source: 1, Tokens: 100}, prompt.Extent{Source: 2, Tokens: 101})
	full, all := make([]uint64, 0, 12), make([]uint64, 0, 13)
	if n := testing.AllocsPerRun(100, func() {
		full = p.FullBlocks(full[:0], 16)
		all = p.AllBlocks(all[:0], 16)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestBrokenPromptsPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"no block size":      func() { of().FullBlocks(nil, 0) },
		"a negative length":  func() { of(prompt.Extent{Tokens: 20}, prompt.Extent{Tokens: -1}).FullBlocks(nil, 16) },
		"a negative start":   func() { of(prompt.Extent{Start: -1, Tokens: 1}).AllBlocks(nil, 16) },
		"a negative nothing": func() { of(prompt.Extent{Start: -1}).AllBlocks(nil, 16) },
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "no panic")
			call()
		})
	}
}

// Random prompts over few texts and short starts, so that prefixes are often
// equal and often cut differently.
func TestIdentitiesAgreeWithTheTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, block := range []int{1, 2, 3, 16} {
		o := newOracle(block)
		for range 2000 {
			var p prompt.Prompt
			for range rng.IntN(6) {
				p = p.Append(prompt.Extent{
					Source: rng.Uint64N(2),
					Start:  rng.Int32N(3) * int32(block),
					Tokens: rng.Int32N(2*int32(block) + 2),
				})
			}
			o.check(t, p)
			o.check(t, recut(rng, p))
		}
	}
}

// recut returns the same tokens in other extents.
func recut(rng *rand.Rand, p prompt.Prompt) prompt.Prompt {
	var cut prompt.Prompt
	for _, e := range p.Extents {
		for e.Tokens > 0 {
			take := 1 + rng.Int32N(e.Tokens)
			cut = cut.Append(prompt.Extent{Source: e.Source, Start: e.Start, Tokens: take})
			e.Start, e.Tokens = e.Start+take, e.Tokens-take
		}
	}
	return cut
}

func FuzzBlocks(f *testing.F) {
	f.Add(uint8(15), []byte{0, 0, 16, 0, 16, 16, 1, 0, 3})
	f.Add(uint8(0), []byte{1, 2, 3, 1, 5, 0, 1, 5, 9})
	f.Fuzz(func(t *testing.T, block uint8, spec []byte) {
		o := newOracle(1 + int(block))
		var p prompt.Prompt
		// The oracle goes through all tokens of the prompt after each extent.
		spec = spec[:min(len(spec), 3*64)]
		for ; len(spec) >= 3; spec = spec[3:] {
			p = p.Append(prompt.Extent{
				Source: uint64(spec[0] % 4), Start: int32(spec[1]), Tokens: int32(spec[2]),
			})
			o.check(t, p)
		}
		o.check(t, recut(rand.New(rand.NewPCG(1, 2)), p))
	})
}
