// SPDX-License-Identifier: Apache-2.0

package search

import "windtunnel.dev/windtunnel/pkg/stats"

// model proposes points from what became of others.
type model interface {
	// propose returns n points that were not tried; fewer, even none, where it
	// finds no others. It need not note them in tried.
	propose(n int, trials []Trial, tried *untried, s *stats.Stream) []Values
}

// modelled is a search whose first points are a Latin hypercube, and which
// proposes the others from a model of all trials so far.
type modelled struct {
	problem    *problem
	model      model
	generation int // the next one's number
	trials     []Trial
	tried      *untried
	asked      []Values // of this generation; nil where it was not made yet
}

// Before it has this number of trials a model knows too little, and this number of points is
// proposed at a time where nothing else is said.
const (
	firstTrials      = 10
	ownOfAGeneration = 10
)

func newModelled(p *problem, m model) *modelled {
	return &modelled{problem: p, model: m, tried: newUntried(p.cube)}
}

func (m *modelled) Ask() []Proposal {
	if m.asked == nil {
		m.asked = m.propose()
	}
	return m.problem.inFull(m.asked)
}

func (m *modelled) propose() []Values {
	s := m.problem.stream(m.generation)
	n := max(0, min(m.problem.generation(ownOfAGeneration), m.problem.Settings.MaxTrials-len(m.trials)))
	var points []Values
	if len(m.trials) < firstTrials {
		points = m.spread(n, s)
	} else {
		points = m.model.propose(n, m.trials, m.tried, s)
	}
	taken := []Values{}
	for _, p := range points {
		if m.tried.take(p) {
			taken = append(taken, p)
		}
	}
	return m.tried.drawUpTo(n, taken, s)
}

// spread returns points that fill every axis evenly.
func (m *modelled) spread(n int, s *stats.Stream) []Values {
	var points []Values
	for _, coordinates := range latinHypercube(n, m.problem.cube.dimensions(), s) {
		points = append(points, m.problem.cube.decode(coordinates))
	}
	return points
}

func (m *modelled) Tell(trials []Trial) {
	m.trials = append(m.trials, trials...)
	m.tried.note(trials)
	m.generation++
	m.asked = nil
}

// free says whether a point may be proposed.
func (u *untried) free(p Values) bool { return !u.seen[p.key()] && u.cube.allows(p) }
