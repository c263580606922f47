// SPDX-License-Identifier: Apache-2.0

package prompt_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// token is one token: what the identity of a block must not look beyond.
type token struct {
	source uint64
	index  int64
}

// prefixes numbers token prefixes exactly: a trie over tokens, one node a
// prefix, with no hashing that could collide.
type prefixes struct {
	next map[edge]int
}

type edge struct {
	prefix int
	token  token
}

func newPrefixes() *prefixes { return &prefixes{next: map[edge]int{}} }

// of returns the numbers of all prefixes of the prompt, one a token.
func (t *prefixes) of(p prompt.Prompt) []int {
	var numbers []int
	at := 0
	for _, e := range p.Extents {
		for i := range int64(e.Tokens) {
			step := edge{at, token{e.Source, int64(e.Start) + i}}
			if t.next[step] == 0 {
				t.next[step] = len(t.next) + 1
			}
			at = t.next[step]
			numbers = append(numbers, at)
		}
	}
	return numbers
}

// oracle checks that identities and prefixes stand one to one, over all the
// prompts that it is shown, at one block size.
type oracle struct {
	block    int
	prefixes *prefixes
	idOf     map[int]uint64
	prefixOf map[uint64]int
}

func newOracle(block int) *oracle {
	return &oracle{block, newPrefixes(), map[int]uint64{}, map[uint64]int{}}
}

func (o *oracle) check(t *testing.T, p prompt.Prompt) {
	t.Helper()
	numbers := o.prefixes.of(p)
	full, all := p.FullBlocks(nil, o.block), p.AllBlocks(nil, o.block)
	if want := len(numbers) / o.block; len(full) != want {
		t.Fatalf("%d full blocks of %d tokens in %v, want %d", len(full), o.block, p, want)
	}
	if want := (len(numbers) + o.block - 1) / o.block; len(all) != want {
		t.Fatalf("%d blocks of %d tokens in %v, want %d", len(all), o.block, p, want)
	}
	for i, id := range all {
		if i < len(full) && id != full[i] {
			t.Fatalf("block %d of %v: AllBlocks says %x, FullBlocks %x", i, p, id, full[i])
		}
		prefix := numbers[min((i+1)*o.block, len(numbers))-1]
		if known, ok := o.idOf[prefix]; ok && known != id {
			t.Fatalf("block %d of %v: identity %x, but the same prefix had %x", i, p, id, known)
		}
		if known, ok := o.prefixOf[id]; ok && known != prefix {
			t.Fatalf("block %d of %v: identity %x belongs to another prefix", i, p, id)
		}
		o.idOf[prefix], o.prefixOf[id] = id, prefix
	}
}
