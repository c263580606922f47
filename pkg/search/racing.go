// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Drop is a candidate that racing gave no more seeds.
type Drop struct {
	Point Values
	// Seeds it had had.
	Seeds int
	// PValue is that of its not being worse than the best of its time, corrected
	// for the number of candidates.
	PValue float64
}

// racing gives the candidates of another algorithm their seeds in blocks. After
// each block it looks at which are worse than the best so far, and gives those
// no more (Maron, Moore: Hoeffding Races, 1994; Birattari and others: A Racing
// Algorithm for Configuring Metaheuristics, 2002). The baseline always gets all
// of its seeds. A block is a generation.
//
// The other algorithm receives of a dropped candidate what it would have had, as
// far as one can tell: under the seeds that it missed the best one's samples,
// plus the mean difference from that under those it had. A mean over fewer
// seeds would compare luck with the seeds instead of candidates.
type racing struct {
	problem  *problem
	inner    Algorithm
	runners  []*runner           // of the generation under way; nil between two
	finished map[Effort][]*Trial // of former generations
	dropped  []Drop
}

// runner is a candidate of the generation under way.
type runner struct {
	Trial        // so far: its effort is the one that was spent
	goal  Effort // the effort that it is worth
	out   bool   // dropped, or failed
}

// racing wraps an algorithm.
func (p *problem) racing(inner Algorithm) (Algorithm, field.ErrorList) {
	r, path := p.Settings.Racing, p.settings().Child("racing")
	var errs field.ErrorList
	if !(r.Confidence > 0 && r.Confidence < 1) {
		errs = append(errs, field.Invalid(path.Child("confidence"), r.Confidence, "must lie between 0 and 1"))
	}
	switch {
	case r.First < 2:
		errs = append(errs, field.Invalid(path.Child("first"), r.First, "must be at least 2: one seed does not show the spread"))
	case r.First >= p.Seeds:
		errs = append(errs, field.Invalid(path.Child("first"), r.First, fmt.Sprintf("must be less than the %d seeds of a point, or there are none to save: raise replications.count", p.Seeds)))
	}
	if r.Step < 1 {
		errs = append(errs, field.Invalid(path.Child("step"), r.Step, "must be at least 1"))
	}
	if slices.Contains([]Name{Capacity, MAPElites}, p.Settings.Algorithm) {
		errs = append(errs, field.Forbidden(path, fmt.Sprintf("does not go with %s, which does not look for one best point", p.Settings.Algorithm)))
	}
	return &racing{problem: p, inner: inner, finished: map[Effort][]*Trial{}}, errs
}

// Unwrap returns the algorithm that proposes the candidates.
func (r *racing) Unwrap() Algorithm { return r.inner }

// Dropped returns the candidates that were given no more seeds, in the order in
// which they were dropped.
func (r *racing) Dropped() []Drop { return r.dropped }

func (r *racing) Ask() []Proposal {
	r.start()
	var proposals []Proposal
	for _, c := range r.runners {
		if c.running() {
			proposals = append(proposals, Proposal{c.Point, r.block(c)})
		}
	}
	return proposals
}

// start lines up the next generation where none is under way.
func (r *racing) start() {
	if r.runners != nil {
		return
	}
	for _, p := range r.inner.Ask() {
		c := &runner{goal: p.Effort}
		c.Proposal = Proposal{p.Point, Effort{Share: p.Effort.Share, First: p.Effort.First}}
		r.runners = append(r.runners, c)
	}
}

func (c *runner) running() bool { return !c.out && c.Effort.Seeds < c.goal.Seeds }

// block returns the seeds that a runner gets next.
func (r *racing) block(c *runner) Effort {
	have, want := c.Effort.Seeds, c.goal.Seeds
	switch s := r.problem.Settings.Racing; {
	case r.protected(c):
	case have == 0:
		want = min(want, s.First)
	default:
		want = min(want, have+s.Step)
	}
	return Effort{Share: c.goal.Share, First: c.goal.First + have, Seeds: want - have}
}

// protected says whether a runner is the baseline.
func (r *racing) protected(c *runner) bool {
	return r.problem.Baseline != nil && slices.Equal(c.Point, r.problem.Baseline)
}

func (r *racing) Tell(trials []Trial) {
	r.start()
	heats := map[Effort][]*runner{}
	for _, c := range r.runners {
		if c.running() {
			c.take(trials[0])
			trials = trials[1:]
		}
		heats[c.goal] = append(heats[c.goal], c)
	}
	for _, c := range r.runners { // not over the map, whose order is random
		if heat := heats[c.goal]; heat[0] == c {
			r.look(c.goal, heat)
		}
	}
	if !slices.ContainsFunc(r.runners, (*runner).running) {
		r.finish()
	}
}

// take adds a block to what is known of a runner.
func (c *runner) take(block Trial) {
	if block.Failed() {
		c.Trial = Trial{Proposal: Proposal{c.Point, c.goal}}
		c.out = true
		return
	}
	spent := c.Effort
	spent.Seeds += block.Effort.Seeds
	c.Trial = c.and(block)
	c.Effort = spent
}

// look drops those of the runners with a common goal that are worse than the
// best.
func (r *racing) look(goal Effort, heat []*runner) {
	var candidates []*runner
	var rivals []*Trial
	for _, c := range heat {
		if c.running() && !r.protected(c) {
			candidates = append(candidates, c)
		} else if !c.out {
			rivals = append(rivals, &c.Trial)
		}
	}
	if len(candidates) == 0 {
		return
	}
	trials := make([]*Trial, len(candidates))
	for i, c := range candidates {
		trials[i] = &c.Trial
	}
	s := r.problem.Settings.Racing
	looks := (goal.Seeds - s.First + s.Step - 1) / s.Step
	level := (1 - s.Confidence) / float64(looks)
	rivals = append(rivals, r.finished[goal]...)
	for i, p := range worseThanBest(trials, rivals, r.problem.Objectives) {
		if p <= level {
			candidates[i].out = true
			r.dropped = append(r.dropped, Drop{candidates[i].Point, candidates[i].Effort.Seeds, p})
		}
	}
}

// finish tells the algorithm of its generation.
func (r *racing) finish() {
	for _, c := range r.runners {
		if !c.out {
			r.finished[c.goal] = append(r.finished[c.goal], &c.Trial)
		}
	}
	told := make([]Trial, len(r.runners))
	for i, c := range r.runners {
		told[i] = c.Trial
		if c.Effort != c.goal {
			told[i] = predict(&c.Trial, c.goal, r.finished[c.goal])
		}
	}
	r.runners = nil
	r.inner.Tell(told)
}

// predict returns a trial with the samples that it would have under all seeds,
// by its differences from the best of those that have them.
func predict(t *Trial, goal Effort, complete []*Trial) Trial {
	predicted := *t
	predicted.Effort = goal
	predicted.Beyond = nil // of the seeds that it had
	if len(complete) == 0 {
		return predicted
	}
	best := slices.MinFunc(complete, compare)
	n := len(t.Samples)
	gap := make([]float64, len(t.Samples[0]))
	for i, row := range t.Samples {
		for j := range row {
			gap[j] += (row[j] - best.Samples[i][j]) / float64(n)
		}
	}
	predicted.Samples = slices.Clone(t.Samples)
	for _, row := range best.Samples[n:] {
		missed := make([]float64, len(row))
		for j := range row {
			missed[j] = row[j] + gap[j]
		}
		predicted.Samples = append(predicted.Samples, missed)
	}
	return predicted
}
