// SPDX-License-Identifier: Apache-2.0

package kv

// Windows is what a sequence holds in addition to its blocks because some layers attend to the
// last tokens only, as vLLM's hybrid KV cache manager has it: the layers are in groups as
// large as that of the layers that attend to the whole context, and each group takes a
// block of the pool for each block of the sequence, and gives up the one that its window
// has left. Those blocks are not found by others, but they push the content of free ones
// out: a given up block goes to the end of the queue, a new one comes from its front.
type Windows struct {
	// Groups is the number of such groups, Blocks how many blocks each of them holds of
	// a sequence at most. Both are 0 where all layers attend to the whole context.
	Groups, Blocks int
}

// of returns how many blocks the groups hold of a sequence of a number of blocks.
func (w Windows) of(blocks int) int { return w.Groups * min(blocks, w.Blocks) }

// LongestSequence returns how many blocks a sequence can have that is alone in a pool of so
// many blocks.
func (w Windows) LongestSequence(pool int) int {
	if within := pool / (1 + w.Groups); within < w.Blocks {
		return within
	}
	return pool - w.Groups*w.Blocks
}

// takeFor takes fresh blocks for a sequence, up to a total, and moves its windows
// on.
func (s *sequences) takeFor(q *sequence, blocks, fresh int) {
	s.pool.take(fresh)
	if s.windows.Groups == 0 {
		return
	}
	grown := min(blocks, s.windows.Blocks) - int(q.window)
	q.window += int32(grown)
	s.pool.take(s.windows.Groups * grown)
	held := s.windows.Groups * int(q.window)
	for left := s.windows.Groups * max(0, fresh-grown); left > 0; left -= held {
		s.pool.rotate(min(left, held))
	}
}

// rotate gives up n blocks without content that a sequence holds, and takes as many.
func (p *blockPool) rotate(n int) {
	p.queue.pushBlank(n)
	p.take(n)
}

// slideDecodes moves the windows of those sequences on that have got a block in this step.
func (s *sequences) slideDecodes() {
	d := &s.decodes
	growing := &d.growing[d.phase]
	full := int(d.opening[d.phase]) - len(*growing)
	s.pool.take(s.windows.Groups * len(*growing))
	s.pool.rotate(s.windows.Groups * full)
	kept := (*growing)[:0]
	for _, at := range *growing {
		q := &s.records.all[at]
		if q.window++; int(q.window) < s.windows.Blocks {
			kept = append(kept, at)
		}
	}
	*growing = kept
}

// addGrowing counts a sequence whose decode starts, if its windows are not full.
func (s *sequences) addGrowing(at int32) {
	if q := &s.records.all[at]; s.decodes.growing != nil && int(q.window) < s.windows.Blocks {
		list := &s.decodes.growing[s.decodes.opensIn(q.tokens)]
		*list = append(*list, at)
	}
}

// removeGrowing undoes addGrowing for a sequence whose tokens are up to date.
func (s *sequences) removeGrowing(at int32) {
	if s.decodes.growing == nil {
		return
	}
	list := &s.decodes.growing[s.decodes.opensIn(s.records.all[at].tokens)]
	for i, other := range *list {
		if other == at {
			(*list)[i] = (*list)[len(*list)-1]
			*list = (*list)[:len(*list)-1]
			return
		}
	}
}
