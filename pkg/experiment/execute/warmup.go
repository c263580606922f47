// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"cmp"
	"context"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// findWarmUp runs a simulation for the rule that its scenario states, if it does,
// and sets the warm-up of the configuration that is to be measured. What comes of
// it is the same simulation with fewer requests counted. The arrivals of the
// first run are in the result, so that what is left out can be counted.
func findWarmUp(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, in *simulatorInput) (*foundWarmUp, error) {
	rule := in.scenario.Horizon.WarmupRule
	if rule == "" {
		return nil, nil
	}
	pilot, err := simulatorInputOf(p, traces, of, true)
	if err != nil {
		return nil, err
	}
	var s firstTokens
	pilot.config.Completed = s.completed
	outcome, err := simulation.Run(ctx, pilot.config)
	if err != nil {
		return nil, atPoint(of, err)
	}
	found := &foundWarmUp{rule: rule, arrived: arrivals(outcome)}
	in.config.Horizon.WarmUp, found.steady = s.warmUp()
	return found, nil
}

// foundWarmUp is what a rule found.
type foundWarmUp struct {
	rule    v1alpha1.WarmupRule
	steady  bool
	arrived int64 // in all, warm-up included
}

// of says it for the result of the simulation that was measured; nil of nil.
func (f *foundWarmUp) of(measured *simulator.Result) *result.WarmUp {
	if f == nil {
		return nil
	}
	return &result.WarmUp{Rule: string(f.rule), Steady: f.steady, Requests: f.arrived - arrivals(measured)}
}

func arrivals(o *simulator.Result) int64 {
	var n int64
	for i := range o.Cells {
		n += o.Cells[i].Arrived
	}
	return n
}

// firstTokens are the times to first token of completed requests. Those that
// ended otherwise have none, or were cut off at the end of the run.
type firstTokens []firstToken

type firstToken struct {
	request int
	arrival simtime.Time
	after   time.Duration
}

func (s *firstTokens) completed(c simulator.Completion) {
	*s = append(*s, firstToken{request: c.ID, arrival: c.Arrival, after: c.FirstToken.Sub(c.Arrival)})
}

// warmUp returns the time of the arrival from which on MSER-5 keeps requests, in
// order of arrival, and false where it saw no steady state.
func (s firstTokens) warmUp() (time.Duration, bool) {
	slices.SortFunc(s, func(a, b firstToken) int { return cmp.Compare(a.request, b.request) })
	seconds := make([]float64, len(s))
	for i := range s {
		seconds[i] = s[i].after.Seconds()
	}
	first, steady := stats.MSER5(seconds)
	if first == 0 {
		return 0, steady
	}
	return time.Duration(s[first].arrival), steady
}
