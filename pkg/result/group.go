// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/stats"

// Group holds the figures of the requests that a selector chooses. A figure
// that nothing was measured for is nil.
type Group struct {
	Selector
	Requests Requests `json:"requests"`

	// TTFT and E2E run from the arrival at the gateway, Queueing from there
	// to the start of the first step that computes something of the request.
	// TPOT has one value a request, the mean gap between its tokens; ITL has
	// one value a gap. TTFT is over all requests that got a first token, E2E
	// and TPOT are over completed ones.
	TTFT *Latency `json:"ttft,omitempty"`
	// EngineTTFT is TTFT as the engine reports it: from the entry into its
	// queue, by its own clock.
	EngineTTFT *Latency `json:"engineTtft,omitempty"`
	TPOT       *Latency `json:"tpot,omitempty"`
	ITL        *Latency `json:"itl,omitempty"`
	E2E        *Latency `json:"e2e,omitempty"`
	Queueing   *Latency `json:"queueing,omitempty"`
	// GatewayQueueing is how long the router kept requests at the gateway, one
	// value each time that one went to a replica.
	GatewayQueueing *Latency `json:"gatewayQueueing,omitempty"`
	// Handoff runs from the end of a prompt's prefill to the moment when its
	// decode may begin on another replica; KVLoad is how long a request waited
	// for its KV from lower tiers.
	Handoff *Latency `json:"handoff,omitempty"`
	KVLoad  *Latency `json:"kvLoad,omitempty"`

	// Goodput is good requests ÷ arrivals, over the classes that have
	// targets. A request is good when it completed within every target of
	// its class, so that turning requests away never improves goodput.
	Goodput    *float64    `json:"goodput,omitempty"`
	Attainment *Attainment `json:"attainment,omitempty"`

	Throughput *Throughput `json:"throughput,omitempty"`
	CacheHit   *CacheHit   `json:"cacheHit,omitempty"`
	Tokens     Tokens      `json:"tokens"`
	// Preemptions counts evictions of requests from a batch.
	Preemptions int64 `json:"preemptions"`
	// Handoffs is there where KV may be handed over, Migrations, the times that a
	// request was routed again because its replica failed, where replicas are
	// disrupted.
	Handoffs   *Handoffs `json:"handoffs,omitempty"`
	Migrations *int64    `json:"migrations,omitempty"`

	// Fairness is over the group's tenants, where there are two or more.
	Fairness *Fairness `json:"fairness,omitempty"`
	// Replicas is what served, in the group of a pool and overall.
	Replicas *Replicas `json:"replicas,omitempty"`
	// WarmUp is what a rule made of the warm-up, overall, where there is one.
	WarmUp *WarmUp `json:"warmUp,omitempty"`
	// BacklogGrowth is by how much the number of requests in the cluster grows of
	// what arrives, overall, where something asks for it.
	BacklogGrowth *float64 `json:"backlogGrowth,omitempty"`
}

// WarmUp says what a rule left out of the figures.
type WarmUp struct {
	// Rule is MSER.
	Rule string `json:"rule"`
	// Steady says that the rule saw a steady state; where it did not, nothing is
	// left out.
	Steady bool `json:"steady"`
	// Requests counts the arrivals that were left out.
	Requests int64 `json:"requests"`
}

// Requests counts requests by how they ended:
// Arrived = Completed + Rejected + TimedOut + Failed + Unfinished.
type Requests struct {
	Arrived    int64 `json:"arrived"`
	Completed  int64 `json:"completed"`
	Rejected   int64 `json:"rejected"`
	TimedOut   int64 `json:"timedOut"`
	Failed     int64 `json:"failed"`
	Unfinished int64 `json:"unfinished"`
	// RejectedBy splits Rejected by reason; reasons without requests are
	// left out.
	RejectedBy Rejections `json:"rejectedBy,omitempty"`
	// WithTargets counts the arrivals of classes that have targets, Good
	// those of them that met every one.
	WithTargets int64 `json:"withTargets"`
	Good        int64 `json:"good"`
}

// Latency sums up durations, in seconds. Quantiles are over all requests of
// the group, whichever replica served them.
type Latency struct {
	Count int64   `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Attainment is the share of arrivals that completed within one target of
// their class, over the classes that have that target.
type Attainment struct {
	TTFT *float64 `json:"ttft,omitempty"`
	TPOT *float64 `json:"tpot,omitempty"`
	E2E  *float64 `json:"e2e,omitempty"`
}

// Throughput is per second of the measured span.
type Throughput struct {
	// Requests counts completed requests.
	Requests float64 `json:"requests"`
	// InputTokens counts the prompt tokens of requests that were scheduled,
	// those found in a cache included; OutputTokens generated tokens, once.
	InputTokens  float64 `json:"inputTokens"`
	OutputTokens float64 `json:"outputTokens"`
}

// CacheHit says what the prefix cache gave.
type CacheHit struct {
	// GPU is the share of the prompt tokens of scheduled requests that were
	// in GPU memory when the request was first scheduled; GPUTokens is their
	// number.
	GPU       float64 `json:"gpu"`
	GPUTokens int64   `json:"gpuTokens"`
	// CPU and Storage are what the lower tiers gave beyond that, where there are
	// some; Total is what all of them gave, and Computed the rest.
	CPU           *float64 `json:"cpu,omitempty"`
	CPUTokens     int64    `json:"cpuTokens,omitempty"`
	Storage       *float64 `json:"storage,omitempty"`
	StorageTokens int64    `json:"storageTokens,omitempty"`
	Total         *float64 `json:"total,omitempty"`
	Computed      *float64 `json:"computed,omitempty"`
}

// Handoffs sums up how KV went from replicas that prefill to those that decode.
type Handoffs struct {
	Count int64 `json:"count"`
	// ShareOfTTFT is the time of hand-overs ÷ the time to first token, both
	// summed over the group's requests.
	ShareOfTTFT *float64 `json:"shareOfTTFT,omitempty"`
}

// Tokens counts tokens: of the prompts of scheduled requests, generated ones,
// and those computed again after a preemption.
type Tokens struct {
	Prompt     int64 `json:"prompt"`
	Output     int64 `json:"output"`
	Recomputed int64 `json:"recomputed"`
}

// Replicas is what the replicas of a group did between the end of warm-up and
// the end of the run.
type Replicas struct {
	Count int `json:"count"`
	// Utilization is busy time ÷ span, one value a replica. Busy is the time
	// in which a step was under way.
	Utilization *Spread `json:"utilization,omitempty"`
	// Served is the number of completed requests, one value a replica.
	Served *Spread `json:"served,omitempty"`
	// KVUsage is the share of the KV blocks in use: the mean over time and
	// replicas, and the peak of any replica.
	KVUsage *KVUsage `json:"kvUsage,omitempty"`
	Steps   int64    `json:"steps"`
	// Evictions counts cached blocks that were dropped to make room.
	Evictions int64 `json:"evictions"`
	// Tiers and Links are those below GPU memory and between replicas, where
	// there are some; Stability is there where a controller watches.
	Tiers     []TierUse  `json:"tiers,omitempty"`
	Links     []LinkUse  `json:"links,omitempty"`
	Stability *Stability `json:"stability,omitempty"`
	// Hours is replicas × span; Cost is known where every pool has a price.
	Hours float64  `json:"hours"`
	Cost  *float64 `json:"cost,omitempty"`
}

// Spread is how a figure differs between replicas.
type Spread struct {
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// KVUsage is a share of the KV blocks in use.
type KVUsage struct {
	Mean float64 `json:"mean"`
	Peak float64 `json:"peak"`
}

// TierUse is what became of the blocks of all tiers of a kind.
type TierUse struct {
	// Kind is cpu or storage.
	Kind string `json:"kind"`
	// Count is the number of tiers: one a replica, or one a pool.
	Count int `json:"count"`
	// Blocks is how many all of them hold.
	Blocks int64 `json:"blocks"`
	// Usage is the share of the blocks in use: the mean over time and tiers, and
	// the peak of any.
	Usage KVUsage `json:"usage"`
	// Stored blocks arrived, Loaded ones were sent to the GPU, Evicted ones made
	// room, and Refused ones found none. Thrashed ones were loaded soon after
	// they were stored.
	Stored   int64 `json:"stored"`
	Loaded   int64 `json:"loaded"`
	Evicted  int64 `json:"evicted"`
	Refused  int64 `json:"refused"`
	Thrashed int64 `json:"thrashed"`
}

// LinkUse is what crossed all links of a name.
type LinkUse struct {
	// Name is toHost, toGPU, cpu.read, cpu.write, storage.read, storage.write,
	// egress or ingress.
	Name string `json:"name"`
	// Count is the number of links, Bytes what crossed all of them.
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
	// Utilization is the share of time in which something moved, the mean over
	// the links; Concurrency how many transfers shared a link then, on average.
	Utilization float64  `json:"utilization"`
	Concurrency *float64 `json:"concurrency,omitempty"`
}

// Stability is what the controllers knew when arrivals ended: means over the
// replicas that had an estimate.
type Stability struct {
	// Watched is the number of replicas with a controller, Insufficient the
	// number of those that had seen too little for an estimate.
	Watched      int `json:"watched"`
	Insufficient int `json:"insufficient"`
	// Rho is the arrival rate ÷ the most that the KV cache lets through, Margin
	// 1 − Rho.
	Rho    *float64 `json:"rho,omitempty"`
	Margin *float64 `json:"margin,omitempty"`
	// CriticalRate is the arrival rate, per second, at which the cache just has
	// its safety margin; it is left out where some replica has no bound.
	CriticalRate *float64 `json:"criticalRate,omitempty"`
	// MinimumBlocks is how many blocks the arrivals need, safety margin
	// included.
	MinimumBlocks *float64 `json:"minimumBlocks,omitempty"`
	// RecommendedKVBits is how many bits an element of the KV cache should have
	// at this rate: advice, on which nothing acts.
	RecommendedKVBits *float64 `json:"recommendedKVBits,omitempty"`
	// Unstable is the share of replicas whose queue is going to grow.
	Unstable *float64 `json:"unstable,omitempty"`
}

// newLatency sums up a histogram of nanoseconds; nil where it is empty.
func newLatency(h *stats.Histogram) *Latency {
	if h.Count() == 0 {
		return nil
	}
	quantile := func(q float64) float64 { return h.Quantile(q) / 1e9 }
	return &Latency{
		Count: h.Count(),
		Mean:  h.Mean() / 1e9,
		P50:   quantile(0.50),
		P90:   quantile(0.90),
		P95:   quantile(0.95),
		P99:   quantile(0.99),
		Max:   float64(h.Max()) / 1e9,
	}
}

// ratio returns part ÷ whole, or nil where there is no whole.
func ratio(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	share := float64(part) / float64(whole)
	return &share
}
