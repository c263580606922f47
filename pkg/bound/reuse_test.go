// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/rand/v2"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// texts makes a prompt of blocks of one token each: those of a text, as far as it goes.
func texts(source uint64, tokens int32) prompt.Prompt {
	return prompt.Prompt{}.Append(prompt.Extent{Source: source, Tokens: tokens})
}

func TestReuseOfAFewRequests(t *testing.T) {
	a, b, c := texts(1, 3), texts(2, 3), texts(3, 3)
	for name, tc := range map[string]struct {
		requests           []prompt.Prompt
		blocks             int
		unbounded, bounded int64
	}{
		"nothing comes again":                    {[]prompt.Prompt{a, b, c}, 9, 0, 0},
		"the last token is always computed":      {[]prompt.Prompt{a, a}, 9, 2, 2},
		"a small cache keeps a part":             {[]prompt.Prompt{a, a}, 1, 2, 1},
		"what comes again soonest is kept":       {[]prompt.Prompt{a, b, b, a}, 2, 4, 2},
		"a cache need not keep what is new":      {[]prompt.Prompt{a, b, a}, 2, 2, 2},
		"caches of all replicas together":        {[]prompt.Prompt{a, b, a, b}, 4, 4, 4},
		"a prompt is longer than an earlier one": {[]prompt.Prompt{texts(1, 2), a}, 9, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReuse(1)
			for _, p := range tc.requests {
				r.Add(p, prompt.Extent{}, 0, true)
			}
			if got := r.Unbounded(); got != tc.unbounded {
				t.Errorf("without a limit %d tokens, want %d", got, tc.unbounded)
			}
			if got := r.Clairvoyant(tc.blocks); got != tc.bounded {
				t.Errorf("with %d blocks %d tokens, want %d", tc.blocks, got, tc.bounded)
			}
		})
	}
}

func TestAnswersAndAdapters(t *testing.T) {
	r := NewReuse(2)
	r.Add(texts(1, 4), prompt.Extent{Source: 9, Tokens: 4}, 0, true)
	next := texts(1, 4).Append(prompt.Extent{Source: 9, Tokens: 4}).Append(prompt.Extent{Source: 5, Tokens: 3})
	r.Add(next, prompt.Extent{}, 0, true)
	if got := r.Unbounded(); got != 8 {
		t.Errorf("the next turn finds %d tokens of the prompt and the answer, want 8", got)
	}
	r.Add(next, prompt.Extent{}, 1, true)
	if got := r.Unbounded(); got != 8 {
		t.Errorf("with another adapter there are %d tokens, want 8 as before", got)
	}
	r.Add(next, prompt.Extent{}, 1, false)
	if got := r.Unbounded(); got != 8 {
		t.Errorf("a request that does not count finds %d tokens", got-8)
	}
}

// cluster is a state of replicas that an exhaustive search goes through: the blocks that
// each of them holds, as sets of bits.
type cluster []uint32

// exhaustive is the most blocks that replicas of so many blocks each can find of requests,
// over all ways to route them and to keep blocks. A request is a run of blocks, of which it
// finds the longest prefix that its replica holds, but not the last block.
func exhaustive(requests [][]int, replicas, capacity int) int {
	best := 0
	var serve func(at int, held cluster, found int)
	serve = func(at int, held cluster, found int) {
		best = max(best, found)
		if at == len(requests) {
			return
		}
		for r := range held {
			hits, have := 0, held[r]
			for i, b := range requests[at] {
				if i == len(requests[at])-1 || have&(1<<b) == 0 {
					break
				}
				hits++
			}
			for _, b := range requests[at] {
				have |= 1 << b
			}
			for keep := uint32(0); keep < 1<<7; keep++ {
				if keep&^have == 0 && count(keep) <= capacity {
					next := append(cluster{}, held...)
					next[r] = keep
					serve(at+1, next, found+hits)
				}
			}
		}
	}
	serve(0, make(cluster, replicas), 0)
	return best
}

func count(set uint32) int {
	n := 0
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}

// No way to route requests and to keep blocks finds more than the bound, and with one
// replica and prompts of one block beside the last, some way finds as much.
func TestNoRoutingFindsMore(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	tight := 0
	for range 300 {
		replicas, capacity := 1+random.IntN(2), 1+random.IntN(2)
		simple := replicas == 1 && random.IntN(2) == 0
		var runs [][]int
		r := NewReuse(1)
		for n := range 4 {
			first := random.IntN(3)
			length := int32(1 + random.IntN(2))
			if simple {
				length = 1
			}
			// Prompts of a text share their blocks; the last one is the request's own.
			var run []int
			for i := range length {
				run = append(run, 2*first+int(i))
			}
			runs = append(runs, append(run, 6))
			r.Add(texts(uint64(1+first), length).Append(prompt.Extent{Source: uint64(100 + n), Tokens: 1}), prompt.Extent{}, 0, true)
		}
		got, want := r.Clairvoyant(replicas*capacity), int64(exhaustive(runs, replicas, capacity))
		if want > got || want > r.Unbounded() {
			t.Fatalf("%v on %d replicas of %d blocks: %d blocks are found, the bound is %d", runs, replicas, capacity, want, got)
		}
		if simple {
			if want != got {
				t.Fatalf("%v on one replica of %d blocks: the bound is %d, and the best is %d", runs, capacity, got, want)
			}
			tight++
		}
	}
	if tight == 0 {
		t.Error("no case in which the bound is reached")
	}
}

// In whatever order requests are served, those that arrive from some time on find no more
// than the bound of each of them together, and in some order as much as all.
func TestNoOrderFindsMore(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	tight, tried := 0, 500
	for range tried {
		var runs []prompt.Prompt
		r := NewReuse(1)
		for range 4 {
			runs = append(runs, texts(uint64(1+random.IntN(2)), int32(1+random.IntN(4))))
			r.Add(runs[len(runs)-1], prompt.Extent{}, 0, true)
		}
		most := 0
		permute(len(runs), func(order []int) {
			found := foundInOrder(runs, order)
			for from := range runs {
				got, bound := 0, 0
				for i := from; i < len(runs); i++ {
					got, bound = got+found[i], bound+r.Found(i)
				}
				if got > bound {
					t.Fatalf("%v in the order %v: requests from %d on find %d tokens, the bound is %d", runs, order, from, got, bound)
				}
				if from == 0 {
					most = max(most, got)
				}
			}
		})
		if int64(most) > r.Unbounded() {
			t.Fatalf("%v: %d tokens are found, the bound is %d", runs, most, r.Unbounded())
		}
		if int64(most) == r.Unbounded() {
			tight++
		}
	}
	if tight < tried*9/10 {
		t.Errorf("the bound is reached in %d of %d cases", tight, tried)
	}
}

// foundInOrder is how many tokens each request finds where all are served in an order by one
// cache without a limit.
func foundInOrder(runs []prompt.Prompt, order []int) []int {
	found := make([]int, len(runs))
	longest := map[uint64]int{} // of each text
	for _, i := range order {
		source, tokens := runs[i].Extents[0].Source, runs[i].Tokens()
		found[i] = min(longest[source], tokens-1)
		longest[source] = max(longest[source], tokens)
	}
	return found
}

// permute calls do for each order of n things.
func permute(n int, do func(order []int)) {
	var extend func(order []int)
	extend = func(order []int) {
		if len(order) == n {
			do(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				extend(append(order[:len(order):len(order)], i))
			}
		}
	}
	extend(nil)
}
