// SPDX-License-Identifier: Apache-2.0

package native

// A shortlist is the candidates that the stages of a policy leave. It explains the stages
// as the filters of a decision.
type shortlist struct {
	// left are indices of candidates, in ascending order.
	left []int
	// stages are the names of the stages that were passed, and droppedBy has for each
	// candidate the index of the stage that took it out, or none.
	stages    []string
	droppedBy []int
	values    []int // scratch
	ties      ties
}

func newShortlist(b *builder) shortlist {
	const mostStages = 4
	return shortlist{
		left: make([]int, 0, b.endpoints), stages: make([]string, 0, mostStages),
		droppedBy: make([]int, 0, b.endpoints), values: make([]int, 0, b.endpoints), ties: newTies(b),
	}
}

// begin takes all candidates.
func (l *shortlist) begin(r *round) {
	l.left, l.stages, l.droppedBy = l.left[:0], l.stages[:0], l.droppedBy[:0]
	for i := range r.candidates {
		l.left, l.droppedBy = append(l.left, i), append(l.droppedBy, none)
	}
}

// keep leaves the endpoints that are good. Where none is, the stage does not count, and
// keep returns false.
func (l *shortlist) keep(r *round, stage string, good func(endpoint int) bool) bool {
	l.values = l.values[:0]
	some := 0
	for _, i := range l.left {
		v := 0
		if good(r.candidates[i]) {
			v, some = 1, 1
		}
		l.values = append(l.values, v)
	}
	if some == 1 {
		l.leave(stage, 1)
	}
	return some == 1
}

// most leaves the endpoints with the greatest value.
func (l *shortlist) most(r *round, stage string, value func(endpoint int) int) {
	l.values = l.values[:0]
	for _, i := range l.left {
		l.values = append(l.values, value(r.candidates[i]))
	}
	greatest := l.values[0]
	for _, v := range l.values[1:] {
		greatest = max(greatest, v)
	}
	l.leave(stage, greatest)
}

// least leaves the endpoints with the smallest value.
func (l *shortlist) least(r *round, stage string, value func(endpoint int) int) {
	l.most(r, stage, func(endpoint int) int { return -value(endpoint) })
}

// leave takes out what does not have a value.
func (l *shortlist) leave(stage string, value int) {
	kept := l.left[:0]
	for at, i := range l.left {
		if l.values[at] == value {
			kept = append(kept, i)
		} else {
			l.droppedBy[i] = len(l.stages)
		}
	}
	l.left, l.stages = kept, append(l.stages, stage)
}

// pick returns the index of one of the candidates that are left, by the rule for ties.
func (l *shortlist) pick() int { return l.ties.among(l.left) }

func (l *shortlist) explain(x *Explanation) {
	for s, name := range l.stages {
		f := Filter{Name: name}
		for i, by := range l.droppedBy {
			if by == s {
				f.Dropped = append(f.Dropped, x.Endpoints[i])
			}
		}
		x.Filters = append(x.Filters, f)
	}
	x.Candidates = x.Candidates[:0]
	for _, i := range l.left {
		x.Candidates = append(x.Candidates, x.Endpoints[i])
	}
	l.ties.explain(x)
}
