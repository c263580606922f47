// SPDX-License-Identifier: Apache-2.0

package kv

// registerFull registers the blocks that the sequence's tokens fill, but for those that may
// never come. The stretches of
// its chain from missFrom on are known not to be cached.
func (s *sequences) registerFull(at, missFrom int32) {
	if !s.caching {
		return
	}
	q := &s.records.all[at]
	if q.withheld {
		return
	}
	table, full := &s.pool.table, int32((q.tokens-q.unsure)/s.blockTokens)
	for q.registered < full && int(q.at) < len(q.chain) {
		if q.current == none && q.at >= missFrom {
			q.current = table.create(q)
		} else if q.current == none {
			q.current = table.open(q)
		}
		if claimant := table.stretches.all[q.current].claimant; claimant != at {
			s.revokeClaim(q.current)
		}
		n := min(full-q.registered, q.chain[q.at].Blocks-q.into)
		s.register(q, q.current, n)
		q.advance(n)
	}
}

// register registers the sequence's next n blocks. Those that are copies of cached
// blocks become a segment of their own.
func (s *sequences) register(q *sequence, stretch, n int32) {
	table := &s.pool.table
	from, to := q.into, q.into+n
	rank := table.ranks.order.firstRank(q.priority)
	if end := table.stretches.all[stretch].end; from < end {
		middle := min(end, to)
		q.held = append(q.held, heldBlocks{table.append(stretch, from, middle, rank), middle - from})
		from = middle
	}
	if from == to {
		return
	}
	if table.listener != nil {
		table.listener.BlocksStored(table.stretches.all[stretch].id, from, to)
	}
	if table.extendLast(q, stretch, from, to, rank) {
		return
	}
	q.held = append(q.held, heldBlocks{table.append(stretch, from, to, rank), to - from})
}

// extendLast adds the blocks [from, to) to the sequence's last segment, if no other
// sequence holds that, it ends there and has their rank.
func (t *blockTable) extendLast(q *sequence, stretch, from, to int32, rank int64) bool {
	if len(q.held) == 0 {
		return false
	}
	h := &q.held[len(q.held)-1]
	last := &t.segments.all[h.segment]
	if last.stretch != stretch || last.to != from || last.references != 1 || last.len() != h.blocks {
		return false
	}
	if !t.ranks.is(h.segment, rank) {
		return false
	}
	last.to = to
	h.blocks += to - from
	t.stretches.all[stretch].end = to
	return true
}
