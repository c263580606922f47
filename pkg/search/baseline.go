// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// baseline adds the baseline to the first generation of an algorithm, as its
// last point, where the algorithm does not propose it there in full by itself.
type baseline struct {
	Algorithm
	proposal Proposal
	told     bool
}

// withBaseline wraps an algorithm.
func (p *problem) withBaseline(inner Algorithm) (Algorithm, field.ErrorList) {
	return &baseline{Algorithm: inner, proposal: Proposal{p.Baseline, p.full()}}, nil
}

// added says whether a generation of the algorithm is to have the baseline.
func (b *baseline) added(proposals []Proposal) bool {
	return !b.told && !slices.ContainsFunc(proposals, func(p Proposal) bool {
		return p.Effort == b.proposal.Effort && slices.Equal(p.Point, b.proposal.Point)
	})
}

func (b *baseline) Ask() []Proposal {
	proposals := b.Algorithm.Ask()
	if b.added(proposals) {
		proposals = append(slices.Clone(proposals), b.proposal)
	}
	return proposals
}

func (b *baseline) Tell(trials []Trial) {
	if b.added(b.Algorithm.Ask()) {
		trials = trials[:len(trials)-1]
	}
	b.told = true
	b.Algorithm.Tell(trials)
}

// Unwrap returns the algorithm without its baseline.
func (b *baseline) Unwrap() Algorithm { return b.Algorithm }
