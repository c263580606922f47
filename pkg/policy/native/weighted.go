// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// weighted adds up what scorers make of an endpoint, each clamped to [0, 1] and
// times its weight, and chooses one with the greatest sum.
type weighted struct {
	names []string
	// given are the weights as they were set, and weights those that count.
	given, weights []float64
	normalised     bool
	scorers        []scorer
	ties           ties
	// told says of each scorer whether it ever gave two candidates other parts.
	told []bool

	parts  [][]float64 // by scorer and candidate
	raw    [][]float64 // likewise; nil unless decisions are explained
	scores []float64   // of the candidates
}

// A scorer says how good each candidate is for a request: 1 is best, 0 worst, and
// what lies beyond counts as that.
type scorer interface {
	score(r *round, scores []float64)
}

type weightedSpec struct {
	names      []string
	weights    []float64
	normalised bool
	scorers    []func(*builder) scorer
}

func (s *weightedSpec) build(b *builder) chooser {
	w := &weighted{
		names: s.names, given: slices.Clone(s.weights), weights: make([]float64, len(s.weights)), normalised: s.normalised,
		ties: newTies(b), scores: make([]float64, b.endpoints),
	}
	w.weigh()
	for _, make := range s.scorers {
		made := make(b)
		w.scorers = append(w.scorers, made)
		if f, ok := made.(follower); ok {
			b.follow(f)
		}
		if x, ok := made.(believer); ok && b.router.believer == nil {
			b.router.believer = x
		}
	}
	w.told = make([]bool, len(w.scorers))
	for range w.scorers {
		w.parts = append(w.parts, make([]float64, b.endpoints))
	}
	return w
}

// weigh makes the weights that count of those that were given: the same, or such that
// they add up to 1.
func (w *weighted) weigh() {
	sum := 1.0
	if w.normalised {
		sum = 0
		for _, given := range w.given {
			sum += given
		}
	}
	for i, given := range w.given {
		w.weights[i] = given / sum
	}
}

// Weights implements [policy.Weighted]. A policy that adds up no scores has none.
func (r *Router) Weights() []policy.ScorerWeight {
	w, ok := r.chooser.(*weighted)
	if !ok {
		return nil
	}
	var all []policy.ScorerWeight
	for i, name := range w.names {
		all = append(all, policy.ScorerWeight{Scorer: name, Type: name, Weight: w.given[i]})
	}
	return all
}

// SetWeight implements [policy.Weighted].
func (r *Router) SetWeight(i int, weight float64) {
	w := r.chooser.(*weighted)
	w.given[i] = weight
	w.weigh()
}

// Idle implements [policy.Idler].
func (r *Router) Idle() []string {
	w, ok := r.chooser.(*weighted)
	if !ok {
		return nil
	}
	var idle []string
	for i, name := range w.names {
		if !w.told[i] {
			idle = append(idle, name)
		}
	}
	return idle
}

func (w *weighted) choose(r *round) int {
	n := len(r.candidates)
	w.scores = w.scores[:n]
	clear(w.scores)
	for i, s := range w.scorers {
		part := w.parts[i][:n]
		s.score(r, part)
		if w.raw != nil {
			copy(w.raw[i], part)
		}
		for j, raw := range part {
			part[j] = float64(w.weights[i] * min(max(raw, 0), 1))
			w.scores[j] += part[j]
			w.told[i] = w.told[i] || part[j] != part[0]
		}
	}
	return w.ties.best(w.scores)
}
