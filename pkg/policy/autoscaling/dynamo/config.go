// SPDX-License-Identifier: Apache-2.0

package dynamo

// Target is what the planner optimizes.
type Target string

// The targets. All but SLA go by thresholds of the load.
const (
	Throughput Target = "throughput"
	Latency    Target = "latency"
	Load       Target = "load"
	SLA        Target = "sla"
)

// Config is the configuration of a planner.
type Config struct {
	Target Target
	// TTFT and ITL are the targets of SLA, in milliseconds.
	TTFT, ITL float64
	// Load and Throughput say which loops run. Targets but SLA have the load loop alone.
	Load, Throughput bool
	// Sensitivity is the percentage of a target that latencies with one replica fewer must stay below.
	Sensitivity float64
	// Thresholds of the target Load: of the prompt tokens that wait in a prefill engine, and of the
	// percentage of the KV cache that others have in use.
	PrefillUp, PrefillDown int
	DecodeUp, DecodeDown   float64
	// MinGPUs and MaxGPUs bound the GPUs of all roles; a negative one does not.
	MinGPUs, MaxGPUs int
	// Min are the least replicas of each role.
	Min       []int
	Predictor PredictorConfig
}

// Limits are those of an engine.
type Limits struct {
	GPUs, BatchedTokens, Sequences, ContextTokens, KVTokens int
	// Drafts are the tokens that a step may accept in addition to one.
	Drafts int
}

// Work is what an engine computes in a step, or what waits for one: prompts with their tokens, and
// answers with the tokens that they hold.
type Work struct{ Prefills, PrefillTokens, Decodes, DecodeTokens int }

// Engine is what an engine says of its last step. A replica has one for each data-parallel rank.
type Engine struct {
	Worker, Rank      int
	Scheduled, Queued Work
}

// Pool is a role at one time.
type Pool struct {
	// Ready are the replicas that serve, of the Expected ones.
	Ready, Expected int
	Engines         []Engine
}

// Traffic is what came in an interval.
type Traffic struct {
	Seconds float64
	// Requests is their number, Input and Output are their mean tokens; 0 where these are not known.
	Requests, Input, Output float64
	// HitRate is the share of prompts that was in a cache, and Accepted are the tokens of a step.
	HitRate, Accepted float64
}

// A Forward estimates how long an engine takes for a step.
type Forward interface {
	Milliseconds(Work) float64
}
