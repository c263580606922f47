// SPDX-License-Identifier: Apache-2.0

package result

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
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
	// FoundWarmUp says what a rule made of it; nil where the scenario gives it.
	FoundWarmUp *WarmUp
	// BacklogGrowth is the metric's value; nil if it is not requested.
	BacklogGrowth *float64
	// Traffic is that of the document.
	Traffic *Traffic
	// Anomalies are the metric's values by type; nil if they are not requested.
	Anomalies map[string]int
	// ReplicaTTFT are the times to first token by replica, in ns; nil where nothing asks.
	ReplicaTTFT []stats.Histogram
	// Adaptations say how the weights of routers changed, of routers whose weights do.
	Adaptations []*policy.Adaptation
	// Idle are the parts of routers that never told two endpoints apart.
	Idle []string
	// Targets are the SLOs by class, as in [simulator.Config].
	Targets []simulator.Target
	// TenantTargets are those of tenants with SLOs of their own.
	TenantTargets [][]simulator.Target
	// CostPerReplicaHour is the price of a replica by pool. Where it is nil,
	// or the slice is shorter than the pools, the price is not known.
	CostPerReplicaHour []*float64
	// PoolModels names the base model of each pool, where several are served; nil
	// otherwise.
	PoolModels []string
	// HandsOver says that KV may go from one replica to another, Disrupted that
	// replicas fail or drain: then it is counted, even where it did not happen.
	HandsOver, Disrupted bool
	// Timeouts says that some clients give requests up, Retries that some send
	// requests again.
	Timeouts, Retries bool
	// Routed says that a route divides requests among routers.
	Routed bool
	// Metrics are those that something asks for. The groups of those with several labels
	// are kept in [Document.Selected], and those that are measured on demand are
	// measured.
	Metrics []Metric
}

// asksFor reports whether something asks for a metric of a family.
func (m *Meta) asksFor(family string) bool {
	return slices.ContainsFunc(m.Metrics, func(of Metric) bool { return of.Name == family })
}

// selects reports whether something asks for a metric with a selector.
func (m *Meta) selects(s Selector) bool {
	return slices.ContainsFunc(m.Metrics, func(of Metric) bool { return of.Selector == s })
}

// ModelOf is the base model of a pool; empty where one model is served.
func (m *Meta) ModelOf(pool int) string {
	if m.PoolModels == nil {
		return ""
	}
	return m.PoolModels[pool]
}

// ranksOf is how many ranks a replica of a pool has.
func (m *Meta) ranksOf(pool int) int {
	if pool >= len(m.Provenance.Pools) {
		return 1
	}
	return max(1, m.Provenance.Pools[pool].DataParallelism)
}

// Models are those of the pools, each once.
func (m *Meta) Models() []string { return slices.Compact(slices.Clone(m.PoolModels)) }

// Loops say whether requests wait for the ends of others (Schroeder et al.: Open
// Versus Closed: A Cautionary Tale, NSDI 2006).
const (
	// OpenLoop says that no request waits.
	OpenLoop = "open"
	// ClosedLoop says that each request but the first one of a user waits.
	ClosedLoop = "closed"
	// PartlyOpenLoop says that some requests wait and others do not, such as the
	// later turns of sessions and the first ones.
	PartlyOpenLoop = "partly open"
)

// Provenance is what a result rests on.
type Provenance struct {
	// Loop is [OpenLoop], [ClosedLoop] or [PartlyOpenLoop].
	Loop string `json:"loop"`
	// Pools are in the order of the scenario.
	Pools    []PoolProvenance   `json:"pools"`
	Router   RouterProvenance   `json:"router,omitzero"`
	Workload WorkloadProvenance `json:"workload"`
	// Routers are those of several models, in the order of the scenario, in place of
	// Router.
	Routers []RouterProvenance `json:"routers,omitempty"`
	// Handoff is how KV goes from one replica to another, where it does.
	Handoff *HandoffProvenance `json:"handoff,omitempty"`
	// Disruptions is the number of disruptions of replicas in a run.
	Disruptions int `json:"disruptions,omitempty"`
	// Scalers change the number of replicas in a run.
	Scalers []ScalerProvenance `json:"scalers,omitempty"`
}

// ScalerProvenance says what scaled pools, and how old the metrics were that it read.
type ScalerProvenance struct {
	Name string `json:"name"`
	// Pools are its pools, each kept between Min and Max replicas.
	Pools []string `json:"pools"`
	Min   int      `json:"min"`
	Max   int      `json:"max"`
	// Policy is what decided, each with its seconds.
	Policy          string  `json:"policy"`
	IntervalSeconds float64 `json:"intervalSeconds"`
	// ScrapeIntervalSeconds is the time between two scrapes, and DelaySeconds how long after
	// one the policy could read it.
	ScrapeIntervalSeconds float64 `json:"scrapeIntervalSeconds"`
	DelaySeconds          float64 `json:"delaySeconds,omitempty"`
}

// PoolProvenance says where a pool's step times come from.
type PoolProvenance struct {
	Name              string `json:"name"`
	Model             string `json:"model,omitempty"`
	Accelerator       string `json:"accelerator,omitempty"`
	TensorParallelism int    `json:"tensorParallelism,omitempty"`
	// DataParallelism is the number of ranks of a replica, where there are several;
	// ExpertParallelism says that its GPUs have whole experts.
	DataParallelism   int  `json:"dataParallelism,omitempty"`
	ExpertParallelism bool `json:"expertParallelism,omitempty"`
	Replicas          int  `json:"replicas"`
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
	// Victim is the choice of the request to preempt, where the scenario states it.
	Victim string `json:"victim,omitempty"`
	// Caveats say in words what to keep in mind about the step times.
	Caveats []string `json:"caveats,omitempty"`
	// KVBlocks is the number of KV blocks of one replica, BlockTokens the
	// size of one. KVBlocksComputed says that the number was worked out from
	// the accelerator's memory.
	KVBlocks         int  `json:"kvBlocks,omitempty"`
	KVBlocksComputed bool `json:"kvBlocksComputed,omitempty"`
	BlockTokens      int  `json:"blockTokens,omitempty"`
	// Role is what the pool does of a request, where it has a role: Prefill,
	// Decode or Both.
	Role string `json:"role,omitempty"`
	// Eviction is the order in which cached blocks make room, where it is not
	// LRU.
	Eviction string `json:"eviction,omitempty"`
	// Tiers lie below the cache, fastest first; Offload says when blocks go
	// there.
	Tiers   []TierProvenance `json:"tiers,omitempty"`
	Offload string           `json:"offload,omitempty"`
	// Stability is the form of the controller that watches the cache, and what
	// admission makes of it, where there is one.
	Stability *StabilityProvenance `json:"stability,omitempty"`
}

// TierProvenance is one tier below GPU memory.
type TierProvenance struct {
	// Kind is cpu or storage.
	Kind   string `json:"kind"`
	Blocks int    `json:"blocks"`
	// Shared says that the pool's replicas share it; else each has its own.
	Shared bool `json:"shared,omitempty"`
	// Eviction is the order in which its blocks make room, where it is not LRU.
	Eviction            string  `json:"eviction,omitempty"`
	ReadBytesPerSecond  int64   `json:"readBytesPerSecond"`
	WriteBytesPerSecond int64   `json:"writeBytesPerSecond"`
	LatencySeconds      float64 `json:"latencySeconds,omitempty"`
}

// StabilityProvenance is a controller that watches a cache.
type StabilityProvenance struct {
	// Controller is Queueing or QueueingSeed.
	Controller string `json:"controller"`
	// Evicts says that it empties blocks before they are wanted.
	Evicts bool `json:"evicts,omitempty"`
	// Admission is Always, Queue or Refuse.
	Admission string `json:"admission"`
}

// HandoffProvenance is how KV goes from one replica to another.
type HandoffProvenance struct {
	BytesPerSecond int64   `json:"bytesPerSecond"`
	LatencySeconds float64 `json:"latencySeconds,omitempty"`
	// Granularity is Block, Chunk or Stream.
	Granularity string `json:"granularity"`
	// StartShare is what has to have arrived before decode begins, where that is
	// not all of it.
	StartShare float64 `json:"startShare,omitempty"`
	// SingleOwner says that the prefill replica drops its copy.
	SingleOwner bool `json:"singleOwner,omitempty"`
	// MaxPending bounds the hand-overs to one replica, where something does.
	MaxPending int `json:"maxPending,omitempty"`
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
	// Model is the base model that the router serves, where there are several routers, and
	// Name the router's name, where it has one.
	Model string `json:"model,omitempty"`
	Name  string `json:"name,omitempty"`
	// Version is the EPP's, such as router-v0.10, or names a policy of
	// Windtunnel's own.
	Version string `json:"version,omitempty"`
	// Signals is Oracle where the router reads replicas at each decision, in place of
	// scrapes.
	Signals string `json:"signals,omitempty"`
	// ScrapeIntervalSeconds is the time between two scrapes of a replica; 0 where there
	// are none. The router's own counters are always fresh.
	ScrapeIntervalSeconds float64 `json:"scrapeIntervalSeconds"`
}

// WorkloadProvenance says where the requests come from: clients and traces.
type WorkloadProvenance struct {
	// Clients is the number of synthetic clients.
	Clients int `json:"clients,omitempty"`
	// TraceProvenance is that of the trace without a name.
	TraceProvenance
	// Traces are the traces with names.
	Traces []NamedTraceProvenance `json:"traces,omitempty"`
}

// NamedTraceProvenance says what one of several traces is.
type NamedTraceProvenance struct {
	Name string `json:"name"`
	TraceProvenance
}

// TraceProvenance says what a trace is and how it is replayed.
type TraceProvenance struct {
	// TraceFormat and TraceSHA256 identify a trace, the latter by its
	// decompressed bytes.
	TraceFormat string `json:"traceFormat,omitempty"`
	TraceSHA256 string `json:"traceSHA256,omitempty"`
	// Arrivals is how the trace's times were used, such as AsRecorded.
	Arrivals string `json:"arrivals,omitempty"`
	// RateScale is the factor by which the trace was sped up.
	RateScale float64 `json:"rateScale,omitempty"`
	// Loop is what the prompts are when the trace begins again; empty if it does not.
	Loop string `json:"loop,omitempty"`
	// Slice and Sample are the part of the trace that was replayed; empty for all of it.
	Slice  string  `json:"slice,omitempty"`
	Sample float64 `json:"sample,omitempty"`
	// Skipped and Clipped count the trace's rows that were too long, by what became of them,
	// and SkippedZeroOutput and PrefillOnly those with an answer of 0 tokens. All are of rows
	// that arrive before arrivals end.
	Skipped           int `json:"skippedRequests,omitempty"`
	Clipped           int `json:"clippedRequests,omitempty"`
	SkippedZeroOutput int `json:"skippedZeroOutputRequests,omitempty"`
	PrefillOnly       int `json:"prefillOnlyRequests,omitempty"`
}
