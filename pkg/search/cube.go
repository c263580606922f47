// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// cube is a checked space as a unit cube: each parameter is a coordinate in
// [0, 1], the logarithm where the parameter's scale is logarithmic. Values
// have cells of the coordinate, and [cube.encode] gives their centres, so that
// decoding what was encoded gives the same point.
type cube struct {
	parameters []Parameter
	axes       []axis
	parents    []parent
	rules      []*rule
	// interrupted says that no caller waits for the points any more; it may be nil.
	interrupted func() bool
}

// isInterrupted says that no caller waits for the points any more.
func (c *cube) isInterrupted() bool { return c.interrupted != nil && c.interrupted() }

// cube checks a space. path is that of the object that holds it.
func (s Space) cube(path *field.Path) (*cube, field.ErrorList) {
	axes, errs := s.axes(path.Child("parameters"))
	if len(errs) > 0 {
		return nil, errs
	}
	parents, errs := s.parents(axes, path.Child("parameters"))
	rules, es := s.rules(path.Child("rules"))
	if errs = append(errs, es...); len(errs) > 0 {
		return nil, errs
	}
	return &cube{parameters: s.Parameters, axes: axes, parents: parents, rules: rules}, nil
}

// dimensions is the number of parameters.
func (c *cube) dimensions() int { return len(c.axes) }

// choice says whether the coordinate of that index tells labels apart, which
// have no order.
func (c *cube) choice(i int) bool { return c.parameters[i].Kind == Choice }

// evolves says whether the values of the parameter of that index have no
// coordinates: a genome makes them.
func (c *cube) evolves(i int) bool { return c.parameters[i].Kind == Evolved }

// values is the number of values of the parameter of that index.
func (c *cube) values(i int) int64 { return c.axes[i].size() }

// size is the number of combinations of values, up to the largest uint64.
func (c *cube) size() uint64 { return size(c.axes) }

// plain says whether every combination of values is a point.
func (c *cube) plain() bool {
	return len(c.rules) == 0 && !slices.ContainsFunc(c.parents, func(p parent) bool { return p.index >= 0 })
}

// encode returns the coordinates of a point: NaN for a parameter that does not
// exist there, and for a label that is none of the parameter's choices. Of a
// Choice with n labels the label of index k has the coordinate (k+½)/n. Numbers
// outside of a range are moved to its end.
func (c *cube) encode(p Values) []float64 {
	coordinates := make([]float64, len(c.axes))
	for i, a := range c.axes {
		coordinates[i] = math.NaN()
		if p[i] != "" {
			coordinates[i] = a.coordinate(p[i])
		}
	}
	return coordinates
}

// decode returns the point with the values whose cells hold the coordinates;
// those of parameters that do not exist there are ignored, and one that is NaN
// for a parameter that does is in the middle. It does not look at rules.
func (c *cube) decode(coordinates []float64) Values {
	p := make(Values, len(c.axes))
	for i, a := range c.axes {
		if c.exists(i, p) {
			u := coordinates[i]
			if math.IsNaN(u) {
				u = 0.5
			}
			p[i] = a.at(a.place(u))
		}
	}
	return p
}

// place returns the index, below n, of the n-th of [0, 1] that holds u.
func place(u float64, n int64) int64 {
	if !(u > 0) {
		return 0
	}
	if index := u * float64(n); index < float64(n) {
		return min(int64(index), n-1)
	}
	return n - 1
}

// allows says whether all rules hold at a point.
func (c *cube) allows(p Values) bool {
	return !slices.ContainsFunc(c.rules, func(r *rule) bool { return !r.holds(p) })
}

// key names a point, for maps.
func (p Values) key() string { return strings.Join(p, "\x00") }
