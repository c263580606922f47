// SPDX-License-Identifier: Apache-2.0

package latency

// grid interpolates times, in nanoseconds, over two axes whose points
// increase: at[i][j] is the time at x[i] and y[j].
type grid struct {
	x, y []float64
	at   [][]float64
}

func newGrid(x, y []int, microseconds [][]float64) grid {
	g := grid{x: toFloats(x), y: toFloats(y), at: make([][]float64, len(microseconds))}
	for i, row := range microseconds {
		g.at[i] = make([]float64, len(row))
		for j, v := range row {
			g.at[i][j] = v * 1e3
		}
	}
	return g
}

func toFloats(ints []int) []float64 {
	list := make([]float64, len(ints))
	for n, v := range ints {
		list[n] = float64(v)
	}
	return list
}

// interpolateNs returns the time at a point, bilinear between the points around it.
// Outside the grid it is the time at the nearest point of the edge, and beyond
// the last points of an axis as much more as the last cell rises along it; a
// cell that falls there does not make it less. The second result tells.
func (g *grid) interpolateNs(x, y float64) (ns float64, outside bool) {
	cx, cy := locateCell(g.x, x), locateCell(g.y, y)
	low := float64(g.at[cx.left][cy.left]*(1-cy.share)) + float64(g.at[cx.left][cy.right]*cy.share)
	high := float64(g.at[cx.right][cy.left]*(1-cy.share)) + float64(g.at[cx.right][cy.right]*cy.share)
	ns = float64(low*(1-cx.share)) + float64(high*cx.share)
	if !cx.outside && !cy.outside {
		return ns, false
	}
	before := float64(g.at[cx.left][cy.left]*(1-cx.share)) + float64(g.at[cx.right][cy.left]*cx.share)
	after := float64(g.at[cx.left][cy.right]*(1-cx.share)) + float64(g.at[cx.right][cy.right]*cx.share)
	ns += float64(max(0, high-low) * cx.excess)
	ns += float64(max(0, after-before) * cy.excess)
	return ns, true
}

// cell is where a value lies on an axis: between two points, which are one and
// the same on an axis of one, and at which share of the way. Beyond the last
// point the share is 1, and excess is how many cells more it is.
type cell struct {
	left, right   int
	share, excess float64
	outside       bool
}

func locateCell(axis []float64, v float64) cell {
	last := len(axis) - 1
	right := firstAtLeast(axis, v)
	switch {
	case right == 0:
		return cell{outside: v < axis[0]}
	case last == 0:
		return cell{outside: true}
	case right > last:
		return cell{left: last - 1, right: last, share: 1, excess: (v - axis[last]) / (axis[last] - axis[last-1]), outside: true}
	}
	return cell{left: right - 1, right: right, share: (v - axis[right-1]) / (axis[right] - axis[right-1])}
}

// firstAtLeast returns the index of the first point at or beyond v. It is
// written out to spare a call for each comparison.
func firstAtLeast(axis []float64, v float64) int {
	low, high := 0, len(axis)
	for low < high {
		if mid := (low + high) / 2; axis[mid] < v {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}
