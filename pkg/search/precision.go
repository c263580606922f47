// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// precisionConfidence is that of the intervals whose width is wanted.
const precisionConfidence = 0.95

// maxRefined is up to how many points are few enough that all of them get more
// seeds.
const maxRefined = 8

// precision goes on where another algorithm ends: it gives the best point and
// the baseline, or all points where they are few, more seeds until the means of
// all of them are as sure as wanted. How many it takes is reckoned from their
// spread so far, and since that is uncertain itself, the number is doubled at
// most before reckoning again (Law: Simulation Modeling and Analysis, 9.4.1: the
// sequential procedure). Since it stops when the interval happens to be narrow,
// the interval covers the truth a little less often than it says; starting
// with more seeds helps. All of the points get the same seeds, so that they can
// be compared in pairs.
type precision struct {
	problem *problem
	inner   Algorithm
	ledger  *ledger
	refined []Values // nil until the other algorithm is done
}

// precision wraps an algorithm.
func (p *problem) precision(inner Algorithm) (Algorithm, field.ErrorList) {
	var errs field.ErrorList
	s, path := p.Settings.Precision, p.path.Child("replications")
	if !(s.Relative > 0 && s.Relative < 1) {
		errs = append(errs, field.Invalid(path.Child("precision"), s.Relative, "must lie between 0 and 100 %"))
	}
	if s.MaxSeeds < max(2, p.Seeds) {
		errs = append(errs, field.Invalid(path.Child("maxCount"), s.MaxSeeds, fmt.Sprintf("must be at least %d, the seeds that every point gets", max(2, p.Seeds))))
	}
	if p.Settings.Algorithm == Capacity {
		errs = append(errs, field.Forbidden(path.Child("precision"), "does not go with Capacity, which gives every load seeds until it is sure"))
	}
	return &precision{problem: p, inner: inner, ledger: newLedger(p)}, errs
}

// Unwrap returns the algorithm that proposes the points.
func (p *precision) Unwrap() Algorithm { return p.inner }

func (p *precision) Ask() []Proposal {
	if proposals := p.inner.Ask(); len(proposals) > 0 {
		return proposals
	}
	p.choose()
	target := p.target()
	var proposals []Proposal
	for _, point := range p.refined {
		t := p.ledger.of(point)
		if have := len(t.Samples); !t.Failed() && have < target {
			proposals = append(proposals, Proposal{point, Effort{Share: 1, First: have, Seeds: target - have}})
		}
	}
	return proposals
}

func (p *precision) Tell(trials []Trial) {
	if len(p.inner.Ask()) > 0 {
		p.inner.Tell(trials)
	} else {
		p.choose()
	}
	p.ledger.tell(trials)
}

// choose settles who gets more seeds.
func (p *precision) choose() {
	if p.refined != nil {
		return
	}
	p.refined = []Values{}
	complete := p.ledger.complete()
	if len(complete) <= maxRefined {
		for _, t := range complete {
			p.refined = append(p.refined, t.Point)
		}
		return
	}
	for _, point := range p.ledger.bestAndBaseline(p.problem.Baseline) {
		if t := p.ledger.of(point); t != nil {
			p.refined = append(p.refined, point)
		}
	}
}

// target returns how many seeds the points should have next.
func (p *precision) target() int {
	s, most := p.problem.Settings.Precision, 0
	for _, point := range p.refined {
		t := p.ledger.of(point)
		if t.Failed() {
			continue
		}
		have := len(t.Samples)
		numbers := make([]float64, have)
		for i, row := range t.Samples {
			numbers[i] = row[s.Objective]
		}
		want := have
		if needed := stats.SeedsFor(numbers, s.Relative, precisionConfidence, s.MaxSeeds); needed > have {
			want = min(needed, 2*have)
		}
		most = max(most, want)
	}
	return most
}
