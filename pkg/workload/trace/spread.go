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
	rows []row
	seed uint64

	start, end int            // the batch of the last call
	instants   []simtime.Time // its arrivals, sorted
}

// newSpread spreads the rows of the trace that a client label names. Without one, the
// stream has no name of its own.
func newSpread(rows []row, client string, seed int64) *spread {
	stream := "workload/spread"
	if client != "" {
		stream += "/" + client
	}
	return &spread{rows: rows, seed: stats.Hash64(uint64(seed), stats.HashString(stream))}
}

// arrival returns row i's arrival. Rows are asked for in ascending order.
func (s *spread) arrival(i int) simtime.Time {
	if i >= s.end {
		s.drawBatch(i)
	}
	return s.instants[i-s.start]
}

// drawBatch draws the batch that begins at row start.
func (s *spread) drawBatch(start int) {
	at := s.rows[start].arrival
	before := s.start // of the batch before; 0 for the first
	end := start + 1
	for end < len(s.rows) && s.rows[end].arrival == at {
		end++
	}
	var interval simtime.Time
	switch {
	case end-start == 1: // alone at its time
	case end < len(s.rows):
		interval = s.rows[end].arrival - at
	default:
		interval = at - s.rows[before].arrival
	}
	s.instants = s.instants[:0]
	for row := start; row < end; row++ {
		// The high word of the product is uniform over the interval.
		within, _ := bits.Mul64(stats.Hash64(s.seed, uint64(row)), uint64(interval))
		s.instants = append(s.instants, at+simtime.Time(within))
	}
	slices.Sort(s.instants)
	s.start, s.end = start, end
}
