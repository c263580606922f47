// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"cmp"
	"slices"
)

// sort puts rows, none of which waits for another, in order of time. Rows of one time
// keep their order. Sessions are numbered again in order of their first rows.
func (t *Trace) sort() {
	order := make([]int, len(t.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.rows[a].arrival, t.rows[b].arrival) })
	sorted := Trace{blocks: make([]uint64, 0, len(t.blocks))}
	numbers := map[int32]int32{0: 0}
	for _, i := range order {
		row := t.rows[i]
		var e entry
		t.fill(&e, i)
		sorted.blocks = append(sorted.blocks, e.blocks...)
		row.blocksEnd = len(sorted.blocks)
		row.arrival -= t.rows[order[0]].arrival
		sorted.rows = append(sorted.rows, row)
		if len(t.columns.set) > 0 {
			sorted.columns.set = append(sorted.columns.set, t.columns.setOf(i))
		}
		if session := t.columns.sessionOf(i); len(t.columns.session) > 0 {
			if _, known := numbers[session]; !known {
				numbers[session] = int32(len(numbers))
			}
			sorted.columns.session = append(sorted.columns.session, numbers[session])
		}
	}
	t.rows, t.blocks, t.columns.set, t.columns.session = sorted.rows, sorted.blocks, sorted.columns.set, sorted.columns.session
}
