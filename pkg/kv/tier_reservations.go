// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/simtime"

// Reservation is places of a tier for blocks that are being transferred, by number.
// Numbers are used again after Complete or Cancel.
type Reservation int32

// reservation is pending segments, in the order in which they were reserved.
type reservation struct {
	segments  []int32
	backwards bool
}

// Reserve takes places for as many of the first blocks of spans as are Reservable, and
// evicts blocks where there are too few free places. It skips blocks that are present or
// pending already. taken is how many blocks got a place; where it is 0, there is no
// reservation. evicted is which blocks were evicted, in that order, and good until the
// next call. The spans go forwards, all of them, or backwards.
func (t *Tier) Reserve(spans []Span) (reserved Reservation, taken int, evicted []Span) {
	free, reservable := t.blocks-t.Used(), t.Reservable()
	at := t.reservations.take()
	r := &t.reservations.all[at]
	r.segments, r.backwards = r.segments[:0], len(spans) > 0 && spans[0].backwards()
	for _, span := range spans {
		taken += t.reserve(r, span, reservable-taken)
	}
	t.pending += taken
	t.evict(taken - free)
	if taken == 0 {
		t.reservations.release(at)
		return none, 0, nil
	}
	return Reservation(at), taken, t.evicted
}

// reserve makes at most limit of a span's missing blocks pending.
func (t *Tier) reserve(r *reservation, span Span, limit int) (taken int) {
	t.spans = t.table.missing(t.spans[:0], span)
	for _, gap := range t.spans {
		from, to := gap.bounds()
		n := min(to-from, int32(limit-taken))
		if n == 0 {
			break
		}
		if gap.backwards() {
			from = to - n
		}
		r.segments = append(r.segments, t.table.insert(t.table.open(gap.ID), from, from+n))
		taken += int(n)
	}
	return taken
}

// ReservedSpans appends to dst the blocks of a reservation, in the order in which they
// were reserved.
func (t *Tier) ReservedSpans(dst []Span, reserved Reservation) []Span {
	r := t.reservation(reserved)
	for _, at := range r.segments {
		s := &t.table.segments.all[at]
		span := Span{t.table.stretches.all[s.stretch].id, s.from, s.to}
		if r.backwards {
			span.From, span.To = span.To, span.From
		}
		dst = append(dst, span)
	}
	return dst
}

// Reserves reports whether any block of spans is of a reservation.
func (t *Tier) Reserves(reserved Reservation, spans []Span) bool {
	for _, at := range t.reservation(reserved).segments {
		s := &t.table.segments.all[at]
		id := t.table.stretches.all[s.stretch].id
		for _, span := range spans {
			if from, to := span.bounds(); span.ID == id && from < s.to && s.from < to {
				return true
			}
		}
	}
	return false
}

// Complete makes the blocks of a reservation present, by a request of some priority.
// They are the youngest of their rank then, and the first block of all is the youngest
// of them; those that were reserved backwards keep their order.
func (t *Tier) Complete(reserved Reservation, now simtime.Time, priority int) {
	r := t.reservation(reserved)
	for i := range r.segments {
		if r.backwards {
			t.store(r.segments[i], now, priority)
		} else {
			t.store(r.segments[len(r.segments)-1-i], now, priority)
		}
	}
	t.endReservation(reserved)
}

// store makes a pending segment present.
func (t *Tier) store(at int32, now simtime.Time, priority int) {
	s := &t.table.segments.all[at]
	t.pending -= int(s.len())
	t.present += int(s.len())
	s.pending, s.stored = false, now
	if t.listener != nil {
		t.listener.BlocksStored(t.table.stretches.all[s.stretch].id, s.from, s.to)
	}
	s.rank = t.order.firstRank(priority)
	t.queue.push(at)
}

// Cancel gives the places of a reservation back.
func (t *Tier) Cancel(reserved Reservation) {
	for _, at := range t.reservation(reserved).segments {
		t.pending -= int(t.table.segments.all[at].len())
		t.table.remove(at)
	}
	t.endReservation(reserved)
}

func (t *Tier) reservation(reserved Reservation) *reservation {
	r := &t.reservations.all[reserved]
	if len(r.segments) == 0 {
		panic("kv: a reservation has ended already")
	}
	return r
}

func (t *Tier) endReservation(reserved Reservation) {
	t.reservations.all[reserved].segments = t.reservations.all[reserved].segments[:0]
	t.reservations.release(int32(reserved))
}
