// SPDX-License-Identifier: Apache-2.0

package scheduler

// SchedulingResult says how the last request was routed.
type SchedulingResult struct {
	// Choice is that of the primary profile: of the endpoint that decodes.
	Choice
	// Reason says why another endpoint was to compute the prompt or was not; ""
	// where no decider was asked.
	Reason Reason
	// Prefill is the choice of the prefill profile; nil where it did not run.
	// Where it left no candidate, the decode endpoint computes the prompt, and so
	// it does where both profiles chose the same one.
	Prefill *Choice
}

// Choice says how one scheduling profile chose.
type Choice struct {
	// Candidates are the endpoints that the filters left, in their order.
	Candidates []int
	// Scorers name the profile's scorers, in its order.
	Scorers []string
	// Weighted[i][j] is what scorer i adds to the score of Candidates[j]: the
	// weight times the raw score clamped to [0, 1].
	Weighted [][]float64
	// Scores[j] is the sum of these. Where endpoints are many and ranks decide in place of scores,
	// they are empty, and so are Candidates.
	Scores []float64
	// Chosen is an endpoint, or -1 where no candidate was left.
	Chosen int
}

// Reason is what a decider makes of a request.
type Reason string

const (
	// Disabled deciders never want another endpoint to compute a prompt.
	Disabled Reason = "disabled"
	// InputTooShort says that the prompt is shorter than the thresholds.
	InputTooShort Reason = "input_too_short"
	// SuffixCached says that the decode endpoint is believed to hold so much of
	// the prompt that too little of it is left.
	SuffixCached Reason = "suffix_cached"
	// DeciderError says that nothing is known of what the decode endpoint holds.
	DeciderError Reason = "error"
	// Disaggregated says that another endpoint is to compute the prompt.
	Disaggregated Reason = "disaggregated"
)

// LastResult explains the last call of Route. The slices share the
// scheduler's memory and are only valid until the next call.
func (s *Scheduler) LastResult() SchedulingResult {
	d := SchedulingResult{Choice: s.Staged.Decode.choice(), Reason: s.Staged.Reason}
	if p := s.Staged.Prefill; p != nil && p.ran {
		choice := p.choice()
		d.Prefill = &choice
	}
	return d
}

func (p *schedulingProfile) choice() Choice {
	c := Choice{Candidates: p.candidates[:len(p.scores)], Scores: p.scores, Chosen: p.Chosen}
	for _, scorer := range p.Scorers {
		c.Scorers = append(c.Scorers, scorer.plugin.Name)
		c.Weighted = append(c.Weighted, scorer.weighted[:len(p.scores)])
	}
	return c
}
