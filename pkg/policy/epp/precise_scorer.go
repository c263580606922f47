// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// preciseScorer prefers endpoints that hold the prompt's beginning, as the EPPs
// did that kept the index in the scorer.
type preciseScorer struct{ known *precisePrefix }

// newPreciseScorer returns the scorer that goes with an index.
func newPreciseScorer(known *precisePrefix) scheduler.Scorer {
	if known.rules.normalization == matchedShare {
		return &prefixCache{match: known.info}
	}
	return &preciseScorer{known}
}

func (s *preciseScorer) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	m := &s.known.match
	if s.known.rules.publishes {
		s.known.info.Publish(c, s.known.publishesAny(candidates))
	}
	s.known.shareScored(candidates)
	least, greatest := 0.0, float64(s.known.info.TotalBlocks)
	if s.known.rules.normalization == minMax {
		least, greatest = s.known.bounds(c)
	}
	for i, e := range candidates {
		switch {
		case m.Blocks[e] == 0:
			scores[i] = w.Of(0)
		case least == greatest:
			scores[i] = w.Of(1)
		default:
			scores[i] = w.Of((m.Scores[e] - least) / (greatest - least))
		}
	}
}

// publishesAny reports whether a scorer of these candidates leaves anybody behind as a
// holder of the prompt.
func (p *precisePrefix) publishesAny(candidates []int) bool {
	return !p.rules.publishesHolders || slices.ContainsFunc(candidates, func(e int) bool { return p.match.Scores[e] > 0 })
}

// bounds are the least and the greatest score of the endpoints that hold the
// first block, be they candidates or not. Where the index speculates, it only
// looks at those that are there.
func (p *precisePrefix) bounds(c *scheduler.Cycle) (least, greatest float64) {
	first := true
	for e, score := range p.match.Scores {
		switch {
		case p.match.Blocks[e] == 0 || p.speculation.ttl > 0 && c.Gone(e):
		case first:
			least, greatest, first = score, score, false
		default:
			least, greatest = min(least, score), max(greatest, score)
		}
	}
	return least, greatest
}
