// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"sync"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// trees are the rows of a trace by what belongs together: sessions, and those that wait for each other. They are found
// when they are first asked for.
type trees struct {
	once sync.Once
	// of is the tree of a row, and begin are the rows of a tree that wait for no other.
	of    []int32
	begin [][]int32
}

// findTrees finds the trees of a trace in memory, in order of their first rows.
func (t *Trace) findTrees() {
	above := make([]int32, len(t.rows)) // a row of the same tree before a row, or the row itself
	root := func(i int32) int32 {
		for above[i] != i {
			above[i] = above[above[i]]
			i = above[i]
		}
		return i
	}
	join := func(a, b int32) {
		if a, b = root(a), root(b); a != b {
			above[max(a, b)] = min(a, b)
		}
	}
	first := map[int32]int32{} // row of a session
	for i := range int32(len(t.rows)) {
		above[i] = i
		session := t.columns.sessionOf(int(i))
		if row, known := first[session]; known && session > 0 {
			join(row, i)
		} else if !known {
			first[session] = i
		}
	}
	for row, next := range t.columns.links.next {
		for _, waits := range next {
			join(row, waits)
		}
	}
	t.trees.of = make([]int32, len(t.rows))
	for i := range int32(len(t.rows)) {
		if root(i) == i {
			t.trees.of[i] = int32(len(t.trees.begin))
			t.trees.begin = append(t.trees.begin, nil)
		}
		tree := t.trees.of[root(i)]
		t.trees.of[i] = tree
		if _, waits := t.columns.delayOf(int(i)); !waits {
			t.trees.begin[tree] = append(t.trees.begin[tree], i)
		}
	}
}

// concurrent keeps a number of trees under way.
type concurrent struct {
	next int   // tree to begin
	open []int // rows of a tree that are in flight or are to be sent
}

// beginTrees begins the first trees of a replay.
func (p *replay) beginTrees(number int) {
	p.trace.trees.once.Do(p.trace.findTrees)
	p.began = true // no row arrives by itself
	p.concurrent = &concurrent{open: make([]int, len(p.trace.trees.begin))}
	for range number {
		p.beginTree(func(d time.Duration) simtime.Time { return simtime.Time(d) })
	}
}

// beginTree begins the next tree, if one has rows to send. after is the instant so long after its beginning.
func (p *replay) beginTree(after func(time.Duration) simtime.Time) {
	c, all := p.concurrent, &p.trace.trees
	for tree := c.next; tree < len(all.begin); tree++ {
		c.next = tree + 1
		rows := all.begin[tree]
		first := p.trace.rows[rows[0]].arrival
		for _, row := range rows {
			if int(row) < p.end {
				c.open[tree]++
				p.waiting.Push(due.Place{At: after(time.Duration(scaled(p.trace.rows[row].arrival-first, p.scale))), Place: row})
			}
		}
		if c.open[tree] > 0 {
			return
		}
	}
}

// endRow notes that a row of a tree has ended, once the rows that wait for it are due. After the last one, another tree begins.
func (p *replay) endRow(row int, at simtime.Time) {
	if p.concurrent == nil {
		return
	}
	tree := p.trace.trees.of[row]
	if p.concurrent.open[tree]--; p.concurrent.open[tree] == 0 {
		p.beginTree(func(d time.Duration) simtime.Time { return due.After(at, d) })
	}
}
