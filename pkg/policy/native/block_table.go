// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// blockTable is the blocks that were sent last, up to a maximum, with the endpoints that
// each was sent to. A block that is forgotten is so for all endpoints. Of a prompt the first
// block counts as sent first.
//
// It keeps runs of neighbouring blocks of a stretch that were sent to the same endpoints.
type blockTable struct {
	blockTokens, capacity, length int
	ttl                           time.Duration
	runs
	holders []uint64 // sets of endpoints: some words for each run
	words   int

	// The last look: the prompt's blocks, and by endpoint how many it was sent, without a
	// gap from the first one on.
	chain  []prompt.Stretch
	total  int
	blocks []int
	set    []uint64 // scratch
}

func newBlockTable(blockTokens, capacity, endpoints int, ttl time.Duration) blockTable {
	words := (endpoints + 63) / 64
	return blockTable{
		blockTokens: blockTokens, capacity: capacity, ttl: ttl, runs: newRuns(), words: words,
		blocks: make([]int, endpoints), set: make([]uint64, words),
	}
}

// look cuts the request's prompt into blocks and counts what each candidate was sent.
func (t *blockTable) look(r *round) {
	t.expire(r.view.Now)
	t.chain = r.request.Prompt.FullStretches(t.chain[:0], t.blockTokens)
	prompt.ForAdapter(t.chain, r.request.Adapter)
	t.total = r.request.Tokens / t.blockTokens
	clear(t.blocks)
	done := 0
	for _, s := range t.chain {
		at, i := int32(0), t.head(s.ID)
		for ; at < s.Blocks && i != none && t.all[i].from == at; i = t.all[i].next {
			end := min(t.all[i].to, s.Blocks)
			if !t.count(r, i, done, done+int(end-at)) {
				return
			}
			done, at = done+int(end-at), end
		}
		if at < s.Blocks {
			return
		}
	}
}

// count lets the candidates that have all blocks so far, and those of a run, have more.
func (t *blockTable) count(r *round, run int32, sofar, now int) bool {
	some := false
	for _, e := range r.candidates {
		if t.blocks[e] == sofar && t.setOf(run)[e/64]>>(e%64)&1 == 1 {
			t.blocks[e], some = now, true
		}
	}
	return some
}

// percent is an endpoint's share of the prompt's blocks, rounded down.
func (t *blockTable) percent(endpoint int) int {
	if t.total == 0 {
		return 0
	}
	return t.blocks[endpoint] * 100 / t.total
}

// routed notes where the prompt of the last look was sent.
func (t *blockTable) routed(r *round, endpoint int) {
	for _, s := range t.chain {
		last := int32(none) // the run before at
		for at := int32(0); at < s.Blocks; at = t.all[last].to {
			i := t.head(s.ID)
			if last != none {
				i = t.all[last].next
			}
			last = t.send(s, at, i, last, endpoint, r.view.Now)
		}
	}
}

func (*blockTable) remembersPrompts() {}

// send notes that an endpoint was sent the blocks of a stretch from one on: those of the run
// i, if it begins there, and otherwise new ones up to it. They become a run after last, or
// part of last.
func (t *blockTable) send(s prompt.Stretch, at, i, last int32, endpoint int, now simtime.Time) int32 {
	end := s.Blocks
	clear(t.set)
	switch {
	case i != none && t.all[i].from == at:
		end = min(end, t.all[i].to)
		copy(t.set, t.setOf(i))
		t.trim(i, end-at)
	case i != none:
		end = min(end, t.all[i].from)
	}
	t.set[endpoint/64] |= 1 << (endpoint % 64)
	t.length += int(end - at)
	if last != none && last == t.newest && slices.Equal(t.set, t.setOf(last)) {
		t.all[last].to = end
	} else {
		last = t.append(run{stretch: s.ID, from: at, to: end, at: now}, last)
	}
	for t.length > t.capacity {
		t.evict(int32(t.length - t.capacity))
	}
	return last
}

// expire forgets what was not sent for too long.
func (t *blockTable) expire(now simtime.Time) {
	for t.oldest != none && now.Sub(t.all[t.oldest].at) > t.ttl {
		t.evict(t.all[t.oldest].to - t.all[t.oldest].from)
	}
}

// evict takes up to n blocks off the front of the oldest run.
func (t *blockTable) evict(n int32) {
	stretch := t.all[t.oldest].stretch
	t.trim(t.oldest, n)
	t.forgetEmpty(stretch)
}

// trim takes up to n blocks off the front of a run.
func (t *blockTable) trim(i, n int32) {
	r := &t.all[i]
	n = min(n, r.to-r.from)
	r.from += n
	t.length -= int(n)
	if r.from == r.to {
		t.drop(i)
	}
}

// append adds a run with the endpoints in t.set as the newest, after another one of its
// stretch, or as the first.
func (t *blockTable) append(r run, after int32) int32 {
	i := t.runs.append(r, after)
	if int(i)*t.words == len(t.holders) {
		t.holders = append(t.holders, t.set...)
	}
	copy(t.setOf(i), t.set)
	return i
}

func (t *blockTable) setOf(run int32) []uint64 {
	return t.holders[int(run)*t.words : (int(run)+1)*t.words]
}
