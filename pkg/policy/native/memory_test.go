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

// plainTree is a trie of tokens, each with the number of the last prompt that had it.
type plainTree struct {
	token    prompt.Extent // of one token
	used     int
	children []*plainTree
}

func (n *plainTree) child(token prompt.Extent) *plainTree {
	i := slices.IndexFunc(n.children, func(c *plainTree) bool { return c.token == token })
	if i < 0 {
		return nil
	}
	return n.children[i]
}

func (n *plainTree) add(tokens []prompt.Extent, used int) {
	for _, token := range tokens {
		c := n.child(token)
		if c == nil {
			c = &plainTree{token: token}
			n.children = append(n.children, c)
		}
		n = c
		n.used = used
	}
}

func (n *plainTree) match(tokens []prompt.Extent) int {
	for i, token := range tokens {
		if n = n.child(token); n == nil {
			return i
		}
	}
	return len(tokens)
}

func (n *plainTree) size() int {
	size := 0
	for _, c := range n.children {
		size += 1 + c.size()
	}
	return size
}

// evict takes out the leaf that was not used for longest.
func (n *plainTree) evict() {
	parent, at := n.oldestLeaf()
	parent.children = slices.Delete(parent.children, at, at+1)
}

func (n *plainTree) oldestLeaf() (parent *plainTree, at int) {
	for i, c := range n.children {
		p, j := n, i
		if len(c.children) > 0 {
			p, j = c.oldestLeaf()
		}
		if parent == nil || p.children[j].used < parent.children[at].used {
			parent, at = p, j
		}
	}
	return parent, at
}

// tokensOf are the tokens of a prompt, one by one.
func tokensOf(p prompt.Prompt) []prompt.Extent {
	var tokens []prompt.Extent
	for _, e := range p.Extents {
		for i := range e.Tokens {
			tokens = append(tokens, prompt.Extent{Source: e.Source, Start: e.Start + i, Tokens: 1})
		}
	}
	return tokens
}

// checkTree holds a memory of single tokens that loses its leaves first against a trie. Now
// and then both are cut down to the capacity.
func checkTree(t *testing.T, rng *rand.Rand, steps int) {
	capacity := 1 + rng.IntN(60)
	real, plain := newMemory(capacity), &plainTree{}
	real.leavesFirst = true
	for step := range steps {
		var p prompt.Prompt
		for range rng.IntN(4) {
			p = p.Append(prompt.Extent{Source: rng.Uint64N(3), Start: 5 * rng.Int32N(2), Tokens: rng.Int32N(20)})
		}
		chain, tokens := p.FullStretches(nil, 1), tokensOf(p)
		if got, want := real.match(chain), plain.match(tokens); got != want {
			t.Fatalf("step %d: %d of %d tokens match, want %d", step, got, len(tokens), want)
		}
		if rng.IntN(3) > 0 {
			real.add(chain)
			plain.add(tokens, step)
		}
		if rng.IntN(4) == 0 {
			real.evict()
			for plain.size() > capacity {
				plain.evict()
			}
		}
		if rng.IntN(100) == 0 {
			real.forget()
			*plain = plainTree{}
		}
		if got, want := real.length, plain.size(); got != want {
			t.Fatalf("step %d: %d tokens, want %d", step, got, want)
		}
	}
}

func TestRadixTreeAgainstATokenAtATime(t *testing.T) {
	for seed := range uint64(150) {
		checkTree(t, rand.New(rand.NewPCG(seed, 5)), 300)
	}
}

func FuzzRadixTree(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkTree(t, rand.New(rand.NewPCG(a, b)), 100) })
}
