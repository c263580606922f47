// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// A row may have an id, and a row may wait for the ends of several rows before it that have
// ids: what an agent asks next waits for all that it asked at once, in other sessions too.

// subSession begins the part of a session's name that tells an agent from the agent that began
// it. A sample keeps all of the sessions of a tree or none.
const subSession = "::"

// tree returns the name of the session that began a session.
func (r *record) tree() string {
	if !r.named && len(r.after) == 0 {
		return r.session
	}
	tree, _, _ := strings.Cut(r.session, subSession)
	return tree
}

// checkLinks checks that a row waits for rows before it, and that its id is new.
func (r *rowReader) checkLinks(rec *record) error {
	for _, id := range rec.after {
		if _, known := r.named[id]; !known {
			return invalidField(windtunnelAfter, "must be ids of earlier rows, got %d", id)
		}
	}
	if _, known := r.named[rec.id]; known && rec.named {
		return invalidField(windtunnelID, "must be unique, but an earlier row has %d, too", rec.id)
	}
	return nil
}

// fateBefore returns what became of the rows that a row waits for, or of the last one of its session.
func (r *rowReader) fateBefore(rec *record) fate {
	if len(rec.after) == 0 {
		return r.fates[rec.session]
	}
	all := fate{selected: true}
	for _, id := range rec.after {
		one := r.named[id]
		all.selected = all.selected && one.selected
		all.cut = max(all.cut, one.cut)
	}
	return all
}

// keepFate notes what became of a row for those that wait for it.
func (r *rowReader) keepFate(rec *record, is fate) {
	if r.fates != nil && rec.session != "" {
		r.fates[rec.session] = is
	}
	if rec.named {
		if r.named == nil {
			r.named = map[uint64]fate{}
		}
		r.named[rec.id] = is
	}
}

// links are the rows that wait for several rows.
type links struct {
	// next are the rows that wait for a row, and of counts the rows that a row waits for.
	next map[int32][]int32
	of   map[int32]int32
	// edges counts pairs of rows.
	edges int
}

// add notes that row i waits for others, by their ids.
func (l *links) add(i int32, after []uint64, rows map[uint64]int32) {
	if l.next == nil {
		l.next, l.of = map[int32][]int32{}, map[int32]int32{}
	}
	for _, id := range after {
		row := rows[id]
		l.next[row] = append(l.next[row], i)
	}
	l.of[i] = int32(len(after))
	l.edges += len(after)
}

// bytes is about what the links take of memory.
func (l *links) bytes() int64 { return int64(len(l.next))*64 + int64(len(l.of))*16 + int64(l.edges)*8 }

// awaited reports whether other rows wait for the end of a row.
func (p *replay) awaited(row int) bool {
	return p.nextOf(row) > 0 || len(p.trace.columns.links.next[int32(row%p.trace.requests)]) > 0
}

// endLinks sends the rows that wait for an answered row among others, if it is the last one of those.
func (p *replay) endLinks(row int, at simtime.Time) {
	within := row % p.trace.requests
	for _, next := range p.trace.columns.links.next[int32(within)] {
		waits := row - within + int(next)
		if p.missing == nil {
			p.missing = map[int]int32{}
		}
		if _, begun := p.missing[waits]; !begun {
			p.missing[waits] = p.trace.columns.links.of[next]
		}
		if p.missing[waits]--; p.missing[waits] > 0 {
			continue
		}
		delete(p.missing, waits)
		p.follow(waits, at)
	}
}

// follow sends a row when its delay after the end of another is over.
func (p *replay) follow(row int, at simtime.Time) {
	if row >= p.end {
		return
	}
	if p.concurrent != nil {
		p.concurrent.open[p.trace.trees.of[row]]++
	}
	delay, _ := p.trace.columns.delayOf(row % p.trace.requests)
	p.waiting.Push(due.Place{At: due.After(at, delay), Place: int32(row)})
}
