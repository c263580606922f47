// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// How widely children spread about their parents: larger indices, nearer. The
// values are those of Deb and his colleagues' NSGA-II (2002, section V).
const (
	crossoverShare = 0.9
	crossoverIndex = 15.0
	mutationIndex  = 20.0
)

// crossover returns a child of two places on an axis of the unit cube, by
// simulated binary crossover: the child is as far from one of its parents as a
// cut through binary digits would put it (Deb, Agrawal: Simulated Binary
// Crossover for Continuous Search Space, 1995), within [0, 1].
func crossover(a, b float64, s *stats.Stream) float64 {
	u, upper := s.Float64(), s.IntN(2) == 1
	low, high := min(a, b), max(a, b)
	gap := high - low
	if gap < 1e-12 {
		return a
	}
	middle := low + float64(0.5*gap)
	if upper {
		return min(middle+float64(0.5*float64(spread(u, (1-high)/gap)*gap)), 1)
	}
	return max(middle-float64(0.5*float64(spread(u, low/gap)*gap)), 0)
}

// spread returns the distance of two children relative to that of their
// parents, at quantile u of a law that leaves them within a room to the border,
// which is also relative.
func spread(u, room float64) float64 {
	const power = crossoverIndex + 1
	x := float64(u * (2 - stats.Pow(1+float64(2*room), -power)))
	if x <= 1 {
		return stats.Pow(x, 1/power)
	}
	return stats.Pow(1/(2-x), 1/power)
}

// mutate moves a place on an axis of the unit cube by a polynomial law that
// favours short ways and ends at the borders (Deb, Goyal: A Combined Genetic
// Adaptive Search (GeneAS) for Engineering Design, 1996).
func mutate(x float64, s *stats.Stream) float64 {
	const power = mutationIndex + 1
	u := s.Float64()
	if u < 0.5 {
		rest := float64(2*u) + float64((1-float64(2*u))*stats.Pow(1-x, power))
		return max(x+stats.Pow(rest, 1/power)-1, 0)
	}
	u = 1 - u
	rest := float64(2*u) + float64((1-float64(2*u))*stats.Pow(x, power))
	return min(x+1-stats.Pow(rest, 1/power), 1)
}

// variator makes new points out of old ones.
type variator struct{ *untried }

// maxMatings bounds how often two parents are tried in vain.
const maxMatings = 32

// child takes a point of the space that is between or about two others, and was
// not tried yet; nil where none was found. Every attempt mutates more. It says how
// parameters that evolve differ from those of the mother.
func (b variator) child(mother, father Values, s *stats.Stream) (p Values, changed []string) {
	for attempt := range maxMatings {
		genes := b.cross(mother, father, s)
		b.mutate(genes, attempt+1, s)
		p := b.cube.decode(genes)
		if changed := b.breed(p, mother, father, attempt+1, s); b.take(p) {
			return p, changed
		}
	}
	return nil, nil
}

// cross returns coordinates for a child. A parameter that exists at one parent
// only is that one's, and one that exists at neither is drawn, since the child
// may have it.
func (b variator) cross(mother, father Values, s *stats.Stream) []float64 {
	genes, others := b.cube.encode(mother), b.cube.encode(father)
	blend := s.Float64() < crossoverShare
	for i, other := range others {
		switch gene := genes[i]; {
		case math.IsNaN(gene) && math.IsNaN(other):
			genes[i] = s.Float64()
		case math.IsNaN(gene):
			genes[i] = other
		case math.IsNaN(other) || !blend || s.IntN(2) == 0:
		case b.cube.choice(i):
			genes[i] = other
		default:
			genes[i] = crossover(gene, other, s)
		}
	}
	return genes
}

// mutate changes a number of coordinates, on average, in place.
func (b variator) mutate(genes []float64, changes int, s *stats.Stream) {
	for i, gene := range genes {
		switch {
		case b.cube.evolves(i):
		case s.IntN(len(genes)) >= changes:
		case b.cube.choice(i):
			genes[i] = s.Float64()
		default:
			genes[i] = b.moved(i, gene, mutate(gene, s))
		}
	}
}

// moved returns where a coordinate goes to: where the move ends within the cell
// of the value, to the next cell, so that few values are no hindrance.
func (b variator) moved(i int, from, to float64) float64 {
	a := b.cube.axes[i]
	index := a.place(from)
	if a.place(to) != index {
		return to
	}
	if to < from {
		index--
	} else {
		index++
	}
	return a.coordinate(a.at(min(max(index, 0), a.size()-1)))
}
