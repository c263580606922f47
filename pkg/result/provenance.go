// SPDX-License-Identifier: Apache-2.0

package result

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Meta is what a result must say of its simulation that the outcome does not.
type Meta struct {
	// Key identifies the simulation: the same key, the same bytes.
	Key string
	// Seed is the simulation's.
	Seed       int64
	Provenance Provenance
	// WarmUp is the horizon's. What replicas did is over the time after it.
	WarmUp time.Duration
	// Targets are the SLOs by class, as in [simulator.Config].
	Targets []simulator.Target
	// CostPerReplicaHour is the price of a replica by pool. Where it is nil,
	// or the slice is shorter than the pools, the price is not known.
	CostPerReplicaHour []*float64
	// Metrics are those that will be asked for beside the registry's. Only
	// the ones with several labels matter: their groups are kept in
	// [Document.Selected].
	Metrics []Metric
}

// OpenLoop says that requests arrive when they arrive, whether or not the
// answers to earlier ones are there.
const OpenLoop = "open"

// Provenance is what a result rests on.
type Provenance struct {
	// Loop is [OpenLoop].
	Loop string `json:"loop"`
	// Pools are in the order of the scenario.
	Pools    []PoolProvenance   `json:"pools"`
	Router   RouterProvenance   `json:"router"`
	Workload WorkloadProvenance `json:"workload"`
}

// PoolProvenance says where a pool's step times come from.
type PoolProvenance struct {
	Name              string `json:"name"`
	Model             string `json:"model,omitempty"`
	Accelerator       string `json:"accelerator,omitempty"`
	TensorParallelism int    `json:"tensorParallelism,omitempty"`
	Replicas          int    `json:"replicas"`
	// Quantization says in which numbers the model is served, where not in
	// those that it was published in.
	Quantization QuantizationProvenance `json:"quantization,omitzero"`
	// LatencyModel is the name of the model of step times, such as roofline.
	LatencyModel string `json:"latencyModel"`
	// Given names the coefficients of that model which the scenario gives; all
	// others are the catalogue's.
	Given []string `json:"given,omitempty"`
	// RequestCost is what requests cost outside the steps.
	RequestCost RequestCostProvenance `json:"requestCost,omitzero"`
	// Scheduler is the order of the engines' queues, where it is not that of
	// arrival.
	Scheduler string `json:"scheduler,omitempty"`
	// Caveats say in words what to keep in mind about the step times.
	Caveats []string `json:"caveats,omitempty"`
	// KVBlocks is the number of KV blocks of one replica, BlockTokens the
	// size of one. KVBlocksComputed says that the number was worked out from
	// the accelerator's memory.
	KVBlocks         int  `json:"kvBlocks,omitempty"`
	KVBlocksComputed bool `json:"kvBlocksComputed,omitempty"`
	BlockTokens      int  `json:"blockTokens,omitempty"`
}

// QuantizationProvenance names formats of numbers, such as fp8; empty ones are
// the model's own.
type QuantizationProvenance struct {
	Weights     string `json:"weights,omitempty"`
	KVCache     string `json:"kvCache,omitempty"`
	Activations string `json:"activations,omitempty"`
}

// RequestCostProvenance is a cost that was added to each request, in seconds.
type RequestCostProvenance struct {
	QueueBaseSeconds      float64 `json:"queueBaseSeconds,omitempty"`
	QueuePerTokenSeconds  float64 `json:"queuePerTokenSeconds,omitempty"`
	PerOutputTokenSeconds float64 `json:"perOutputTokenSeconds,omitempty"`
	CompletionSeconds     float64 `json:"completionSeconds,omitempty"`
}

// RouterProvenance says who routed, and how fresh what it saw was.
type RouterProvenance struct {
	// Version is the EPP's, such as router-v0.10.
	Version string `json:"version,omitempty"`
	// ScrapeIntervalSeconds is the time between two scrapes of a replica.
	// The router's own counters are always fresh.
	ScrapeIntervalSeconds float64 `json:"scrapeIntervalSeconds"`
}

// WorkloadProvenance says where the requests come from: clients, or a trace.
type WorkloadProvenance struct {
	// Clients is the number of synthetic clients.
	Clients int `json:"clients,omitempty"`
	// TraceFormat and TraceSHA256 identify a trace, the latter by its
	// decompressed bytes.
	TraceFormat string `json:"traceFormat,omitempty"`
	TraceSHA256 string `json:"traceSHA256,omitempty"`
	// Arrivals is how the trace's times were used, such as AsRecorded.
	Arrivals string `json:"arrivals,omitempty"`
	// RateScale is the factor by which the trace was sped up.
	RateScale float64 `json:"rateScale,omitempty"`
}
