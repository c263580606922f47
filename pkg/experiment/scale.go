// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/search"
)

// scale tells what the rows of a trial are worth to a search.
type scale struct {
	// objectives are the plan's, and after them the one of a wanted precision
	// where that is about something else.
	objectives []result.Objective
}

// scale returns that of the plan. A run has none but its precision's: all that
// there is to know of it is that it was simulated.
func (p *Plan) scale() (*scale, error) {
	objectives, err := p.objectives()
	if err != nil {
		return nil, err
	}
	if p.Precision != nil && p.precisionObjective() == len(objectives) {
		metric, errs := result.ParseMetric(p.Precision.Metric, nil)
		if len(errs) > 0 {
			return nil, errs.ToAggregate()
		}
		objectives = append(objectives, result.Objective{Measure: result.Of(metric), Direction: result.Minimize})
	}
	return &scale{objectives: objectives}, nil
}

// trial weighs a proposal's rows, one a seed. They are those of a trial that
// failed where one of them lacks a figure that is asked for.
func (s *scale) trial(proposal search.Proposal, rows []result.Row) search.Trial {
	trial := search.Trial{Proposal: proposal}
	for i := range rows {
		sample, ok := s.sample(&rows[i])
		if !ok {
			trial.Samples = nil
			return trial
		}
		trial.Samples = append(trial.Samples, sample)
	}
	return trial
}

// sample returns what a row says of each objective; less is better.
func (s *scale) sample(row *result.Row) ([]float64, bool) {
	if row.Error != "" {
		return nil, false
	}
	if len(s.objectives) == 0 {
		return []float64{0}, true
	}
	sample := make([]float64, len(s.objectives))
	for i, o := range s.objectives {
		value, ok := o.Measure.Value(row)
		if !ok {
			return nil, false
		}
		sample[i] = o.Loss(value)
	}
	return sample, true
}
