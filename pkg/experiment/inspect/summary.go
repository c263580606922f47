// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Summary is how a simulation is summarized.
type Summary struct {
	Strategy insight.Strategy
	// MaxTokens is [insight.DefaultMaxTokens] where it is 0.
	MaxTokens int
	// Flips is how many simulations show what chance does to a worst decision, of a
	// [insight.Counterfactual].
	Flips int
}

// reflect simulates with a collector.
func (q *Question) reflect(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case) (*Answer, error) {
	metrics, err := execute.MetricsOf(p, of)
	if err != nil {
		return nil, err
	}
	s, report, err := execute.Reflect(ctx, p, traces, of, metrics, p.Anomalies, q.CheckInvariants)
	if err != nil {
		return nil, err
	}
	with := insight.SummaryOptions{Strategy: q.Summary.Strategy, MaxTokens: q.Summary.MaxTokens}
	if with.Strategy == insight.Counterfactual {
		if with.Alternatives, err = q.alternatives(ctx, p, traces, of, report.Worst); err != nil {
			return nil, err
		}
	}
	return &Answer{Simulation: s, Report: report, Summary: insight.Summarize(report, with)}, nil
}

// alternatives simulates other picks for the worst decisions.
func (q *Question) alternatives(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, worst []insight.RequestExample) ([]insight.Alternative, error) {
	var requests []int
	for i := range worst {
		requests = append(requests, worst[i].Request)
	}
	if len(requests) == 0 {
		return nil, nil
	}
	report, err := whatif.AskAbout(ctx, q.maker(p, traces, of), requests, whatif.Options{Window: whatif.DefaultWindow, Flips: q.Summary.Flips, Parallelism: q.atOnce()})
	if errors.Is(err, whatif.ErrNoPick) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return report.Alternatives(), nil
}

// maker makes the simulation again and again.
func (q *Question) maker(p *experiment.Plan, traces trace.Set, of experiment.Case) whatif.Maker {
	return func() (simulator.Config, error) {
		c, err := execute.TrustingConfig(p, traces, of)
		c.CheckInvariants = q.CheckInvariants
		return c, err
	}
}
