// SPDX-License-Identifier: Apache-2.0

package search

// maxVisits bounds how many values enumerate sets in all, about a second's work.
const maxVisits = 4_000_000

// enumerate returns the points of the space in the order of nested loops, the
// last parameter changing fastest. It says whether these are all; it stops
// after most, and where rules leave so few of so many combinations that looking
// on would take too long. Rules are asked as soon as their parameters have
// values, so that most combinations are never made.
func (c *cube) enumerate(most int) (points []Point, all bool) {
	e := enumeration{cube: c, most: most, point: make(Point, len(c.axes))}
	all = e.from(0)
	return e.points, all
}

type enumeration struct {
	cube   *cube
	most   int
	visits int
	point  Point
	points []Point
}

// from sets the parameters from the one of that index on, and says whether it
// came to an end.
func (e *enumeration) from(i int) bool {
	if i == len(e.cube.axes) {
		if len(e.points) == e.most {
			return false
		}
		e.points = append(e.points, append(Point(nil), e.point...))
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
	if e.visits++; e.visits > maxVisits {
		return false
	}
	e.point[i] = v
	for _, r := range e.cube.rules {
		if r.last == i && !r.holds(e.cube, e.point) {
			return true
		}
	}
	return e.from(i + 1)
}
