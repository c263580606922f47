// SPDX-License-Identifier: Apache-2.0

package search

import (
	"maps"
	"math"
	"slices"
)

// growth is the ratio of one load to the one before until the claim breaks.
const growth = 2

// bisection brackets the highest load at which a claim holds, on an axis whose
// loads it knows by their index.
type bisection struct {
	axis      axis
	precision float64
	first     int64 // the load to begin with
	claims    map[int64]Claim
	holds     int64 // the highest load that held in a step; -1 if none did
	breaks    int64 // the lowest that did not; the axis' size if all did
}

func newBisection(a axis, first int64, precision float64) *bisection {
	return &bisection{axis: a, first: first, precision: precision, claims: map[int64]Claim{}, holds: -1, breaks: a.size()}
}

// step returns the load to try next; none where the bracket is as narrow as it
// is to be.
func (b *bisection) step() (load int64, ok bool) {
	switch last := b.axis.size() - 1; {
	case b.holds < 0 && b.breaks > last:
		return b.first, true
	case b.holds < 0:
		return max(min(b.nearest(b.number(b.breaks)/growth), b.breaks-1), 0), b.breaks > 0
	case b.breaks <= last:
		load, ok = b.between(b.holds, b.breaks)
		return load, ok && b.number(b.breaks)/b.number(b.holds) > 1+b.precision
	default:
		return max(b.nearest(growth*b.number(b.holds)), b.holds+1), b.holds < last
	}
}

// tell takes the claim at the load of a step.
func (b *bisection) tell(load int64, claim Claim) {
	b.claims[load] = claim
	if claim == Holds {
		b.holds = load
	} else {
		b.breaks = load
	}
}

// number is a load.
func (b *bisection) number(load int64) float64 { return numberOf(b.axis.at(load)) }

// nearest returns the load whose ratio to a number is nearest to 1.
func (b *bisection) nearest(number float64) int64 {
	low, high := int64(0), b.axis.size()-1
	for high-low > 1 {
		if middle := low + (high-low)/2; b.number(middle) <= number {
			low = middle
		} else {
			high = middle
		}
	}
	if float64(number*number) > float64(b.number(low)*b.number(high)) {
		return high
	}
	return low
}

// between returns the load nearest to the geometric mean of two, strictly
// between them; none where they are neighbours.
func (b *bisection) between(low, high int64) (load int64, ok bool) {
	if high-low < 2 {
		return 0, false
	}
	middle := math.Sqrt(float64(b.number(low) * b.number(high)))
	return min(max(b.nearest(middle), low+1), high-1), true
}

// checks returns loads that put a narrow bracket to the test: the middle of the
// widest gap between loads that held, and of the widest between the break and
// twice its load.
func (b *bisection) checks() []int64 {
	below, above := []int64{}, []int64{}
	for _, load := range slices.Sorted(maps.Keys(b.claims)) {
		if load <= b.holds {
			below = append(below, load)
		} else {
			above = append(above, load)
		}
	}
	if len(above) > 0 {
		far := b.nearest(growth * b.number(b.breaks))
		above = slices.DeleteFunc(above, func(load int64) bool { return load >= far && load > b.breaks })
		above = append(above, far)
	}
	var checks []int64
	for _, tried := range [][]int64{below, above} {
		if load, ok := b.widestGap(tried); ok {
			checks = append(checks, load)
		}
	}
	return checks
}

// widestGap returns the middle of the widest gap between loads in ascending
// order, of equally wide ones the last.
func (b *bisection) widestGap(loads []int64) (load int64, ok bool) {
	widest := 1.0
	for i := 1; i < len(loads); i++ {
		middle, exists := b.between(loads[i-1], loads[i])
		if ratio := b.number(loads[i]) / b.number(loads[i-1]); exists && ratio >= widest {
			load, ok, widest = middle, true, ratio
		}
	}
	return load, ok
}

// tried returns all loads with a claim, in ascending order.
func (b *bisection) tried() []TriedLoad {
	var all []TriedLoad
	for _, load := range slices.Sorted(maps.Keys(b.claims)) {
		all = append(all, TriedLoad{b.axis.at(load), b.claims[load]})
	}
	return all
}

// against returns the loads whose claims contradict the bracket, in ascending
// order.
func (b *bisection) against() []Value {
	var loads []Value
	for _, load := range slices.Sorted(maps.Keys(b.claims)) {
		claim := b.claims[load]
		if load > b.breaks && claim == Holds || load < b.holds && claim == Breaks {
			loads = append(loads, b.axis.at(load))
		}
	}
	return loads
}
