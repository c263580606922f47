// SPDX-License-Identifier: Apache-2.0

package prompt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// blocksOf writes stretches out block by block: which stretch, which block.
func blocksOf(stretches []Stretch) [][2]uint64 {
	var blocks [][2]uint64
	for _, s := range stretches {
		for i := range s.Blocks {
			blocks = append(blocks, [2]uint64{s.ID, uint64(i)})
		}
	}
	return blocks
}

func counts(stretches []Stretch) []int32 {
	var n []int32
	for _, s := range stretches {
		n = append(n, s.Blocks)
	}
	return n
}

// A block belongs to the prompt alone from its first own token on. 16 tokens a block: of
// 40 + 20 tokens, 32 are in the two full blocks before those.
func TestSharedStretchesEndBeforeTheFirstOwnToken(t *testing.T) {
	for name, test := range map[string]struct {
		prompt Prompt
		shared []int32
		own    int
	}{
		"nothing own":        {Prompt{Extents: []Extent{{1, 0, 40}, {2, 0, 20}}}, []int32{2, 1, 1}, 0},
		"inside a block":     {Prompt{Extents: []Extent{{1, 0, 40}, {2, 0, 20}}, Own: 1}, []int32{2}, 2},
		"at a block's end":   {Prompt{Extents: []Extent{{1, 0, 32}, {2, 0, 32}}, Own: 1}, []int32{2}, 2},
		"in the first block": {Prompt{Extents: []Extent{{1, 0, 15}, {2, 0, 1}}, Own: 1}, nil, 1},
		"the whole prompt":   {Prompt{Extents: []Extent{{1, 0, 40}, {2, 0, 20}}, Own: 2}, nil, 4},
		"several of both":    {Prompt{Extents: []Extent{{1, 0, 20}, {2, 0, 20}, {3, 0, 20}, {4, 0, 20}}, Own: 2}, []int32{1, 1}, 3},
		"less than a block":  {Prompt{Extents: []Extent{{1, 0, 15}}, Own: 1}, nil, 1},
		"one token":          {Prompt{Extents: []Extent{{1, 0, 16}, {2, 0, 16}, {3, 0, 1}}, Own: 1}, []int32{1, 1}, 1},
	} {
		before := []Stretch{{ID: 9, Blocks: 9}}
		shared, own := test.prompt.SharedStretches(before, 16)
		if diff := cmp.Diff(test.shared, counts(shared[1:])); diff != "" || own != test.own {
			t.Errorf("%s: %d own blocks, want %d (-want +got):\n%s", name, own, test.own, diff)
		}
		if whole := test.prompt.AllStretches(nil, 16); !slices.Equal(blocksOf(whole)[:len(blocksOf(shared[1:]))], blocksOf(shared[1:])) {
			t.Errorf("%s: %v is not how %v begins", name, shared[1:], whole)
		}
	}
}

func TestStretchesFollowTheTexts(t *testing.T) {
	for name, test := range map[string]struct {
		prompt    Prompt
		full, all []int32
	}{
		"empty":                             {Prompt{}, nil, nil},
		"less than a block":                 {of(Extent{1, 0, 15}), nil, []int32{1}},
		"one text":                          {of(Extent{1, 0, 64}), []int32{4}, []int32{4}},
		"one text and a rest":               {of(Extent{1, 0, 70}), []int32{4}, []int32{4, 1}},
		"one text in pieces":                {of(Extent{1, 0, 20}, Extent{1, 20, 3}, Extent{1, 23, 41}), []int32{4}, []int32{4}},
		"a second text at a block's end":    {of(Extent{1, 0, 32}, Extent{2, 0, 40}), []int32{2, 2}, []int32{2, 2, 1}},
		"a second text inside a block":      {of(Extent{1, 0, 40}, Extent{2, 0, 40}), []int32{2, 3}, []int32{2, 3}},
		"texts shorter than a block":        {of(Extent{1, 0, 5}, Extent{2, 0, 5}, Extent{3, 0, 30}), []int32{2}, []int32{2, 1}},
		"the same text again, not its rest": {of(Extent{1, 0, 32}, Extent{1, 0, 32}), []int32{2, 2}, []int32{2, 2}},
		"nothing in between":                {of(Extent{1, 0, 16}, Extent{2, 0, 0}, Extent{1, 16, 16}), []int32{2}, []int32{2}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.full, counts(test.prompt.FullStretches(nil, 16))); diff != "" {
				t.Errorf("full blocks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.all, counts(test.prompt.AllStretches(nil, 16))); diff != "" {
				t.Errorf("all blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func of(extents ...Extent) Prompt { return Prompt{Extents: extents} }

// Two prompts share as many blocks by their stretches as they do by the
// identities of their blocks, however either is cut into extents.
func TestStretchesAgreeWithBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		block := 1 + random.IntN(6)
		p, q := randomPrompt(random), randomPrompt(random)
		if random.IntN(2) == 0 {
			q = recut(random, p)
		}
		for name, same := range map[string][2]int{
			"full": {
				commonPrefix(p.FullBlocks(nil, block), q.FullBlocks(nil, block)),
				commonPrefix(blocksOf(p.FullStretches(nil, block)), blocksOf(q.FullStretches(nil, block))),
			},
			"all": {
				commonPrefix(p.AllBlocks(nil, block), q.AllBlocks(nil, block)),
				commonPrefix(blocksOf(p.AllStretches(nil, block)), blocksOf(q.AllStretches(nil, block))),
			},
		} {
			if same[0] != same[1] {
				t.Fatalf("%s blocks of %d: %v and %v share %d, by stretches %d", name, block, p, q, same[0], same[1])
			}
		}
		if want, got := len(p.AllBlocks(nil, block)), len(blocksOf(p.AllStretches(nil, block))); want != got {
			t.Fatalf("%v has %d blocks of %d, by stretches %d", p, want, block, got)
		}
	}
}

func commonPrefix[T comparable](a, b []T) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func randomPrompt(random *rand.Rand) Prompt {
	var p Prompt
	for range random.IntN(6) {
		p = p.Append(Extent{Source: uint64(random.IntN(2)), Start: int32(random.IntN(4)), Tokens: int32(random.IntN(9))})
	}
	return p
}

// recut cuts a prompt elsewhere, and may change its end.
func recut(random *rand.Rand, p Prompt) Prompt {
	var q Prompt
	for _, e := range p.Extents {
		k := int32(random.IntN(int(e.Tokens) + 1))
		q = q.Append(Extent{e.Source, e.Start, k}).Append(Extent{e.Source, e.Start + k, e.Tokens - k})
	}
	if n := len(q.Extents); n > 0 && random.IntN(2) == 0 {
		q.Extents[n-1].Source = 7
	}
	return q
}
