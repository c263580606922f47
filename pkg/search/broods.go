// SPDX-License-Identifier: Apache-2.0

package search

import "windtunnel.dev/windtunnel/pkg/stats"

// broods are the generations of an algorithm that breeds: so many children at a
// time, until MaxTrials or the end of the space.
type broods struct {
	problem *problem
	breeder breeder
	size    int
	number  int // the next generation's
	told    int
	asked   []Proposal // of this generation; nil where it was not made yet
}

func newBroods(p *problem, size int) broods {
	return broods{problem: p, breeder: breeder{newUntried(p.cube)}, size: p.generation(size)}
}

// ask returns the present generation. parent draws one; it is nil where there
// are none yet. Points that parents do not bring forth are drawn at random.
func (b *broods) ask(parent func(*stats.Stream) Point) []Proposal {
	if b.asked != nil {
		return b.asked
	}
	s := b.problem.stream(b.number)
	points := []Point{}
	for range min(b.size, b.problem.Settings.MaxTrials-b.told) {
		var p Point
		if parent != nil {
			p = b.breeder.child(parent(s), parent(s), s)
		}
		if p == nil {
			p = b.breeder.draw(s)
		}
		if p == nil {
			break
		}
		points = append(points, p)
	}
	b.asked = b.problem.inFull(points)
	return b.asked
}

func (b *broods) tell(trials []Trial) {
	b.breeder.note(trials)
	b.told += len(trials)
	b.number++
	b.asked = nil
}
