// SPDX-License-Identifier: Apache-2.0

package kvindex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// plainIndex is a list of entries for each block.
type plainIndex struct {
	limit  int
	blocks map[plainBlock][]entry
}

type plainBlock struct {
	stretch uint64
	block   int32
}

func (x *plainIndex) change(b policy.CachedBlocks, changed entry, added bool) {
	for i := b.From; i < b.To; i++ {
		block := plainBlock{b.Stretch, i}
		list := slices.DeleteFunc(slices.Clone(x.blocks[block]), func(e entry) bool { return e == changed })
		if added {
			list = append(list, changed)
		}
		if x.limit > 0 && len(list) > x.limit {
			list = list[1:]
		}
		x.blocks[block] = list
	}
}

// match is what an endpoint holds: tokens of blocks as LongestPrefixScorer of
// llm-d-kv-cache counts them.
func (x *plainIndex) match(chain []prompt.Stretch, endpoint int, weights [Places]float64) (blocks int, score float64) {
	for _, s := range chain {
		for i := range s.Blocks {
			best, found := 0.0, false
			for _, e := range x.blocks[plainBlock{s.ID, i}] {
				if e.endpoint() == endpoint && (!found || weights[e.place()] > best) {
					best, found = weights[e.place()], true
				}
			}
			if !found {
				return blocks, score
			}
			blocks++
			score += best
		}
	}
	return blocks, score
}

func TestIndexAgainstABlockAtATime(t *testing.T) {
	weights := [Places]float64{1, 0.8, 0.3, 1}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const endpoints = 4
		limit := rng.IntN(6)
		real, plain := New(limit), &plainIndex{limit: limit, blocks: map[plainBlock][]entry{}}
		for step := range 400 {
			b := policy.CachedBlocks{Stretch: rng.Uint64N(3), From: rng.Int32N(12)}
			b.To = b.From + 1 + rng.Int32N(8)
			endpoint := rng.IntN(endpoints)
			place := policy.CacheTier(rng.IntN(Places))
			entry := entryOf(endpoint, place)
			switch rng.IntN(40) {
			default:
				real.Add(b, endpoint, place)
				plain.change(b, entry, true)
			case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
				real.Remove(b, endpoint, place)
				plain.change(b, entry, false)
			case 12:
				real.Clear(endpoint)
				for place := range Places {
					for stretch := range uint64(3) {
						plain.change(policy.CachedBlocks{Stretch: stretch, To: 20}, entryOf(endpoint, policy.CacheTier(place)), false)
					}
				}
			}
			chain := []prompt.Stretch{{ID: rng.Uint64N(3), Blocks: 1 + rng.Int32N(20)}, {ID: rng.Uint64N(3), Blocks: 1 + rng.Int32N(20)}}
			got := NewMatch(endpoints, weights)
			got.Add(real, chain, 1)
			for e := range endpoints {
				blocks, score := plain.match(chain, e, weights)
				if got.Blocks[e] != blocks || got.Scores[e] != score {
					t.Fatalf("seed %d, step %d, endpoint %d: %d blocks that weigh %v, want %d that weigh %v",
						seed, step, e, got.Blocks[e], got.Scores[e], blocks, score)
				}
			}
		}
	}
}

// A gap ends what counts, however much comes after it.
func TestAHoleEndsTheMatch(t *testing.T) {
	x := New(10)
	x.Add(policy.CachedBlocks{Stretch: 1, To: 10}, 0, policy.GPUMemory)
	x.Add(policy.CachedBlocks{Stretch: 2, To: 10}, 0, policy.GPUMemory)
	x.Remove(policy.CachedBlocks{Stretch: 1, From: 3, To: 4}, 0, policy.GPUMemory)
	m := NewMatch(1, [Places]float64{1, 1, 1, 1})
	m.Add(x, []prompt.Stretch{{ID: 1, Blocks: 10}, {ID: 2, Blocks: 10}}, 1)
	if m.Blocks[0] != 3 {
		t.Errorf("%d blocks match, want the 3 before the hole", m.Blocks[0])
	}
}

// TestMemoryOfEmptyStretchesIsUsedAgain: an endpoint holds 64 stretches, as many as the index makes
// memory for at once. When it holds nothing, the next 64 need no more.
func TestMemoryOfEmptyStretchesIsUsedAgain(t *testing.T) {
	x := New(0)
	hold := func(first uint64) {
		for id := first; id < first+64; id++ {
			x.Add(policy.CachedBlocks{Stretch: id, To: 1}, 0, 0)
		}
	}
	hold(0)
	x.Clear(0)
	hold(64)
	if len(x.stretches) != 64 || len(x.free) != 0 {
		t.Errorf("%d stretches and memory for %d more, want 64 and 0", len(x.stretches), len(x.free))
	}
}

// Ten entries of a block are kept by default: an eleventh endpoint drives out the
// one that was added first.
func TestABlockHasTenEntriesAtMost(t *testing.T) {
	x := New(10)
	blocks := policy.CachedBlocks{Stretch: 1, To: 5}
	for e := range 11 {
		x.Add(blocks, e, policy.GPUMemory)
	}
	x.Add(blocks, 1, policy.GPUMemory) // again: it is the last one now
	x.Add(blocks, 11, policy.GPUMemory)
	m := NewMatch(12, [Places]float64{1, 1, 1, 1})
	m.Add(x, []prompt.Stretch{{ID: 1, Blocks: 5}}, 1)
	if diff := cmp.Diff([]int{0, 5, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5}, m.Blocks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The EPP adds weights up block by block and rounds down: ten blocks of 0.8 make
// 7, as the sum of floating-point numbers falls short of 8.
func TestWeightsAreAddedUp(t *testing.T) {
	for blocks, want := range map[int32]int{1: 0, 5: 4, 10: 7, 20: 16} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			x := New(10)
			x.Add(policy.CachedBlocks{Stretch: 1, To: blocks}, 0, policy.CPUMemory)
			m := NewMatch(1, [Places]float64{1, 0.8, 1, 1})
			m.Add(x, []prompt.Stretch{{ID: 1, Blocks: blocks}}, 1)
			if got := int(m.Scores[0]); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		})
	}
}
