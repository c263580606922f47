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
	first                         map[uint64]int32 // a stretch's first run
	runs                          []tableRun
	holders                       []uint64 // sets of endpoints: some words for each run
	words                         int
	free                          []int32
	oldest, newest                int32

	// The last look: the prompt's blocks, and by endpoint how many it was sent, without a
	// gap from the first one on.
	chain  []prompt.Stretch
	total  int
	blocks []int
	set    []uint64 // scratch
}

// tableRun is the blocks [from, to) of a stretch, which were last sent at a time. It is in
// the list of the stretch by from, next, and in that of all by age.
type tableRun struct {
	stretch      uint64
	from, to     int32
	at           simtime.Time
	next         int32
	older, newer int32
}

func newBlockTable(blockTokens, capacity, endpoints int, ttl time.Duration) blockTable {
	words := (endpoints + 63) / 64
	return blockTable{
		blockTokens: blockTokens, capacity: capacity, ttl: ttl, first: map[uint64]int32{}, words: words,
		oldest: none, newest: none, blocks: make([]int, endpoints), set: make([]uint64, words),
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
		for ; at < s.Blocks && i != none && t.runs[i].from == at; i = t.runs[i].next {
			end := min(t.runs[i].to, s.Blocks)
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
		for at := int32(0); at < s.Blocks; at = t.runs[last].to {
			i := t.head(s.ID)
			if last != none {
				i = t.runs[last].next
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
	case i != none && t.runs[i].from == at:
		end = min(end, t.runs[i].to)
		copy(t.set, t.setOf(i))
		t.trim(i, end-at)
	case i != none:
		end = min(end, t.runs[i].from)
	}
	t.set[endpoint/64] |= 1 << (endpoint % 64)
	t.length += int(end - at)
	if last != none && last == t.newest && slices.Equal(t.set, t.setOf(last)) {
		t.runs[last].to = end
	} else {
		last = t.append(tableRun{stretch: s.ID, from: at, to: end, at: now}, last)
	}
	for t.length > t.capacity {
		t.evict(int32(t.length - t.capacity))
	}
	return last
}

// expire forgets what was not sent for too long.
func (t *blockTable) expire(now simtime.Time) {
	for t.oldest != none && now.Sub(t.runs[t.oldest].at) > t.ttl {
		t.evict(t.runs[t.oldest].to - t.runs[t.oldest].from)
	}
}

// evict takes up to n blocks off the front of the oldest run.
func (t *blockTable) evict(n int32) {
	stretch := t.runs[t.oldest].stretch
	t.trim(t.oldest, n)
	if t.first[stretch] == none {
		delete(t.first, stretch)
	}
}

// trim takes up to n blocks off the front of a run.
func (t *blockTable) trim(i, n int32) {
	r := &t.runs[i]
	n = min(n, r.to-r.from)
	r.from += n
	t.length -= int(n)
	if r.from == r.to {
		t.drop(i)
	}
}

// append adds a run with the endpoints in t.set as the newest, after another one of its
// stretch, or as the first.
func (t *blockTable) append(run tableRun, after int32) int32 {
	i := int32(len(t.runs))
	if last := len(t.free) - 1; last >= 0 {
		i, t.free = t.free[last], t.free[:last]
	} else {
		t.runs = append(t.runs, tableRun{})
		t.holders = append(t.holders, t.set...)
	}
	copy(t.setOf(i), t.set)
	run.older, run.newer = t.newest, none
	if after == none {
		run.next = t.head(run.stretch)
		t.first[run.stretch] = i
	} else {
		run.next = t.runs[after].next
		t.runs[after].next = i
	}
	if t.newest == none {
		t.oldest = i
	} else {
		t.runs[t.newest].newer = i
	}
	t.newest, t.runs[i] = i, run
	return i
}

// drop forgets a run that is empty. A stretch may have none after that: it is about to get
// another one, or to be forgotten too.
func (t *blockTable) drop(i int32) {
	r := t.runs[i]
	if r.older == none {
		t.oldest = r.newer
	} else {
		t.runs[r.older].newer = r.newer
	}
	if r.newer == none {
		t.newest = r.older
	} else {
		t.runs[r.newer].older = r.older
	}
	if before := t.first[r.stretch]; before == i {
		t.first[r.stretch] = r.next
	} else {
		for t.runs[before].next != i {
			before = t.runs[before].next
		}
		t.runs[before].next = r.next
	}
	t.free = append(t.free, i)
}

func (t *blockTable) head(stretch uint64) int32 {
	if i, ok := t.first[stretch]; ok {
		return i
	}
	return none
}

func (t *blockTable) setOf(run int32) []uint64 {
	return t.holders[int(run)*t.words : (int(run)+1)*t.words]
}
