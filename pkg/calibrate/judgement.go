// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"context"
	"fmt"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// Judgement compares what replays predict of some requests with what was
// measured of them.
type Judgement struct {
	Name string
	// HeldBack says that the fit has not seen these requests.
	HeldBack bool
	// Measured and Predicted are figures in seconds, Predicted the mean over
	// replays, and Spread their standard deviation: what is not above it is
	// noise.
	Measured, Predicted, Spread Figures
	// MeasuredTimes and PredictedTimes are those of each request. There are no measured ones
	// where only figures were measured.
	MeasuredTimes, PredictedTimes []Times
}

// Errors returns (predicted − measured) ÷ measured of each figure.
func (j *Judgement) Errors() Figures { return Errors(j.Predicted, j.Measured) }

// judgementReplays is how many replays a judgement averages over.
const judgementReplays = 16

// Judge predicts the run's requests under coefficients and returns one
// judgement, or two where a part of the requests is held back: of the first
// Fitted requests, and of the others. heldBack says that the fit has seen none
// of them. Errors are those of Replay.
func (r *Run) Judge(ctx context.Context, c latency.RooflineCoefficients, heldBack bool, workers int) ([]*Judgement, error) {
	all, err := r.replays(ctx, c, firstJudgementReplay, judgementReplays, workers)
	if err != nil {
		return nil, err
	}
	if heldBack || r.fitted() == len(r.Requests) {
		return []*Judgement{r.judge(all, r.Name, r.warmUp, len(r.Requests), heldBack)}, nil
	}
	return []*Judgement{
		r.judge(all, fmt.Sprintf("%s, first %d requests", r.Name, r.fitted()), 0, r.fitted(), false),
		r.judge(all, fmt.Sprintf("%s, other %d requests", r.Name, len(r.Requests)-r.fitted()), r.fitted(), len(r.Requests), true),
	}, nil
}

// judge reduces the replays of requests [from, to).
func (r *Run) judge(replays [][]Times, name string, from, to int, heldBack bool) *Judgement {
	p := predictionOf(replays, from, to)
	measured := r.Measured()
	if measured != nil {
		measured = measured[from:to]
	}
	return &Judgement{
		Name:           name,
		HeldBack:       heldBack,
		Measured:       r.figures(from, to),
		Predicted:      p.figures,
		Spread:         p.spread,
		MeasuredTimes:  measured,
		PredictedTimes: p.requests,
	}
}
