// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"time"
)

// A LatencyModel says how long one endpoint's engine takes. It stands in for
// the models that the EPP's predictor would have learnt from answers, and knows
// only what is passed to it. It is not called concurrently by one scheduler.
type LatencyModel interface {
	// FirstToken is the time from now until the engine gives a request's first
	// token.
	FirstToken(LatencyFeatures) time.Duration
	// NextToken is the time between two tokens of a request that decodes there.
	NextToken(LatencyFeatures) time.Duration
}

// LatencyFeatures are what the EPP's predictor knows of a request and of an
// endpoint that it may go to.
type LatencyFeatures struct {
	// PromptTokens is the length of the prompt, CachedTokens how much of it the
	// endpoint is believed to hold: at most that.
	PromptTokens, CachedTokens int
	// QueuedTokens are those of other prompts that were routed there and that
	// have given no first token yet, as far as they are not believed to be held.
	QueuedTokens int64
	// TokensPerSecond is at what rate prompt tokens that it is not believed to
	// hold were routed there lately. The EPP's predictor is not told; a model that
	// has been trained under that load knows.
	TokensPerSecond float64
	// InFlight counts the requests that were routed there and have not ended,
	// Waiting those that the engine said wait when it was last scraped.
	InFlight, Waiting int
	// KVUsage is the share of KV blocks in use, as last scraped.
	KVUsage float64
}

// PredictionModel says how far predictions of latency are off. The zero value
// is a predictor that is always right about the present.
type PredictionModel struct {
	// Error is the mean of |predicted ÷ true − 1|, 0 to 0.5; llm-d states about
	// 0.05 for its predictor. Predictions spread evenly between 1 − 2·Error and
	// 1 + 2·Error times the truth. Each follows from the seed, the request and
	// the endpoint alone.
	Error float64
	// Lag is how old the load is that predictions are made of: a model that was
	// trained until then knows the endpoints as they were.
	Lag time.Duration
	// AnswerTokens is the mean length of answers, which a predictor that is not
	// in streaming mode has learnt: what it calls TTFT is the time of the whole
	// answer. 0 is one token.
	AnswerTokens float64
}

// Check panics for values out of range.
func (m *PredictionModel) Check() {
	if !(m.Error >= 0 && m.Error <= 0.5) || m.Lag < 0 || !(m.AnswerTokens >= 0) {
		panic(fmt.Sprintf("epp: bad prediction model %+v", *m))
	}
}
