// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Grid proposes every point of a space once, in the order of nested loops: the
// last parameter changes fastest. Points are made when asked for.
type Grid struct {
	axes       []axis
	size, next uint64
}

var _ Algorithm = (*Grid)(nil)

// NewGrid returns the grid over a space, or everything that is wrong: what
// Validate finds, a range without a step, and more points than can be counted.
// path is that of the list of parameters.
func NewGrid(s Space, path *field.Path) (*Grid, field.ErrorList) {
	axes, errs := s.axes(path)
	for i, p := range s {
		if (p.Kind == Continuous || p.Kind == Integer) && p.Step == "" {
			errs = append(errs, field.Required(path.Index(i).Child("range", "step"),
				"a grid needs the distance of neighbouring values; or search at random"))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	g := &Grid{axes: axes, size: size(axes)}
	if g.size == math.MaxUint64 {
		return nil, field.ErrorList{field.Invalid(path, extents(axes),
			"are more points than can be counted; take larger steps or fewer values, or search at random")}
	}
	return g, nil
}

// extents writes the sizes of axes as a product.
func extents(axes []axis) string {
	sizes := make([]string, len(axes))
	for i, a := range axes {
		sizes[i] = fmt.Sprint(a.size())
	}
	return strings.Join(sizes, " × ")
}

// Size returns the number of points, asked for or not.
func (g *Grid) Size() uint64 { return g.size }

// Ask returns the next points, at most n.
func (g *Grid) Ask(n int) []Point {
	var points []Point
	for ; len(points) < n && g.next < g.size; g.next++ {
		points = append(points, pointAt(g.axes, g.indices(g.next)))
	}
	return points
}

// Tell changes nothing.
func (g *Grid) Tell([]Trial) {}

// indices returns the place of the point with that number on every axis.
func (g *Grid) indices(number uint64) []int64 {
	indices := make([]int64, len(g.axes))
	for i := len(g.axes) - 1; i >= 0; i-- {
		size := uint64(g.axes[i].size())
		indices[i] = int64(number % size)
		number /= size
	}
	return indices
}

func pointAt(axes []axis, indices []int64) Point {
	point := make(Point, len(axes))
	for i, a := range axes {
		point[i] = a.at(indices[i])
	}
	return point
}
