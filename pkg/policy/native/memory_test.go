// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// plainMemory is a list of blocks, the one touched last at the end.
type plainMemory struct {
	capacity int
	blocks   []uint64
}

func (m *plainMemory) touch(blocks []uint64) {
	for _, b := range blocks {
		m.blocks = slices.DeleteFunc(m.blocks, func(o uint64) bool { return o == b })
		if len(m.blocks) == m.capacity {
			m.blocks = m.blocks[1:]
		}
		m.blocks = append(m.blocks, b)
	}
}

func (m *plainMemory) match(blocks []uint64) int {
	for i, b := range blocks {
		if !slices.Contains(m.blocks, b) {
			return i
		}
	}
	return len(blocks)
}

func TestMemoryAgainstABlockAtATime(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		capacity := 1 + rng.IntN(30)
		real, plain := newMemory(capacity), &plainMemory{capacity: capacity}
		for step := range 300 {
			var p prompt.Prompt
			for range 1 + rng.IntN(3) {
				p = p.Append(prompt.Extent{Source: rng.Uint64N(3), Tokens: rng.Int32N(40)})
			}
			chain, blocks := p.FullStretches(nil, 4), p.FullBlocks(nil, 4)
			if got, want := real.match(chain), plain.match(blocks); got != want {
				t.Fatalf("seed %d, step %d: %d blocks match, want %d", seed, step, got, want)
			}
			if got, want := real.length, len(plain.blocks); got != want {
				t.Fatalf("seed %d, step %d: %d blocks of at most %d, want %d", seed, step, got, capacity, want)
			}
			if rng.IntN(3) > 0 {
				real.touch(chain)
				plain.touch(blocks)
			}
		}
	}
}
