// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Rung tells what became of one step of SuccessiveHalving or Hyperband.
type Rung struct {
	// Bracket numbers the races that Hyperband holds side by side, the one with
	// the least effort at its beginning first; SuccessiveHalving has one.
	Bracket int
	// Share of the requests and Seeds of every point, those of earlier rungs
	// included.
	Share float64
	Seeds int
	// Points were tried, and Kept of them went on to the next rung; of the last
	// rung, none does.
	Points, Kept int
	// Spearman is the rank correlation between what this rung measured and what
	// the rung before it had measured, over the points of this rung: near 1, the
	// cheap rung was a good judge; near 0 it was none, and what it dropped may
	// have been the best. The points passed the cheap rung, so they differ by
	// less than all points do, and so does the correlation tend to be less. It is
	// nil for the first rung, and where it does not exist: with fewer than three
	// points, or none that differ.
	Spearman *float64
}

// halvingEfforts returns the effort of every rung of a race, what earlier rungs
// did included: the least share at the first, all at the last, and between them
// equal ratios as near to the reduction as whole rungs let them be.
func (p *problem) halvingEfforts() []Effort {
	h := p.halving()
	steps := max(math.Round(stats.Log(h.Minimum)/-stats.Log(float64(h.Reduction))), 1)
	var efforts []Effort
	for left := steps; left >= 0; left-- {
		effort := Effort{Share: stats.Pow(h.Minimum, left/steps), Seeds: p.Seeds}
		if h.Fidelity == Seeds {
			const slack = 1 + 1e-9 // a third of 9 is 3 but for rounding
			effort = Effort{Share: 1, Seeds: max(int(effort.Share*float64(p.Seeds)*slack), 1)}
		}
		if n := len(efforts); n == 0 || effort != efforts[n-1] {
			efforts = append(efforts, effort)
		}
	}
	return efforts
}

// halving returns the settings with their defaults.
func (p *problem) halving() HalvingSettings {
	h := p.Settings.Halving
	h.Fidelity = cmp.Or(h.Fidelity, Requests)
	h.Reduction = cmp.Or(h.Reduction, 3)
	h.Minimum = cmp.Or(h.Minimum, 1/float64(h.Reduction*h.Reduction))
	return h
}

// race is one bracket of successive halving: of the points of a rung the best
// 1/reduction go on.
type race struct {
	efforts   []Effort // by rung
	reduction int
	rungs     []Rung  // finished
	runners   []Trial // what is known of the points that are still in it
}

func newRace(efforts []Effort, reduction int, points []Values) *race {
	r := &race{efforts: efforts, reduction: reduction}
	for _, p := range points {
		r.runners = append(r.runners, Trial{Proposal: Proposal{Point: p}})
	}
	return r
}

// ask returns the proposals of the next rung, none after the last. Where seeds
// are the effort, they are those that the points did not have yet.
func (r *race) ask() []Proposal {
	var proposals []Proposal
	if len(r.rungs) == len(r.efforts) {
		return nil
	}
	effort := r.efforts[len(r.rungs)]
	if n := len(r.rungs); n > 0 && r.efforts[n-1].Share == effort.Share {
		effort.First = r.efforts[n-1].Seeds
		effort.Seeds -= effort.First
	}
	for _, t := range r.runners {
		proposals = append(proposals, Proposal{Point: t.Point, Effort: effort})
	}
	return proposals
}

// tell takes the trials that ask proposed, and drops the worse of them.
func (r *race) tell(trials []Trial) {
	if len(trials) == 0 {
		return
	}
	effort := r.efforts[len(r.rungs)]
	rung := Rung{Share: effort.Share, Seeds: effort.Seeds, Points: len(trials)}
	if len(r.rungs) > 0 {
		rung.Spearman = rankCorrelation(r.runners, trials)
	}
	for i, t := range trials {
		r.runners[i] = r.runners[i].and(t)
	}
	if len(r.rungs) < len(r.efforts)-1 {
		r.runners = r.fittest()
		rung.Kept = len(r.runners)
	}
	r.rungs = append(r.rungs, rung)
}

// fittest returns those that go on: 1/reduction of the runners, one at least, and
// none that failed.
func (r *race) fittest() []Trial {
	var kept []Trial
	places := order(r.runners)
	for _, i := range places[:max(len(places)/r.reduction, 1)] {
		if !r.runners[i].Failed() {
			kept = append(kept, r.runners[i])
		}
	}
	return kept
}

// and returns what is known of a point after more seeds of it, or after a trial
// of more requests, which takes the place of the shorter one.
func (t *Trial) and(more Trial) Trial {
	if more.Effort.First == 0 || t.Failed() || more.Failed() {
		return more
	}
	old, fresh := float64(len(t.Samples)), float64(len(more.Samples))
	sum := more
	sum.Effort.First, sum.Effort.Seeds = t.Effort.First, t.Effort.Seeds+more.Effort.Seeds
	sum.Samples = slices.Concat(t.Samples, more.Samples)
	sum.Excess = (float64(t.Excess*old) + float64(more.Excess*fresh)) / (old + fresh)
	sum.Beyond = nil
	if len(t.Beyond) == len(t.Samples) && len(more.Beyond) == len(more.Samples) {
		sum.Beyond = slices.Concat(t.Beyond, more.Beyond)
		sum.settleExcess()
	}
	return sum
}

// rankCorrelation returns Spearman's rho between two trials of each of some
// points, nil where it does not exist.
func rankCorrelation(before, after []Trial) *float64 {
	if len(before) < 3 {
		return nil
	}
	rho, ok := stats.Spearman(ranksOf(before), ranksOf(after))
	if !ok {
		return nil
	}
	return &rho
}

// ranksOf numbers trials by preference, equals alike.
func ranksOf(trials []Trial) []float64 {
	ranks := make([]float64, len(trials))
	places := order(trials)
	for place, i := range places {
		ranks[i] = float64(place)
		if place > 0 && !better(trials[places[place-1]], trials[i]) {
			ranks[i] = ranks[places[place-1]]
		}
	}
	return ranks
}
