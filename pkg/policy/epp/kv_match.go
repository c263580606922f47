// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// A kvMatch is how much of the beginning of a prompt each endpoint holds: blocks
// without a gap from the first one on, each in some tier. A score counts a block
// as what the best tier weighs that has it.
type kvMatch struct {
	weights [kvPlaces]float64

	blocks []int     // len == endpoints
	scores []float64 // len == endpoints

	// active are those that hold all blocks up to here.
	active []int32
	// best is what the block at hand weighs for an endpoint, where seen is turn.
	best []float64
	seen []uint64
	turn uint64
}

func newKVMatch(endpoints int, weights [kvPlaces]float64) kvMatch {
	return kvMatch{
		weights: weights,
		blocks:  make([]int, endpoints), scores: make([]float64, endpoints),
		best: make([]float64, endpoints), seen: make([]uint64, endpoints),
	}
}

func (m *kvMatch) reset() {
	clear(m.blocks)
	clear(m.scores)
}

// add matches a chain. Each of its blocks counts as so many.
func (m *kvMatch) add(x *kvIndex, chain []prompt.Stretch, times int) {
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
func (m *kvMatch) look(entries []kvEntry, first bool) {
	m.turn++
	for _, entry := range entries {
		e, w := entry.endpoint(), m.weights[entry.place()]
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
func (m *kvMatch) credit(blocks int) {
	for _, e := range m.active {
		m.blocks[e] += blocks
		w := m.best[e]
		if w == math.Trunc(w) && m.scores[e] == math.Trunc(m.scores[e]) {
			m.scores[e] += float64(w * float64(blocks))
			continue
		}
		for range blocks {
			m.scores[e] += w
		}
	}
}
