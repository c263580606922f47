// SPDX-License-Identifier: Apache-2.0

package study

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// trialScorer computes the scores of a trial for a search from the trial's rows.
type trialScorer struct {
	*experiment.Criteria
	// columns are what a sample holds: the objectives, and after them that of a
	// wanted precision where it is about something else.
	columns []result.Objective
	// confidence is that of claims.
	confidence float64
}

func newTrialScorer(a *experiment.Criteria, confidence float64) *trialScorer {
	s := &trialScorer{Criteria: a, columns: slices.Clone(a.Objectives), confidence: confidence}
	if a.Precision != nil && !slices.ContainsFunc(a.Objectives, func(o result.Objective) bool { return o.Measure == *a.Precision }) {
		s.columns = append(s.columns, result.Objective{Measure: *a.Precision, Direction: result.Minimize})
	}
	return s
}

// trial weighs a proposal's rows, one a seed. They are those of a trial that
// failed where one of them lacks a figure that is asked for.
func (s *trialScorer) trial(proposal search.Proposal, rows []result.Row) search.Trial {
	trial := search.Trial{Proposal: proposal}
	excess, complete := result.Excess(s.Constraints, rows)
	if !complete {
		return trial
	}
	trial.Excess = excess
	trial.Claim = claims[result.ClaimAll(s.Constraints, rows, s.confidence)]
	for _, feature := range s.Features {
		mean, ok := meanOf(feature, rows)
		if !ok {
			return trial
		}
		trial.Features = append(trial.Features, mean)
	}
	var samples [][]float64
	for i := range rows {
		sample, ok := s.sample(&rows[i])
		if !ok {
			return trial
		}
		samples = append(samples, sample)
		if len(s.Constraints) > 0 {
			trial.Beyond = append(trial.Beyond, s.beyond(&rows[i]))
		}
	}
	trial.Samples = samples
	return trial
}

// claims are what a search calls them.
var claims = map[result.Claim]search.Claim{
	result.Holds: search.Holds, result.Breaks: search.Breaks, result.Open: search.Undecided,
}

// beyond returns how far a row, which has a value of each, goes beyond the
// constraints.
func (s *trialScorer) beyond(row *result.Row) []float64 {
	beyond := make([]float64, len(s.Constraints))
	for i, c := range s.Constraints {
		value, _ := c.Measure.Value(row)
		beyond[i] = c.Beyond(value)
	}
	return beyond
}

// sample returns what a row says of each column; less is better. Of a run that
// asks nothing there is nothing to know but that it was simulated.
func (s *trialScorer) sample(row *result.Row) ([]float64, bool) {
	if row.Error != "" {
		return nil, false
	}
	if len(s.columns) == 0 {
		return []float64{0}, true
	}
	sample := make([]float64, len(s.columns))
	for i, o := range s.columns {
		value, ok := o.Measure.Value(row)
		if !ok {
			return nil, false
		}
		sample[i] = o.Loss(value)
	}
	return sample, true
}

// meanOf is a measure's mean over rows; false where one of them has no value.
func meanOf(m result.Measure, rows []result.Row) (float64, bool) {
	sum := 0.0
	for i := range rows {
		value, ok := m.Value(&rows[i])
		if !ok {
			return 0, false
		}
		sum += value
	}
	return sum / float64(len(rows)), len(rows) > 0
}
