// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// headroomScorer is what a latency-scorer does.
type headroomScorer struct {
	*latencyScorerParameters
	prediction *scheduler.LatencyPrediction
	match      *scheduler.PrefixMatch

	bucket []int // of the last call: indices of candidates that score
}

func (s *headroomScorer) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	if !s.predicted(candidates) {
		s.scoreComposite(c, candidates, w, scores)
		return
	}
	fill(scores[:len(candidates)], w.Of(0))
	most := s.HeadroomSelectionStrategy == mostHeadroom
	if s.takeWhere(candidates, func(e int) bool { return !s.prediction.Misses(e) }) {
		s.scoreBucket(candidates, most, w, scores)
		return
	}
	// All miss an objective, and so all have a prediction. The least deficit is
	// best, whatever the strategy.
	p := s.prediction
	_ = s.takeWhere(candidates, func(e int) bool { return p.Dispatched[e] == 0 }) ||
		s.takeWhere(candidates, func(e int) bool { return p.TtftHeadroom[e] >= 0 }) ||
		s.takeWhere(candidates, func(e int) bool { return p.TpotHeadroom[e] >= 0 }) ||
		s.takeWhere(candidates, func(int) bool { return true })
	s.scoreBucket(candidates, false, w, scores)
}

func (s *headroomScorer) predicted(candidates []int) bool {
	for _, e := range candidates {
		if s.prediction.Known[e] {
			return true
		}
	}
	return false
}

// takeWhere makes the candidates of that kind the bucket, if there are any.
func (s *headroomScorer) takeWhere(candidates []int, is func(endpoint int) bool) bool {
	s.bucket = s.bucket[:0]
	for i, e := range candidates {
		if is(e) {
			s.bucket = append(s.bucket, i)
		}
	}
	return len(s.bucket) > 0
}

// sameHeadroom is the spread of headrooms, in ms, that counts as none.
const sameHeadroom = 1e-9

// scoreBucket scores the candidates of the bucket by both headrooms, each
// relative to those of the others, in hundredths from 0.01 on.
func (s *headroomScorer) scoreBucket(candidates []int, most bool, w scheduler.Weight, scores []float64) {
	ttft := s.spread(candidates, s.prediction.HeadroomTTFT)
	tpot := s.spread(candidates, s.prediction.HeadroomTPOT)
	ttftWeight, tpotWeight := shares(s.TTFTWeight, s.TPOTWeight)
	// Headrooms that are all the same are not to pull the scores together.
	switch {
	case !ttft.spreads() && tpot.spreads():
		ttftWeight, tpotWeight = 0, 1
	case !tpot.spreads() && ttft.spreads():
		ttftWeight, tpotWeight = 1, 0
	}
	for _, i := range s.bucket {
		e := candidates[i]
		room := float64(ttftWeight*ttft.Of(s.prediction.HeadroomTTFT(e))) + float64(tpotWeight*tpot.Of(s.prediction.HeadroomTPOT(e)))
		if !most {
			room = 1 - room
		}
		scores[i] = w.Of(float64(int(room*100)+1) / 100)
	}
}

// A headroomSpread goes from the least to the greatest headroom of a bucket.
type headroomSpread struct{ least, greatest float64 }

func (s *headroomScorer) spread(candidates []int, headroom func(endpoint int) float64) headroomSpread {
	all := headroomSpread{math.MaxFloat64, -math.MaxFloat64}
	for _, i := range s.bucket {
		h := headroom(candidates[i])
		all.least, all.greatest = min(all.least, h), max(all.greatest, h)
	}
	return all
}

func (r headroomSpread) spreads() bool { return r.greatest-r.least > sameHeadroom }

// Of is where in the spread a headroom lies, from 0 to 1.
func (r headroomSpread) Of(headroom float64) float64 {
	if !r.spreads() {
		return 0.5
	}
	return (headroom - r.least) / (r.greatest - r.least)
}

// shares are two weights that add up to 1; the first one has all where they add
// up to nothing.
func shares(a, b float64) (float64, float64) {
	sum := a + b
	if sum <= 0 {
		return 1, 0
	}
	return a / sum, b / sum
}

// scoreComposite is for requests without any prediction: free memory, the queue
// relative to the longest one, and the share of the prompt that is held, in
// hundredths.
func (s *headroomScorer) scoreComposite(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	memory, queue, prefix := s.CompositeKVWeight, s.CompositeQueueWeight, s.CompositePrefixWeight
	sum := memory + queue + prefix
	if sum <= 0 {
		memory, queue, prefix, sum = 1, 0, 0, 1
	}
	memory, queue, prefix = memory/sum, queue/sum, prefix/sum
	longest := 0
	for _, e := range candidates {
		longest = max(longest, c.Scrapes[e].Waiting)
	}
	for i, e := range candidates {
		short, held := 1.0, 0.0
		if longest > 0 {
			short = float64(longest-c.Scrapes[e].Waiting) / float64(longest)
		}
		if s.match.TotalBlocks > 0 {
			held = float64(s.match.Blocks[e]) / float64(s.match.TotalBlocks)
		}
		composite := float64(memory*(1-c.Scrapes[e].KVUsage)) + float64(queue*short) + float64(prefix*held)
		scores[i] = w.Of(float64(int(math.Round(100*composite))) / 100)
	}
}
