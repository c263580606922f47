// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// untried is what is left of a space.
type untried struct {
	cube   *cube
	seen   map[string]bool
	listed []Values // all that are left, where drawing did not find them
}

func newUntried(c *cube) *untried { return &untried{cube: c, seen: map[string]bool{}} }

// take notes a point, and says whether it is one of the space that was not
// noted before.
func (u *untried) take(p Values) bool {
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

// A point is drawn so often in vain before the rest of the space is listed: of
// a small one, and of one where not even that finds a point.
const (
	maxRedraws = 200
	maxDraws   = 20_000
	maxListed  = 200_000 // points, and values set to find them
)

// draw takes a point at random. Coordinates are spread evenly. It returns nil
// where nothing is left, or too little to be found.
func (u *untried) draw(s *stats.Stream) Values {
	most := maxDraws
	if u.cube.size() <= maxListed {
		most = maxRedraws
	}
	coordinates := make([]float64, u.cube.dimensions())
	for range most {
		if u.cube.isInterrupted() {
			return nil
		}
		for i := range coordinates {
			coordinates[i] = s.Float64()
		}
		if p := u.cube.decode(coordinates); u.take(p) {
			return p
		}
	}
	return u.drawListed(s)
}

// drawListed takes one of those left, each as likely as the others.
func (u *untried) drawListed(s *stats.Stream) Values {
	if u.listed == nil {
		u.listed, _ = u.cube.enumerate(maxListed, 2*maxListed)
	}
	u.listed = slices.DeleteFunc(u.listed, func(p Values) bool { return u.seen[p.key()] })
	if len(u.listed) == 0 {
		return nil
	}
	p := u.listed[s.IntN(len(u.listed))]
	u.take(p)
	return p
}

// drawUpTo appends points drawn at random to others, up to n in all, or as many
// as there are.
func (u *untried) drawUpTo(n int, points []Values, s *stats.Stream) []Values {
	for len(points) < n {
		p := u.draw(s)
		if p == nil {
			break
		}
		points = append(points, p)
	}
	return points
}
