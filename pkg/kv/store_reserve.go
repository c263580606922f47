// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/simtime"

// Reservation is places that Reserve has given, by number. Numbers are used again
// after Arrive or Cancel.
type Reservation int32

// reservation is pieces on their way, in the order in which they were asked
// for.
type reservation struct {
	pieces    []int32
	backwards bool
}

// Reserve takes places for as many of the first blocks of spans as there is
// Room for, and evicts what has to make room for them. It skips what is present
// or pending already. taken is how many blocks got a place; where it is 0, p is
// nothing. evicted is what lost its content, in that order, and good until the
// next call. The spans go forwards, all of them, or backwards.
func (s *Tier) Reserve(spans []Span) (p Reservation, taken int, evicted []Span) {
	free, room := s.blocks-s.Used(), s.Reservable()
	at := s.reserved.take()
	r := &s.reserved.all[at]
	r.pieces, r.backwards = r.pieces[:0], len(spans) > 0 && spans[0].backwards()
	for _, span := range spans {
		taken += s.reserve(r, span, room-taken)
	}
	s.pending += taken
	s.evict(taken - free)
	if taken == 0 {
		s.reserved.release(at)
		return none, 0, nil
	}
	return Reservation(at), taken, s.evicted
}

// reserve makes at most room of a span's missing blocks pending.
func (s *Tier) reserve(r *reservation, span Span, room int) (taken int) {
	s.spans = s.gaps(s.spans[:0], span)
	for _, gap := range s.spans {
		from, to := gap.bounds()
		n := min(to-from, int32(room-taken))
		if n == 0 {
			break
		}
		if gap.backwards() {
			from = to - n
		}
		r.pieces = append(r.pieces, s.insert(s.open(gap.ID), from, from+n))
		taken += int(n)
	}
	return taken
}

// ReservedSpans appends to dst the blocks that a reservation is for, in the order in
// which they were asked for.
func (s *Tier) ReservedSpans(dst []Span, p Reservation) []Span {
	r := s.pendingOf(p)
	for _, at := range r.pieces {
		t := &s.pieces.all[at]
		span := Span{s.shelves.all[t.shelf].id, t.from, t.to}
		if r.backwards {
			span.From, span.To = span.To, span.From
		}
		dst = append(dst, span)
	}
	return dst
}

// Complete makes the blocks of a reservation present, by a request of some
// priority. They are the youngest now, and the first block of all is the
// youngest of them; those that were asked for backwards keep their order.
func (s *Tier) Complete(p Reservation, at simtime.Time, priority int) {
	r := s.pendingOf(p)
	for i := range r.pieces {
		if r.backwards {
			s.arrive(r.pieces[i], at, priority)
		} else {
			s.arrive(r.pieces[len(r.pieces)-1-i], at, priority)
		}
	}
	s.forget(p)
}

func (s *Tier) arrive(at int32, now simtime.Time, priority int) {
	p := &s.pieces.all[at]
	s.pending -= int(p.len())
	s.present += int(p.len())
	p.pending, p.stored = false, now
	if s.watcher != nil {
		s.watcher.BlocksStored(s.shelves.all[p.shelf].id, p.from, p.to)
	}
	if s.order == Priority {
		p.rank = int64(priority)
	}
	s.renew(p, priority)
	s.push(at)
}

// Cancel gives the places of a reservation back.
func (s *Tier) Cancel(p Reservation) {
	for _, at := range s.pendingOf(p).pieces {
		s.pending -= int(s.pieces.all[at].len())
		s.remove(at)
	}
	s.forget(p)
}

func (s *Tier) pendingOf(p Reservation) *reservation {
	r := &s.reserved.all[p]
	if len(r.pieces) == 0 {
		panic("kv: a reservation that is over")
	}
	return r
}

func (s *Tier) forget(p Reservation) {
	s.reserved.all[p].pieces = s.reserved.all[p].pieces[:0]
	s.reserved.release(int32(p))
}
