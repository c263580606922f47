// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// plainStack has the blocks in a list, the last one used in front.
type plainStack []uint64

func (s plainStack) distance(block uint64) (int, bool) {
	at := slices.Index(s, block)
	return at + 1, at >= 0
}

func (s *plainStack) use(block uint64) {
	*s = slices.Insert(slices.DeleteFunc(*s, func(b uint64) bool { return b == block }), 0, block)
}

func FuzzStackAgainstAList(f *testing.F) {
	f.Add([]byte{1, 2, 3, 1, 1, 2})
	f.Fuzz(func(t *testing.T, uses []byte) {
		checkStack(t, slices.Values(slices.Concat(uses[:min(len(uses), 3000)])))
	})
}

// Uses of many blocks fill the places again and again.
func TestStackIsAList(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	checkStack(t, func(yield func(byte) bool) {
		for range 20_000 {
			if !yield(byte(math.Sqrt(float64(draw.IntN(256 * 256))))) {
				return
			}
		}
	})
}

func checkStack(t *testing.T, uses func(func(byte) bool)) {
	t.Helper()
	s, plain := newStack(), plainStack{}
	for use := range uses {
		block := uint64(use) * 0x9e3779b97f4a7c15
		got, known := s.distance(block)
		want, wasUsed := plain.distance(block)
		if known != wasUsed || known && got != want {
			t.Fatalf("distance %d, %t; want %d, %t", got, known, want, wasUsed)
		}
		s.use(block)
		plain.use(block)
	}
}

// conversations are prompts of 16-token blocks that grow turn by turn.
func conversations(requests int) []prompt.Prompt {
	draw := rand.New(rand.NewPCG(3, 4))
	var all []prompt.Prompt
	var open [30]prompt.Prompt
	for i := range requests {
		c := &open[draw.IntN(len(open))]
		if len(c.Extents) == 0 || draw.IntN(8) == 0 {
			*c = prompt.Prompt{}.Append(prompt.Extent{Source: uint64(draw.IntN(3)), Tokens: 64})
		}
		*c = c.Append(prompt.Extent{Source: uint64(1000 + i), Tokens: int32(16 * (1 + draw.IntN(6)))})
		all = append(all, *c)
	}
	return all
}

// A cache of a size serves what a list of that many blocks holds, and a block only behind
// all those in front of it.
func TestReuseIsThatOfOneCacheOfEachSize(t *testing.T) {
	prompts := conversations(600)
	distinct, tokens, unbounded := map[uint64]bool{}, int64(0), int64(0)
	for _, p := range prompts {
		tokens += int64(p.Tokens())
		for _, block := range p.FullBlocks(nil, 16) {
			if distinct[block] {
				unbounded += 16
			}
			distinct[block] = true
		}
	}
	s := trace.Statistics{InputTokens: tokens, DistinctBlocks: int64(len(distinct)), ReusableShare: float64(unbounded) / float64(tokens)}
	r := newReuse(16, s.DistinctBlocks)
	for _, p := range prompts {
		r.add(p)
	}
	of := r.describe(s)
	if of.SampledShare != 1 || len(of.Caches) < 8 {
		t.Fatalf("%+v", of)
	}
	for _, c := range of.Caches {
		if want := servedBy(t, int(c.Blocks), prompts, tokens); c.Share != want {
			t.Errorf("a cache of %d blocks serves %.4f, want %.4f", c.Blocks, c.Share, want)
		}
	}
	if last := of.Caches[len(of.Caches)-1]; last.Share != of.UnboundedShare {
		t.Errorf("a cache of %d blocks, all there are, serves %.4f, want %.4f", last.Blocks, last.Share, of.UnboundedShare)
	}
}

// servedBy returns the share of tokens that a list of so many blocks serves.
func servedBy(t *testing.T, blocks int, prompts []prompt.Prompt, tokens int64) float64 {
	t.Helper()
	var cache plainStack
	served := 0
	for _, p := range prompts {
		chain := p.FullBlocks(nil, 16)
		hits := 0
		for i, block := range chain {
			if slices.Contains(cache, block) {
				hits++
				if hits != i+1 {
					t.Fatalf("a cache of %d blocks holds block %d of a prompt, but not one in front of it", blocks, i)
				}
			}
		}
		served += hits
		for _, block := range slices.Backward(chain) {
			cache.use(block)
		}
		cache = cache[:min(len(cache), blocks)]
	}
	return float64(served*16) / float64(tokens)
}

// A sample of the blocks comes near to what all of them say.
func TestReuseOfASampleOfBlocks(t *testing.T) {
	prompts := conversations(20_000)
	all, sample := newReuse(16, 1), newReuse(16, 8*mostTrackedBlocks)
	if sample.sampleBits != 3 {
		t.Fatalf("1/%d of the blocks is tracked, want 1/8", 1<<sample.sampleBits)
	}
	tokens := int64(0)
	for _, p := range prompts {
		all.add(p)
		sample.add(p)
		tokens += int64(p.Tokens())
	}
	s := trace.Statistics{InputTokens: tokens, DistinctBlocks: 1 << 17, ReusableShare: 1}
	want, got := all.describe(s), sample.describe(s)
	for i, c := range want.Caches {
		if c.Blocks >= 64 && math.Abs(got.Caches[i].Share-c.Share) > 0.05 {
			t.Errorf("a cache of %d blocks serves %.3f by the sample, and %.3f", c.Blocks, got.Caches[i].Share, c.Share)
		}
	}
}
