// SPDX-License-Identifier: Apache-2.0

package native

// weighted adds up what scorers make of an endpoint, each clamped to [0, 1] and
// times its weight, and chooses one with the greatest sum.
type weighted struct {
	names   []string
	weights []float64
	scorers []scorer
	ties    ties

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
	names   []string
	weights []float64
	scorers []func(*builder) scorer
}

// normalise makes the weights add up to 1.
func (s *weightedSpec) normalise() {
	sum := 0.0
	for _, w := range s.weights {
		sum += w
	}
	for i := range s.weights {
		s.weights[i] /= sum
	}
}

func (s *weightedSpec) build(b *builder) chooser {
	w := &weighted{names: s.names, weights: s.weights, ties: newTies(b), scores: make([]float64, b.endpoints)}
	for _, make := range s.scorers {
		made := make(b)
		w.scorers = append(w.scorers, made)
		if f, ok := made.(follower); ok {
			b.router.followers = append(b.router.followers, f)
		}
		if x, ok := made.(believer); ok && b.router.believer == nil {
			b.router.believer = x
		}
	}
	for range w.scorers {
		w.parts = append(w.parts, make([]float64, b.endpoints))
	}
	return w
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
		}
	}
	return w.ties.best(w.scores)
}
