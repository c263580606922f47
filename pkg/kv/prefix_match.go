// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// unknownMiss is a place in a chain beyond all.
const unknownMiss = math.MaxInt32

// prefixMatch finds the cached prefix of a chain, and keeps it for the Admit that
// follows.
type prefixMatch struct {
	sequences *sequences
	// hits is the stretches that the last look-up found, and missFrom the place in the
	// chain from which on it knows that stretches are not cached.
	hits     []int32
	missFrom int32
}

func (m *prefixMatch) reset() { m.hits, m.missFrom = m.hits[:0], unknownMiss }

// find returns how many leading blocks of a chain are cached, at most limit.
func (m *prefixMatch) find(chain []prompt.Stretch, limit int) int {
	m.reset()
	table := &m.sequences.pool.table
	matched := 0
	parent := int32(none)
	for i := range chain {
		if matched >= limit {
			break
		}
		at := table.find(parent, chain[i].ID)
		if at != none {
			m.sequences.revokeClaim(at)
		}
		if at == none || table.removeIfEmpty(at) {
			m.missFrom = int32(i)
			break
		}
		m.hits = append(m.hits, at)
		want := min(int(chain[i].Blocks), limit-matched)
		cached := int(table.stretches.all[at].end)
		if cached < want {
			matched += cached
			m.missFrom = int32(i + 1)
			break
		}
		matched += want
		parent = at
	}
	return matched
}

// isOf reports whether the last look-up was for a chain.
func (m *prefixMatch) isOf(chain []prompt.Stretch) bool {
	return len(m.hits) > 0 && m.sequences.pool.table.stretches.all[m.hits[0]].id == chain[0].ID
}

// free returns how many of the first n blocks of a chain, all cached, are free.
func (m *prefixMatch) free(chain []prompt.Stretch, n int) int {
	free, table := 0, &m.sequences.pool.table
	for i := 0; n > 0; i++ {
		s := &table.stretches.all[m.hits[i]]
		want := min(chain[i].Blocks, int32(n))
		n -= int(want)
		at := int32(none)
		for block, until := int32(0), int32(0); block < want; block = until {
			at, until = table.lookUp(s, at, block)
			until = min(until, want)
			if table.segments.all[at].references == 0 {
				free += int(until - block)
			}
		}
	}
	return free
}

// acquire makes a sequence hold the first n blocks of its chain, all cached.
func (m *prefixMatch) acquire(q *sequence, n int) {
	for n > 0 {
		want := min(q.chain[q.at].Blocks, int32(n))
		q.current = m.hits[q.at]
		m.acquireStretch(q, q.current, want)
		n -= int(want)
		q.advance(want)
	}
}

// acquireStretch makes a sequence hold the first n blocks of a stretch.
func (m *prefixMatch) acquireStretch(q *sequence, stretch, n int32) {
	at, pool := int32(none), &m.sequences.pool
	for block, until := int32(0), int32(0); block < n; block = until {
		at, until = pool.table.lookUp(&pool.table.stretches.all[stretch], at, block)
		until = min(until, n)
		if pool.table.segments.all[at].from < block {
			at = pool.cut(at, block)
		}
		if until < pool.table.segments.all[at].to {
			pool.cut(at, until)
		}
		pool.acquire(at, q.priority)
		q.held = append(q.held, heldBlocks{at, until - block})
	}
}
