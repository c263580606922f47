// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// plainKVIndex is a list of entries for each block.
type plainKVIndex struct {
	limit  int
	blocks map[plainKVBlock][]kvEntry
}

type plainKVBlock struct {
	stretch uint64
	block   int32
}

func (x *plainKVIndex) change(b policy.CachedBlocks, entry kvEntry, added bool) {
	for i := b.From; i < b.To; i++ {
		block := plainKVBlock{b.Stretch, i}
		list := slices.DeleteFunc(slices.Clone(x.blocks[block]), func(e kvEntry) bool { return e == entry })
		if added {
			list = append(list, entry)
		}
		if x.limit > 0 && len(list) > x.limit {
			list = list[1:]
		}
		x.blocks[block] = list
	}
}

// match is what an endpoint holds: tokens of blocks as LongestPrefixScorer of
// llm-d-kv-cache counts them.
func (x *plainKVIndex) match(chain []prompt.Stretch, endpoint int, weights [kvPlaces]float64) (blocks int, score float64) {
	for _, s := range chain {
		for i := range s.Blocks {
			best, found := 0.0, false
			for _, e := range x.blocks[plainKVBlock{s.ID, i}] {
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

func TestKVIndexAgainstABlockAtATime(t *testing.T) {
	weights := [kvPlaces]float64{1, 0.8, 0.3, 1}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const endpoints = 4
		limit := rng.IntN(6)
		real, plain := newKVIndex(limit), &plainKVIndex{limit: limit, blocks: map[plainKVBlock][]kvEntry{}}
		for step := range 400 {
			b := policy.CachedBlocks{Stretch: rng.Uint64N(3), From: rng.Int32N(12)}
			b.To = b.From + 1 + rng.Int32N(8)
			endpoint := rng.IntN(endpoints)
			entry := newKVEntry(endpoint, policy.CacheTier(rng.IntN(kvPlaces)))
			switch rng.IntN(40) {
			default:
				real.add(b, entry)
				plain.change(b, entry, true)
			case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
				real.remove(b, entry)
				plain.change(b, entry, false)
			case 12:
				real.clear(endpoint)
				for place := range kvPlaces {
					for stretch := range uint64(3) {
						plain.change(policy.CachedBlocks{Stretch: stretch, To: 20}, newKVEntry(endpoint, policy.CacheTier(place)), false)
					}
				}
			}
			chain := []prompt.Stretch{{ID: rng.Uint64N(3), Blocks: 1 + rng.Int32N(20)}, {ID: rng.Uint64N(3), Blocks: 1 + rng.Int32N(20)}}
			got := newKVMatch(endpoints, weights)
			got.add(real, chain, 1)
			for e := range endpoints {
				blocks, score := plain.match(chain, e, weights)
				if got.blocks[e] != blocks || got.scores[e] != score {
					t.Fatalf("seed %d, step %d, endpoint %d: %d blocks that weigh %v, want %d that weigh %v",
						seed, step, e, got.blocks[e], got.scores[e], blocks, score)
				}
			}
		}
	}
}

// A gap ends what counts, however much comes after it.
func TestAHoleEndsTheMatch(t *testing.T) {
	x := newKVIndex(10)
	gpu := newKVEntry(0, policy.GPUMemory)
	x.add(policy.CachedBlocks{Stretch: 1, To: 10}, gpu)
	x.add(policy.CachedBlocks{Stretch: 2, To: 10}, gpu)
	x.remove(policy.CachedBlocks{Stretch: 1, From: 3, To: 4}, gpu)
	m := newKVMatch(1, [kvPlaces]float64{1, 1, 1, 1})
	m.add(x, []prompt.Stretch{{ID: 1, Blocks: 10}, {ID: 2, Blocks: 10}}, 1)
	if m.blocks[0] != 3 {
		t.Errorf("%d blocks match, want the 3 before the hole", m.blocks[0])
	}
}

// Ten entries of a block are kept by default: an eleventh endpoint drives out the
// one that was added first.
func TestABlockHasTenEntriesAtMost(t *testing.T) {
	x := newKVIndex(10)
	blocks := policy.CachedBlocks{Stretch: 1, To: 5}
	for e := range 11 {
		x.add(blocks, newKVEntry(e, policy.GPUMemory))
	}
	x.add(blocks, newKVEntry(1, policy.GPUMemory)) // again: it is the last one now
	x.add(blocks, newKVEntry(11, policy.GPUMemory))
	m := newKVMatch(12, [kvPlaces]float64{1, 1, 1, 1})
	m.add(x, []prompt.Stretch{{ID: 1, Blocks: 5}}, 1)
	if diff := cmp.Diff([]int{0, 5, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5}, m.blocks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The EPP adds weights up block by block and rounds down: ten blocks of 0.8 make
// 7, as the sum of floating-point numbers falls short of 8.
func TestWeightsAreAddedUp(t *testing.T) {
	for blocks, want := range map[int32]int{1: 0, 5: 4, 10: 7, 20: 16} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			x := newKVIndex(10)
			x.add(policy.CachedBlocks{Stretch: 1, To: blocks}, newKVEntry(0, policy.CPUMemory))
			m := newKVMatch(1, [kvPlaces]float64{1, 0.8, 1, 1})
			m.add(x, []prompt.Stretch{{ID: 1, Blocks: blocks}}, 1)
			if got := int(m.scores[0]); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		})
	}
}
