// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/prompt"

// memory is the blocks that were touched last, up to a maximum. It keeps runs of
// neighbouring blocks of a stretch that were touched together; of those the first
// was touched first, and leaves first: what is left of a prompt then has no beginning.
// With leavesFirst it is the last one: the memory is then a radix tree of prompts, which
// loses its leaves first and so never has a gap.
type memory struct {
	leavesFirst      bool
	capacity, length int
	first            map[uint64]int32 // a stretch's first run
	runs             []memoryRun
	free             []int32
	oldest, newest   int32
}

// memoryRun is the blocks [from, to) of a stretch. It is in the list of the
// stretch, next, and in that of all by age.
type memoryRun struct {
	stretch      uint64
	from, to     int32
	next         int32
	older, newer int32
}

// none is no run.
const none = -1

func newMemory(capacity int) memory {
	return memory{capacity: capacity, first: map[uint64]int32{}, oldest: none, newest: none}
}

// match returns how many of a chain's blocks are there without a gap, from the
// first one on.
func (m *memory) match(chain []prompt.Stretch) int {
	blocks := 0
	for _, s := range chain {
		covered := m.covers(s.ID, 0, s.Blocks)
		blocks += int(covered)
		if covered < s.Blocks {
			break
		}
	}
	return blocks
}

// covers returns up to which block of a stretch all are there from one on; n at
// most.
func (m *memory) covers(stretch uint64, from, n int32) int32 {
	for grown := true; grown && from < n; {
		grown = false
		for i := m.head(stretch); i != none; i = m.runs[i].next {
			if r := &m.runs[i]; r.from <= from && r.to > from {
				from, grown = min(r.to, n), true
			}
		}
	}
	return from
}

// count returns how many of the first n blocks of a stretch are there.
func (m *memory) count(stretch uint64, n int32) int {
	blocks := 0
	for i := m.head(stretch); i != none; i = m.runs[i].next {
		if r := &m.runs[i]; r.from < n {
			blocks += int(min(r.to, n) - r.from)
		}
	}
	return blocks
}

func (m *memory) head(stretch uint64) int32 {
	if i, ok := m.first[stretch]; ok {
		return i
	}
	return none
}

// touch makes a chain's blocks the last ones and forgets those that are too many.
func (m *memory) touch(chain []prompt.Stretch) {
	m.add(chain)
	m.evict()
}

// add makes a chain's blocks the last ones.
func (m *memory) add(chain []prompt.Stretch) {
	for i := range chain {
		s := chain[i]
		if m.leavesFirst {
			s = chain[len(chain)-1-i]
		}
		m.cut(s.ID, s.Blocks)
		m.append(s.ID, s.Blocks)
	}
}

// evict forgets the blocks that are too many.
func (m *memory) evict() {
	for m.length > m.capacity {
		r := &m.runs[m.oldest]
		n := min(int32(m.length-m.capacity), r.to-r.from)
		if m.leavesFirst {
			r.to -= n
		} else {
			r.from += n
		}
		m.length -= int(n)
		if stretch := r.stretch; r.from == r.to {
			m.drop(m.oldest)
			if m.first[stretch] == none {
				delete(m.first, stretch)
			}
		}
	}
}

// forget forgets everything.
func (m *memory) forget() {
	clear(m.first)
	m.runs, m.free = m.runs[:0], m.free[:0]
	m.length, m.oldest, m.newest = 0, none, none
}

// cut takes the first n blocks of a stretch out.
func (m *memory) cut(stretch uint64, n int32) {
	var next int32
	for i := m.head(stretch); i != none; i = next {
		r := &m.runs[i]
		next = r.next
		if r.from >= n {
			continue
		}
		until := min(r.to, n)
		m.length -= int(until - r.from)
		r.from = until
		if r.from == r.to {
			m.drop(i)
		}
	}
}

// append adds the first n blocks of a stretch as the newest.
func (m *memory) append(stretch uint64, n int32) {
	i := int32(len(m.runs))
	if last := len(m.free) - 1; last >= 0 {
		i, m.free = m.free[last], m.free[:last]
	} else {
		m.runs = append(m.runs, memoryRun{})
	}
	m.runs[i] = memoryRun{stretch: stretch, to: n, next: m.head(stretch), older: m.newest, newer: none}
	m.first[stretch] = i
	if m.newest == none {
		m.oldest = i
	} else {
		m.runs[m.newest].newer = i
	}
	m.newest = i
	m.length += int(n)
}

// drop forgets a run that is empty. A stretch may have none after that: it is about to get
// another one, or to be forgotten too.
func (m *memory) drop(i int32) {
	r := m.runs[i]
	if r.older == none {
		m.oldest = r.newer
	} else {
		m.runs[r.older].newer = r.newer
	}
	if r.newer == none {
		m.newest = r.older
	} else {
		m.runs[r.newer].older = r.older
	}
	if m.first[r.stretch] == i {
		m.first[r.stretch] = r.next
	} else {
		before := m.first[r.stretch]
		for m.runs[before].next != i {
			before = m.runs[before].next
		}
		m.runs[before].next = r.next
	}
	m.free = append(m.free, i)
}
