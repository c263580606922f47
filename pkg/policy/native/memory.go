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
	runs
}

func newMemory(capacity int) memory {
	return memory{capacity: capacity, runs: newRuns()}
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
		for i := m.head(stretch); i != none; i = m.all[i].next {
			if r := &m.all[i]; r.from <= from && r.to > from {
				from, grown = min(r.to, n), true
			}
		}
	}
	return from
}

// count returns how many of the first n blocks of a stretch are there.
func (m *memory) count(stretch uint64, n int32) int {
	blocks := 0
	for i := m.head(stretch); i != none; i = m.all[i].next {
		if r := &m.all[i]; r.from < n {
			blocks += int(min(r.to, n) - r.from)
		}
	}
	return blocks
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
		m.append(run{stretch: s.ID, to: s.Blocks}, none)
		m.length += int(s.Blocks)
	}
}

// evict forgets the blocks that are too many.
func (m *memory) evict() {
	for m.length > m.capacity {
		r := &m.all[m.oldest]
		n := min(int32(m.length-m.capacity), r.to-r.from)
		if m.leavesFirst {
			r.to -= n
		} else {
			r.from += n
		}
		m.length -= int(n)
		if stretch := r.stretch; r.from == r.to {
			m.drop(m.oldest)
			m.forgetEmpty(stretch)
		}
	}
}

// forget forgets everything.
func (m *memory) forget() {
	clear(m.first)
	m.all, m.free = m.all[:0], m.free[:0]
	m.length, m.oldest, m.newest = 0, none, none
}

// cut takes the first n blocks of a stretch out.
func (m *memory) cut(stretch uint64, n int32) {
	var next int32
	for i := m.head(stretch); i != none; i = next {
		r := &m.all[i]
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
