// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// Answers are what a gateway observes of the answers that ended whole, at their ends, as the EPP does
// (pkg/epp/handlers/response.go of llm-d-router ebab6879).
type Answers struct {
	// PromptTokens counts the tokens of their prompts.
	PromptTokens int64
	// TimeToFirstToken and Duration are from the arrival at the gateway.
	TimeToFirstToken, Duration Durations
}

// Durations is a histogram of a gateway.
type Durations struct {
	Sum     time.Duration
	Buckets [36]int64
}

// AnswerFirstTokenBounds and AnswerBounds are the upper bounds of the buckets of the EPP's histograms, bounds
// included (pkg/epp/metrics/llm_d_router_metrics.go of llm-d-router ebab6879).
var (
	AnswerFirstTokenBounds = bounds(0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6,
		8, 10, 15, 20, 30, 45, 60, 120)
	AnswerBounds = append(append([]time.Duration{}, AnswerFirstTokenBounds...),
		bounds(180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600)...)
)

// Add counts an answer.
func (a *Answers) Add(promptTokens int, first, whole time.Duration) {
	a.PromptTokens += int64(promptTokens)
	a.TimeToFirstToken.observe(AnswerFirstTokenBounds, first)
	a.Duration.observe(AnswerBounds, whole)
}

func (d *Durations) observe(bounds []time.Duration, took time.Duration) {
	at := 0
	for at < len(bounds) && bounds[at] < took {
		at++
	}
	d.Sum += took
	d.Buckets[at]++
}
