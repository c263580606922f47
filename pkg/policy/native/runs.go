// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/simtime"

// runs are neighbouring blocks of stretches, in the lists of their stretches and in that of all by age.
type runs struct {
	first          map[uint64]int32 // a stretch's first run
	all            []run
	free           []int32
	oldest, newest int32
}

// run is the blocks [from, to) of a stretch.
type run struct {
	stretch      uint64
	from, to     int32
	next         int32 // of the stretch
	older, newer int32
	// at is when the blocks were sent, where that counts.
	at simtime.Time
}

// none is no run.
const none = -1

func newRuns() runs { return runs{first: map[uint64]int32{}, oldest: none, newest: none} }

// head returns the first run of a stretch.
func (m *runs) head(stretch uint64) int32 {
	if i, ok := m.first[stretch]; ok {
		return i
	}
	return none
}

// append adds a run as the newest, after another one of its stretch, or as the first.
func (m *runs) append(r run, after int32) int32 {
	i := int32(len(m.all))
	if last := len(m.free) - 1; last >= 0 {
		i, m.free = m.free[last], m.free[:last]
	} else {
		m.all = append(m.all, run{})
	}
	r.older, r.newer = m.newest, none
	if after == none {
		r.next = m.head(r.stretch)
		m.first[r.stretch] = i
	} else {
		r.next = m.all[after].next
		m.all[after].next = i
	}
	if m.newest == none {
		m.oldest = i
	} else {
		m.all[m.newest].newer = i
	}
	m.newest, m.all[i] = i, r
	return i
}

// drop forgets a run that is empty. A stretch may have none after that: it is about to get
// another one, or to be forgotten too.
func (m *runs) drop(i int32) {
	r := m.all[i]
	if r.older == none {
		m.oldest = r.newer
	} else {
		m.all[r.older].newer = r.newer
	}
	if r.newer == none {
		m.newest = r.older
	} else {
		m.all[r.newer].older = r.older
	}
	if before := m.first[r.stretch]; before == i {
		m.first[r.stretch] = r.next
	} else {
		for m.all[before].next != i {
			before = m.all[before].next
		}
		m.all[before].next = r.next
	}
	m.free = append(m.free, i)
}

// forgetEmpty forgets a stretch without runs.
func (m *runs) forgetEmpty(stretch uint64) {
	if m.first[stretch] == none {
		delete(m.first, stretch)
	}
}
