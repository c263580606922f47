// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// halving tries many points with little effort, and the better ones again with
// more: SuccessiveHalving with one race (Jamieson, Talwalkar: Non-stochastic
// Best Arm Identification and Hyperparameter Optimization, 2016), Hyperband with
// several. Every generation is the next rung of all races.
type halving struct {
	races []*race
}

// newSuccessiveHalving begins with all points of the space, or with MaxTrials
// of them at random where there are more.
func newSuccessiveHalving(p *problem) (Algorithm, field.ErrorList) {
	if errs := p.checkHalving(); len(errs) > 0 {
		return nil, errs
	}
	points, all := p.cube.enumerate(p.Settings.MaxTrials, maxVisits)
	if !all {
		points = p.draw(p.Settings.MaxTrials)
	}
	return &halving{[]*race{newRace(p.halvingEfforts(), p.halving().Reduction, points)}}, nil
}

// draw returns n points at random, or all where there are fewer.
func (p *problem) draw(n int) []Values {
	var points []Values
	u, s := newUntried(p.cube), p.stream(0)
	for range n {
		point := u.draw(s)
		if point == nil {
			break
		}
		points = append(points, point)
	}
	return points
}

// checkHalving returns what is wrong with the settings of the fidelity.
func (p *problem) checkHalving() field.ErrorList {
	var errs field.ErrorList
	h, path := p.halving(), p.settings().Child("halving")
	if h.Fidelity != Requests && h.Fidelity != Seeds {
		errs = append(errs, field.NotSupported(path.Child("fidelity"), h.Fidelity, []FidelityKind{Requests, Seeds}))
	}
	if h.Reduction < 2 {
		errs = append(errs, field.Invalid(path.Child("reduction"), h.Reduction, "must be at least 2"))
	}
	if !(h.Minimum > 0 && h.Minimum < 1) {
		errs = append(errs, field.Invalid(path.Child("minimum"), h.Minimum, "must be a share between 0 and 1"))
	}
	if h.Fidelity == Seeds && p.Seeds < 2 {
		errs = append(errs, field.Invalid(path.Child("fidelity"), h.Fidelity, "needs more than one seed, or no rung is cheaper than a full trial"))
	}
	return errs
}

// Ask returns the next rung of every race.
func (h *halving) Ask() []Proposal {
	var proposals []Proposal
	for _, r := range h.races {
		proposals = append(proposals, r.ask()...)
	}
	return proposals
}

// Tell takes the trials of a rung of every race.
func (h *halving) Tell(trials []Trial) {
	for _, r := range h.races {
		n := len(r.ask())
		r.tell(trials[:n])
		trials = trials[n:]
	}
}

// Rungs returns the finished rungs, race by race.
func (h *halving) Rungs() []Rung {
	var rungs []Rung
	for number, r := range h.races {
		for _, rung := range r.rungs {
			rung.Bracket = number
			rungs = append(rungs, rung)
		}
	}
	return rungs
}
