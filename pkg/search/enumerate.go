// SPDX-License-Identifier: Apache-2.0

package search

// maxVisits bounds how many values a grid sets in all, a few seconds' work.
const maxVisits = 2_000_000

// visitsPerLook is how many values are set from one look at whether anybody waits to
// the next: a few milliseconds' work, where the rules are the dearest there are.
const visitsPerLook = 16

// enumerate returns the points of the space in the order of nested loops, the
// last parameter changing fastest. It says whether these are all; it stops
// after most, and after as many values were set as visits says: rules may leave
// few of a great many combinations. Rules are asked as soon as their parameters
// have values, so that most of those are never made.
func (c *cube) enumerate(most, visits int) (points []Values, all bool) {
	e := enumeration{cube: c, most: most, visits: visits, point: make(Values, len(c.axes))}
	all = e.from(0)
	return e.points, all
}

type enumeration struct {
	cube   *cube
	most   int
	visits int // left
	point  Values
	points []Values
}

// from sets the parameters from the one of that index on, and says whether it
// came to an end.
func (e *enumeration) from(i int) bool {
	if i == len(e.cube.axes) {
		if len(e.points) == e.most {
			return false
		}
		e.points = append(e.points, append(Values(nil), e.point...))
		return true
	}
	if !e.cube.exists(i, e.point) {
		return e.set(i, "")
	}
	a := e.cube.axes[i]
	for index := range a.size() {
		if !e.set(i, a.at(index)) {
			return false
		}
	}
	return true
}

// set sets one parameter, and then those after it.
func (e *enumeration) set(i int, v Value) bool {
	if e.visits--; e.visits < 0 || e.visits%visitsPerLook == 0 && e.cube.isInterrupted() {
		return false
	}
	e.point[i] = v
	for _, r := range e.cube.rules {
		if r.last == i && !r.holds(e.point) {
			return true
		}
	}
	return e.from(i + 1)
}
