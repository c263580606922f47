// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/bits"
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// spread gives the rows of a trace the arrivals that Spread promises. Each
// row draws an instant in its batch's interval by a hash of (seed, row); the
// instants, sorted, go to the rows in order. So neither a limit on requests
// nor anything else that is replayed changes a row's arrival.
type spread struct {
	rows cursor
	seed uint64

	batch    []entry        // of one recorded time
	at       int            // in batch
	instants []simtime.Time // arrivals of the batch, sorted
	before   simtime.Time   // of the batch before; 0 for the first
	// ahead is the first row of the next batch, if there is one.
	ahead         entry
	began, isMore bool
}

// newSpread spreads the rows of the trace that a client label names. Without one, the
// stream has no name of its own.
func newSpread(rows cursor, client string, seed int64) *spread {
	stream := "workload/spread"
	if client != "" {
		stream += "/" + client
	}
	return &spread{rows: rows, seed: stats.Hash64(uint64(seed), stats.HashString(stream))}
}

// next implements cursor.
func (s *spread) next(e *entry) bool {
	if !s.began {
		s.began, s.isMore = true, s.rows.next(&s.ahead)
	}
	if s.at == len(s.batch) && !s.drawBatch() {
		return false
	}
	*e = s.batch[s.at]
	e.arrival = s.instants[s.at]
	s.at++
	return true
}

// close implements cursor.
func (s *spread) close() error { return s.rows.close() }

// drawBatch reads the next batch and draws its arrivals; false after the last one.
func (s *spread) drawBatch() bool {
	if !s.isMore {
		return false
	}
	if len(s.batch) > 0 {
		s.before = s.batch[0].arrival
	}
	at := s.ahead.arrival
	s.batch, s.at = append(s.batch[:0], s.ahead), 0
	for s.isMore = s.rows.next(&s.ahead); s.isMore && s.ahead.arrival == at; s.isMore = s.rows.next(&s.ahead) {
		s.batch = append(s.batch, s.ahead)
	}
	var interval simtime.Time
	switch {
	case len(s.batch) == 1: // alone at its time
	case s.isMore:
		interval = s.ahead.arrival - at
	default:
		interval = at - s.before
	}
	s.instants = s.instants[:0]
	for i := range s.batch {
		// The high word of the product is uniform over the interval.
		within, _ := bits.Mul64(stats.Hash64(s.seed, uint64(s.batch[i].index)), uint64(interval))
		s.instants = append(s.instants, at+simtime.Time(within))
	}
	slices.Sort(s.instants)
	return true
}
