// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// random proposes points drawn at random, each once: every value of a parameter
// is equally likely; on a logarithmic scale the value is the one nearest to a
// number whose logarithm is spread evenly. It stops after MaxTrials points, or
// when there are no others left.
type random struct {
	problem    *problem
	generation int // the next one's number
	told       int
	tried      *untried
	asked      []Point // of this generation; nil where it was not made yet
}

func newRandom(p *problem) (Algorithm, field.ErrorList) {
	return &random{problem: p, tried: newUntried(p.cube)}, nil
}

func (r *random) Ask() []Proposal {
	if r.asked == nil {
		r.asked = r.draw()
	}
	return r.problem.inFull(r.asked)
}

func (r *random) draw() []Point {
	points := []Point{}
	s := r.problem.stream(r.generation)
	left := r.problem.Settings.MaxTrials - r.told
	for range min(r.problem.generation(left), left) {
		p := r.tried.draw(s)
		if p == nil {
			break
		}
		points = append(points, p)
	}
	return points
}

func (r *random) Tell(trials []Trial) {
	r.tried.note(trials)
	r.told += len(trials)
	r.generation++
	r.asked = nil
}
