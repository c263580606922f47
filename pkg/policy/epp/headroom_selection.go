// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// headroomSelection chooses one endpoint by what predictions leave of a request's
// objectives.
//
// Where some endpoints hold affinityGateTauGlobal of the prompt or more, the others
// are left out, but with the probability epsilonExploreSticky, and from gie-v1.5 on
// where that would make the first token later by affinityMaxTTFTPenaltyMs. Then come
// those that meet both objectives, and with the probability epsilonExploreNeg the
// others, of which those go first that run nothing. Among these affinityGateTau counts
// in the same way. Of those that are left one is drawn by weights from 2 to 101, by
// headroom or by deficit, or the one of the greatest weight is taken.
type headroomSelection struct {
	*predictedLatencyScorerParameters
	at         version.Release
	prediction *scheduler.LatencyPrediction
	match      *scheduler.PrefixMatch
	// running is how many requests were sent to an endpoint that have not ended.
	running func(endpoint int) int
	random  *stats.Stream
}

// The weights of the least and of the greatest headroom.
const leastWeight, mostWeight = 1, 100

// A weightedChoice is an endpoint and what it weighs.
type weightedChoice struct{ endpoint, weight int }

// choose returns an endpoint, or none.
func (s *headroomSelection) choose(c *scheduler.Cycle, candidates []int) int {
	candidates = s.stick(candidates, s.AffinityGateTauGlobal)
	if s.HeadroomSelectionStrategy == compositeOnly {
		return s.byComposite(c, candidates, false)
	}
	meet, miss := split(candidates, func(e int) bool { return !s.prediction.Misses(e) })
	switch {
	case len(meet) == 0:
		return s.ofMissing(c, miss)
	case len(miss) > 0 && s.random.Float64() < s.EpsilonExploreNeg:
		return s.ofMissing(c, miss)
	default:
		return s.ofMeeting(c, meet)
	}
}

// split tells endpoints apart.
func split(endpoints []int, is func(endpoint int) bool) (those, others []int) {
	for _, e := range endpoints {
		if is(e) {
			those = append(those, e)
		} else {
			others = append(others, e)
		}
	}
	return those, others
}

// stick leaves the endpoints that hold the share of the prompt, if there are any and
// chance allows.
func (s *headroomSelection) stick(candidates []int, share float64) []int {
	if share <= 0 {
		return candidates
	}
	holders, _ := split(candidates, func(e int) bool { return s.share(e) >= share })
	if len(holders) == 0 || s.random.Float64() < s.EpsilonExploreSticky || s.tooLate(holders, candidates) {
		return candidates
	}
	return holders
}

// share is how much of the prompt an endpoint holds.
func (s *headroomSelection) share(e int) float64 {
	if s.match.TotalBlocks == 0 {
		return 0
	}
	return float64(s.match.Blocks[e]) / float64(s.match.TotalBlocks)
}

// tooLate reports whether the first token would come too late from holders.
func (s *headroomSelection) tooLate(holders, candidates []int) bool {
	if s.at < version.GIE15 || s.AffinityMaxTTFTPenaltyMs <= 0 {
		return false
	}
	there, anywhere := s.soonest(holders), s.soonest(candidates)
	return there < math.MaxFloat64 && there-anywhere > s.AffinityMaxTTFTPenaltyMs
}

// soonest is the least predicted time to the first token, in ms.
func (s *headroomSelection) soonest(endpoints []int) float64 {
	least := math.MaxFloat64
	for _, e := range endpoints {
		if ttft := s.prediction.Ttft[e]; ttft > 0 {
			least = min(least, ttft)
		}
	}
	return least
}

// ofMeeting chooses among endpoints that meet both objectives.
func (s *headroomSelection) ofMeeting(c *scheduler.Cycle, candidates []int) int {
	if len(candidates) == 1 {
		return candidates[0]
	}
	candidates = s.stick(candidates, s.AffinityGateTau)
	if len(candidates) == 1 {
		return candidates[0]
	}
	switch s.HeadroomSelectionStrategy {
	case compositeMost, compositeLeast:
		return s.byComposite(c, candidates, s.HeadroomSelectionStrategy == compositeLeast)
	}
	return s.draw(s.byHeadroom(candidates))
}

// ofMissing chooses among endpoints that miss an objective.
func (s *headroomSelection) ofMissing(c *scheduler.Cycle, candidates []int) int {
	if idle, _ := split(candidates, func(e int) bool { return s.running(e) == 0 }); len(idle) > 0 && len(candidates) > 1 {
		candidates = idle
	}
	if len(candidates) == 1 {
		return candidates[0]
	}
	candidates = s.stick(candidates, s.AffinityGateTau)
	if len(candidates) == 1 {
		return candidates[0]
	}
	switch s.HeadroomSelectionStrategy {
	case compositeMost, compositeLeast:
		// Up to gie-v1.4 it takes the one for the other.
		return s.byComposite(c, candidates, s.HeadroomSelectionStrategy == compositeLeast && s.at >= version.GIE15)
	}
	return s.draw(s.byDeficit(candidates))
}

// draw takes one of the choices, by weight; total may be more than they weigh, and
// what is beyond falls to the first one.
func (s *headroomSelection) draw(choices []weightedChoice, total int) int {
	if total == 0 {
		return scheduler.None
	}
	chosen := choices[0].endpoint
	if s.SelectionMode == selectMax {
		greatest := 0
		for _, choice := range choices {
			if choice.weight > greatest {
				chosen, greatest = choice.endpoint, choice.weight
			}
		}
		return chosen
	}
	at := s.random.IntN(total)
	for _, choice := range choices {
		if at < choice.weight {
			return choice.endpoint
		}
		at -= choice.weight
	}
	return chosen
}

// byHeadroom weighs endpoints by both headrooms, each relative to those of the
// others.
func (s *headroomSelection) byHeadroom(candidates []int) (choices []weightedChoice, total int) {
	ttft, tpot := headrooms(candidates, s.prediction.TtftHeadroom), headrooms(candidates, s.prediction.TpotHeadroom)
	ttftWeight, tpotWeight := s.shares(s.HeadroomTTFTWeight, s.HeadroomTPOTWeight)
	for _, e := range candidates {
		room := float64(ttftWeight*ttft.place(s.prediction.TtftHeadroom[e], 0.5)) + float64(tpotWeight*tpot.place(s.prediction.TpotHeadroom[e], 0.5))
		if s.HeadroomSelectionStrategy != mostHeadroom {
			room = 1 - room
		}
		weight := int(room*(mostWeight-leastWeight)) + leastWeight + 1
		choices, total = append(choices, weightedChoice{e, weight}), total+weight
	}
	return choices, total
}

// byDeficit weighs endpoints by what they miss, apart for those that miss both
// objectives, the first token, and the time between tokens.
func (s *headroomSelection) byDeficit(candidates []int) (choices []weightedChoice, total int) {
	p := s.prediction
	late, inTime := split(candidates, func(e int) bool { return p.TtftHeadroom[e] < 0 })
	both, first := split(late, func(e int) bool { return p.TpotHeadroom[e] < 0 })
	ttftWeight, tpotWeight := s.shares(s.NegHeadroomTTFTWeight, s.NegHeadroomTPOTWeight)
	for _, bucket := range [][]int{both, first, inTime} {
		ttft, tpot := deficits(bucket, p.TtftHeadroom), deficits(bucket, p.TpotHeadroom)
		for _, e := range bucket {
			bad := float64(ttftWeight*ttft.place(deficit(p.TtftHeadroom[e]), 0)) + float64(tpotWeight*tpot.place(deficit(p.TpotHeadroom[e]), 0))
			const span = 80
			weight := int((1-bad)*span) + leastWeight + 1
			choices, total = append(choices, weightedChoice{e, weight}), total+weight
		}
	}
	return choices, total
}

// shares are two weights that add up to 1; outside of streaming mode only the first
// token counts.
func (s *headroomSelection) shares(ttft, tpot float64) (float64, float64) {
	if !s.StreamingMode {
		return 1, 0
	}
	return shares(ttft, tpot)
}

func deficit(headroom float64) float64 { return max(0, -headroom) }

// deficits is the range of the deficits of endpoints.
func deficits(endpoints []int, headroom []float64) headroomSpread {
	all := headroomSpread{math.MaxFloat64, -math.MaxFloat64}
	for _, e := range endpoints {
		all.least, all.greatest = min(all.least, deficit(headroom[e])), max(all.greatest, deficit(headroom[e]))
	}
	return all
}

// headrooms is the range of the headrooms of endpoints.
func headrooms(endpoints []int, headroom []float64) headroomSpread {
	all := headroomSpread{math.MaxFloat64, -math.MaxFloat64}
	for _, e := range endpoints {
		all.least, all.greatest = min(all.least, headroom[e]), max(all.greatest, headroom[e])
	}
	return all
}

// place is where in the range a headroom lies, from 0 to just below 1; alone where
// there is no range.
func (r headroomSpread) place(headroom, alone float64) float64 {
	if !r.spreads() {
		return alone
	}
	return (headroom - r.least) / (r.greatest - r.least + sameHeadroom)
}

// byComposite draws by free memory, the queue between the shortest and the longest
// one, and the share of the prompt that is held. Inverted, the one with least of that
// weighs most; the weights are drawn from as if they were not.
func (s *headroomSelection) byComposite(c *scheduler.Cycle, candidates []int, inverted bool) int {
	memory, queue, prefix := s.CompositeKVWeight, s.CompositeQueueWeight, s.CompositePrefixWeight
	if sum := memory + queue + prefix; sum > 0 {
		memory, queue, prefix = memory/sum, queue/sum, prefix/sum
	} else {
		memory, queue, prefix = 1, 0, 0
	}
	shortest, longest := math.MaxInt, 0
	for _, e := range candidates {
		shortest, longest = min(shortest, c.Scrapes[e].Waiting), max(longest, c.Scrapes[e].Waiting)
	}
	choices, total := make([]weightedChoice, 0, len(candidates)), 0
	for _, e := range candidates {
		short := 1.0
		if longest > shortest {
			short = float64(longest-c.Scrapes[e].Waiting) / float64(longest-shortest)
		}
		composite := float64(memory*(1-c.Scrapes[e].KVUsage)) + float64(queue*short) + float64(prefix*s.share(e))
		weight := int(math.Round(leastWeight + float64((mostWeight-leastWeight)*composite)))
		total += weight
		if inverted {
			weight = leastWeight + mostWeight - weight
		}
		choices = append(choices, weightedChoice{e, weight})
	}
	return s.draw(choices, total)
}
