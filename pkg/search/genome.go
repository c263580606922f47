// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// A Genome makes the values of an Evolved parameter out of others. The search does
// not know what they mean.
type Genome interface {
	// First is the value that all others come from.
	First() Value
	// Child makes a value out of two others by a number of changes. It says in words how
	// it differs from the mother; it returns the mother where it finds no change.
	Child(mother, father Value, changes int, s *stats.Stream) (child Value, changed []string)
}

// genomeAxis is an Evolved parameter among others. It has no coordinates: every
// place on it is the first value, and the variator makes the others.
type genomeAxis struct{ genome Genome }

func (genomeAxis) size() int64                      { return math.MaxInt64 }
func (a genomeAxis) at(int64) Value                 { return a.genome.First() }
func (a genomeAxis) find(text string) (Value, bool) { return text, text == a.genome.First() }
func (genomeAxis) place(float64) int64              { return 0 }
func (genomeAxis) coordinate(Value) float64         { return 0 }

// breed gives a point values of its own for parameters that evolve, made of those
// of two others by a number of changes, and returns the changes in words.
func (b variator) breed(p, mother, father Values, changes int, s *stats.Stream) []string {
	var changed []string
	for i := range p {
		if !b.cube.evolves(i) {
			continue
		}
		child, words := b.cube.parameters[i].Genome.Child(mother[i], father[i], changes, s)
		p[i], changed = child, append(changed, words...)
	}
	return changed
}

// anyEvolves says whether the space has parameters that evolve.
func (c *cube) anyEvolves() bool {
	for i := range c.parameters {
		if c.evolves(i) {
			return true
		}
	}
	return false
}

// first is the middle of the space, with the first values of parameters that
// evolve.
func (c *cube) first() Values {
	middle := make([]float64, len(c.axes))
	for i := range middle {
		middle[i] = 0.5
	}
	return c.decode(middle)
}

// maxFreshChanges is how many changes a point has that no elite brought forth.
const maxFreshChanges = 4

// fresh takes a point that no other one brings forth: numbers are drawn at random,
// and what evolves is made of the first values. It returns nil where it found none.
func (b variator) fresh(s *stats.Stream) (Values, []string) {
	first := b.cube.first()
	for attempt := range maxMatings {
		coordinates := make([]float64, len(b.cube.axes))
		for i := range coordinates {
			coordinates[i] = s.Float64()
		}
		p := b.cube.decode(coordinates)
		changed := b.breed(p, first, first, 1+s.IntN(maxFreshChanges)+attempt, s)
		if b.take(p) {
			return p, changed
		}
	}
	return nil, nil
}
