// SPDX-License-Identifier: Apache-2.0

package kvindex

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// A Match is how much of the beginning of a prompt each endpoint holds: blocks
// without a gap from the first one on, each in some tier. A score counts a block
// as what the best tier weighs that has it.
type Match struct {
	weights [Places]float64

	// Blocks and Scores are by endpoint.
	Blocks []int
	Scores []float64

	// active are those that hold all blocks up to here.
	active []int32
	// best is what the block at hand weighs for an endpoint, where seen is turn.
	best []float64
	seen []uint64
	turn uint64
}

// NewMatch returns an empty match over the given number of endpoints, in which a block counts
// what the best of the places weighs that it is in.
func NewMatch(endpoints int, weights [Places]float64) Match {
	return Match{
		weights: weights,
		Blocks:  make([]int, endpoints), Scores: make([]float64, endpoints),
		best: make([]float64, endpoints), seen: make([]uint64, endpoints),
	}
}

// Reset empties it.
func (m *Match) Reset() {
	clear(m.Blocks)
	clear(m.Scores)
}

// Add matches a chain. Each of its blocks counts with a weight. Endpoints that hold
// some of it must have held nothing of a chain before, since Reset.
func (m *Match) Add(x *Index, chain []prompt.Stretch, times int) {
	m.active = m.active[:0]
	first := true
	for i := range chain {
		s := x.stretches[chain[i].ID]
		if s == nil {
			return
		}
		at := int32(0)
		for _, p := range s.parts {
			if at == chain[i].Blocks {
				break
			}
			if p.from > at {
				return
			}
			until := min(p.to, chain[i].Blocks)
			m.look(p.entries, first)
			if len(m.active) == 0 {
				return
			}
			m.credit(int(until-at) * times)
			first, at = false, until
		}
		if at < chain[i].Blocks {
			return
		}
	}
}

// look keeps those active that have an entry.
func (m *Match) look(entries []entry, first bool) {
	m.turn++
	for _, held := range entries {
		e, w := held.endpoint(), m.weights[held.place()]
		switch {
		case m.seen[e] != m.turn:
			m.seen[e], m.best[e] = m.turn, w
			if first {
				m.active = append(m.active, int32(e))
			}
		case w > m.best[e]:
			m.best[e] = w
		}
	}
	kept := m.active[:0]
	for _, e := range m.active {
		if m.seen[e] == m.turn {
			kept = append(kept, e)
		}
	}
	m.active = kept
}

// credit counts blocks for all that are active. The EPP adds up block by block,
// which shows where weights are no whole numbers.
func (m *Match) credit(blocks int) {
	for _, e := range m.active {
		m.Blocks[e] += blocks
		w := m.best[e]
		if w == math.Trunc(w) && m.Scores[e] == math.Trunc(m.Scores[e]) {
			m.Scores[e] += float64(w * float64(blocks))
			continue
		}
		for range blocks {
			m.Scores[e] += w
		}
	}
}
