// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/internal/due"
)

// Loop says that a trace begins again after its last row, and what its prompts are then.
type Loop string

const (
	// SamePrefixes repeats the recorded blocks of prompts, so that caches which hold them
	// serve them again.
	SamePrefixes Loop = "SamePrefixes"
	// FreshPrefixes gives each round blocks of its own: prompts share within a round what
	// they shared when they were recorded, and nothing with other rounds.
	FreshPrefixes Loop = "FreshPrefixes"
)

// Period is the time from the first row of one round of a loop to that of the next: the
// span of the trace and the mean gap between its recorded times. It is 0 for a trace
// whose rows have one time, which cannot loop.
func (t *Trace) Period() time.Duration {
	if t.times < 2 {
		return 0
	}
	return time.Duration(t.span) + time.Duration(int64(t.span)/int64(t.times-1))
}

// loop is a cursor that begins again after the last row. Texts that no other row had when
// they were recorded are new in each round, and so are sessions.
type loop struct {
	trace  *Trace
	fresh  bool
	rows   cursor
	round  int
	memory blockSlab
}

// next implements cursor.
func (l *loop) next(e *entry) bool {
	for !l.rows.next(e) {
		if l.rows.close() != nil || !l.begin() {
			return false
		}
	}
	l.shiftTo(e, l.round)
	return true
}

// begin begins the next round; false where it would be beyond all times.
func (l *loop) begin() bool {
	if int64(l.round+2) > int64(due.MaxTime)/int64(l.trace.Period()) {
		return false
	}
	l.round++
	l.rows = l.trace.cursor()
	return true
}

// shiftTo moves a row into a round.
func (l *loop) shiftTo(e *entry, round int) {
	if round == 0 {
		return
	}
	e.index += round * l.trace.requests
	e.arrival += simtime.Time(int64(round) * int64(l.trace.Period()))
	if e.session > 0 {
		e.session += int32(round * l.trace.sessions)
	}
	if !l.fresh {
		return
	}
	blocks := l.memory.take(len(e.blocks))
	for i, source := range e.blocks {
		blocks[i] = stats.Hash64(source, uint64(round))
	}
	e.blocks = blocks
}

// close implements cursor.
func (l *loop) close() error { return l.rows.close() }

// blockSlab hands out memory for blocks in slabs.
type blockSlab struct{ rest []uint64 }

const slabBlocks = 4096

// take returns n zeros that no other caller has.
func (s *blockSlab) take(n int) []uint64 {
	if n > len(s.rest) {
		s.rest = make([]uint64, max(n, slabBlocks))
	}
	taken := s.rest[:n:n]
	s.rest = s.rest[n:]
	return taken
}
