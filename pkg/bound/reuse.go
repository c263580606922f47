// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"container/heap"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Reuse bounds how many prompt tokens prefix caches can give, of requests that are added
// in order of arrival.
//
// Replicas that serve their requests in order of arrival look their caches up in this
// order, whatever the router decides. What all of them hold at a time is a bounded number of
// blocks, so one cache of the same size could hold it too, and the best that one cache can
// do is known: to drop the block whose next use is furthest away, or not to keep it at all
// (Bélády, A study of replacement algorithms for a virtual-storage computer, 1966). A
// prefix cache can do less: a block counts only with all blocks before it.
//
// That bound does not hold for engines or gateways that serve requests in another order.
// [Reuse.Unbounded] and [Reuse.Found] do.
type Reuse struct {
	blockTokens int
	blocks      map[block]holders
	requests    int32
	added       []request
	unbounded   int64 // blocks
	// uses are pairs of a request that has a block and the next one that could find it,
	// in order of the latter.
	uses []use

	stretches []prompt.Stretch // scratch
	extents   []prompt.Extent
}

// block is a full block of a prompt and all before it: by its stretch, and its place in
// that.
type block struct {
	stretch uint64
	place   int32
}

// holders are requests that have a block: the last one, and the first one if it may find the
// block in another order of requests only; else none.
type holders struct{ last, first int32 }

const none = -1

// request is how many blocks a request finds at most, and whether they count.
type request struct {
	found  int32
	counts bool
}

// use is a block that is of use if it is kept from one request to another.
type use struct{ from, to int32 }

// NewReuse returns the reuse of blocks of a number of tokens.
func NewReuse(blockTokens int) *Reuse {
	return &Reuse{blockTokens: blockTokens, blocks: map[block]holders{}}
}

// Add adds the next request: its prompt, the extent of its answer, and its LoRA adapter; 0
// is none. If counts is false, what the request finds is in no bound, and later requests
// find its blocks.
func (r *Reuse) Add(p prompt.Prompt, answer prompt.Extent, adapter int32, counts bool) {
	r.extents = append(append(r.extents[:0], p.Extents...), answer)
	r.stretches = prompt.Prompt{Extents: r.extents}.FullStretches(r.stretches[:0], r.blockTokens)
	prompt.ForAdapter(r.stretches, adapter)
	r.added = append(r.added, request{counts: counts})
	// An engine computes at least the last token of a prompt.
	findable := (p.Tokens() - 1) / r.blockTokens
	place := 0
	for _, s := range r.stretches {
		for i := range s.Blocks {
			r.addBlock(block{s.ID, i}, place < findable)
			place++
		}
	}
	r.requests++
}

// addBlock adds a block of the last request, which may find it or computes it in any case.
//
// Of the requests with a block, someone has to compute it. If all may find it, this is the
// first of them to be served, whoever that is. If one computes it in any case, all others
// find it where that one is served first: then the first to arrive finds it, too.
func (r *Reuse) addBlock(b block, mayFind bool) {
	held, known := r.blocks[b]
	switch {
	case known && mayFind:
		r.finds(r.requests)
		if r.added[r.requests].counts {
			r.uses = append(r.uses, use{held.last, r.requests})
		}
	case known && held.first != none:
		r.finds(held.first)
		held.first = none
	case !known && mayFind:
		held.first = r.requests
	case !known:
		held.first = none
	}
	held.last = r.requests
	r.blocks[b] = held
}

// finds counts a block that a request finds.
func (r *Reuse) finds(request int32) {
	of := &r.added[request]
	of.found++
	if of.counts {
		r.unbounded++
	}
}

// Found returns how many tokens of the prompt of a request caches without a limit give, by
// its number from 0, after all are added. Of all requests that arrive from some time on, no
// order in which they are served gives more together.
func (r *Reuse) Found(request int) int { return int(r.added[request].found) * r.blockTokens }

// Unbounded returns how many tokens caches without a limit give at most, in any order in
// which requests are served.
func (r *Reuse) Unbounded() int64 { return r.unbounded * int64(r.blockTokens) }

// Clairvoyant returns how many tokens caches of a number of blocks together give at most, if
// they know the future.
func (r *Reuse) Clairvoyant(blocks int) int64 {
	byStart := r.byStart()
	hits, live, next := int64(0), 0, 0
	kept := make([]int, r.requests) // how many uses are kept, by the request that they end at
	last := latest{}                // the requests with kept uses
	for now := range r.requests {
		hits += int64(kept[now])
		live -= kept[now]
		for ; next < len(byStart) && byStart[next].from == now; next++ {
			to := byStart[next].to
			if kept[to] == 0 {
				heap.Push(&last, to)
			}
			kept[to]++
			live++
		}
		for ; live > blocks; live-- {
			for kept[last[0]] == 0 {
				heap.Pop(&last)
			}
			kept[last[0]]--
		}
	}
	return hits * int64(r.blockTokens)
}

// byStart returns the uses in order of their first requests.
func (r *Reuse) byStart() []use {
	first := make([]int, r.requests+1)
	for _, u := range r.uses {
		first[u.from+1]++
	}
	for i := range r.requests {
		first[i+1] += first[i]
	}
	sorted := make([]use, len(r.uses))
	for _, u := range r.uses {
		sorted[first[u.from]] = u
		first[u.from]++
	}
	return sorted
}

// latest is a heap of requests, the last one in front.
type latest []int32

func (l latest) Len() int           { return len(l) }
func (l latest) Less(i, j int) bool { return l[i] > l[j] }
func (l latest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }

// Push appends a request.
func (l *latest) Push(x any) { *l = append(*l, x.(int32)) }

// Pop drops the last element.
func (l *latest) Pop() any {
	end := len(*l) - 1
	x := (*l)[end]
	*l = (*l)[:end]
	return x
}
