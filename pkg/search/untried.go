// SPDX-License-Identifier: Apache-2.0

package search

import "windtunnel.dev/windtunnel/pkg/stats"

// untried is what is left of a space.
type untried struct {
	cube *cube
	seen map[string]bool
}

func newUntried(c *cube) *untried { return &untried{c, map[string]bool{}} }

// take notes a point, and says whether it is one of the space that was not
// noted before.
func (u *untried) take(p Point) bool {
	if key := p.key(); !u.seen[key] && u.cube.allows(p) {
		u.seen[key] = true
		return true
	}
	return false
}

// note notes points that others chose.
func (u *untried) note(trials []Trial) {
	for i := range trials {
		u.seen[trials[i].Point.key()] = true
	}
}

// A point is drawn so often in vain before the rest of a space is listed, which
// is done where it has at most so many combinations.
const (
	maxRedraws = 200
	maxListed  = 200_000
	// maxDraws bounds the draws where the rest cannot be listed.
	maxDraws = 20_000
)

// draw takes a point at random. Coordinates are spread evenly. It returns nil
// where nothing is left, or too little to be found.
func (u *untried) draw(s *stats.Stream) Point {
	listable := u.cube.size() <= maxListed
	coordinates := make([]float64, u.cube.dimensions())
	for draws := 0; draws < maxRedraws || !listable && draws < maxDraws; draws++ {
		for i := range coordinates {
			coordinates[i] = s.Float64()
		}
		if p := u.cube.decode(coordinates); u.take(p) {
			return p
		}
	}
	if !listable {
		return nil
	}
	return u.drawListed(s)
}

// drawListed takes one of those left, each as likely as the others.
func (u *untried) drawListed(s *stats.Stream) Point {
	points, _ := u.cube.enumerate(maxListed)
	left := points[:0]
	for _, p := range points {
		if !u.seen[p.key()] {
			left = append(left, p)
		}
	}
	if len(left) == 0 {
		return nil
	}
	p := left[s.IntN(len(left))]
	u.take(p)
	return p
}
