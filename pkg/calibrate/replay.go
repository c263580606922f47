// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"fmt"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// Times are those of one request, in seconds.
type Times struct {
	// TTFT is first token − queued, E2E last token − queued.
	TTFT, E2E float64
	// TPOT is (last − first token) ÷ (output tokens − 1), and NaN for an
	// answer of one token.
	TPOT float64
}

func times(queued, first, last simtime.Time, outputTokens int) Times {
	t := Times{
		TTFT: first.Sub(queued).Seconds(),
		E2E:  last.Sub(queued).Seconds(),
		TPOT: math.NaN(),
	}
	if outputTokens > 1 {
		t.TPOT = last.Sub(first).Seconds() / float64(outputTokens-1)
	}
	return t
}

// Measured returns what was measured of each request; nil where only figures were.
func (r *Run) Measured() []Times {
	if r.Figures != nil {
		return nil
	}
	all := make([]Times, len(r.Requests))
	for i, q := range r.Requests {
		all[i] = times(q.Queued, q.FirstToken, q.LastToken, q.OutputTokens)
	}
	return all
}

// Replay simulates the run's requests on its engine, under the coefficients or
// what the run gives instead, and returns the times of each. Replays of other numbers differ by their jitter; number 0 has none. It
// is an error if ctx is cancelled, or if the engine refuses a request, which
// the real one did not: then its settings are not the ones it ran with.
func (r *Run) Replay(ctx context.Context, c latency.RooflineCoefficients, number int) ([]Times, error) {
	return r.replay(ctx, newJitter(r.Engine.Roofline(r.Engine.over(c)), number))
}

func (r *Run) replay(ctx context.Context, timer latency.StepTimer) ([]Times, error) {
	all := make([]Times, len(r.Requests))
	completed := 0
	requests, listener := r.source()
	_, err := simulation.Run(ctx, simulator.Config{
		Pools:    []simulator.Pool{r.Engine.pool(timer)},
		Policies: policy.RoutedBy(onlyReplica{}),
		Source:   requests,
		Listener: listener,
		Horizon:  simulator.Horizon{Drain: math.MaxInt64},
		// No policy reads the scrapes.
		ScrapeInterval: time.Hour,
		Completed: func(q simulator.Completion) {
			completed++
			all[q.ID] = times(q.Arrival, q.FirstToken, q.LastToken, q.OutputTokens)
		},
	})
	if err != nil {
		return nil, err
	}
	if completed != len(r.Requests) {
		return nil, fmt.Errorf("%s: the engine with these settings rejects %d of %d requests: check the KV blocks and the model length",
			r.Name, len(r.Requests)-completed, len(r.Requests))
	}
	return all, nil
}

// Replays from firstFitReplay on belong to the search, from
// firstJudgementReplay on to judgements, so that no fit is judged by the
// jitter that it has seen.
const (
	firstFitReplay       = 1
	firstJudgementReplay = 101
)

// onlyReplica routes every request to the one replica there is.
type onlyReplica struct{}

func (onlyReplica) Route(*policy.View, *policy.Request) (policy.Route, error) {
	return policy.To(0), nil
}
