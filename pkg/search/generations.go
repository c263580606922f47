// SPDX-License-Identifier: Apache-2.0

package search

import "windtunnel.dev/windtunnel/pkg/stats"

// generations are those of an evolutionary algorithm: a number of children at a
// time, until MaxTrials or the end of the space.
type generations struct {
	problem  *problem
	variator variator
	size     int
	number   int // the next generation's
	told     int
	asked    []Proposal // of this generation; nil where it was not made yet
}

func newGenerations(p *problem, size int) generations {
	return generations{problem: p, variator: variator{newUntried(p.cube)}, size: p.generation(size)}
}

// ask returns the present generation. parent draws one; it is nil where there
// are none yet. Points that parents do not bring forth are drawn at random.
func (b *generations) ask(parent func(*stats.Stream) Values) []Proposal {
	if b.asked != nil {
		return b.asked
	}
	s := b.problem.stream(b.number)
	points := []Values{}
	for range min(b.size, b.problem.Settings.MaxTrials-b.told) {
		var p Values
		if parent != nil {
			p, _ = b.variator.child(parent(s), parent(s), s)
		}
		if p == nil {
			p = b.variator.draw(s)
		}
		if p == nil {
			break
		}
		points = append(points, p)
	}
	b.asked = b.problem.inFull(points)
	return b.asked
}

func (b *generations) tell(trials []Trial) {
	b.variator.note(trials)
	b.told += len(trials)
	b.number++
	b.asked = nil
}
