// SPDX-License-Identifier: Apache-2.0

package result

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
	// AdmissionDelay is how long the admission made requests wait, one value for each
	// that waited and went to a replica.
	AdmissionDelay *Latency `json:"admissionDelay,omitempty"`
	// Handoff runs from the end of a prompt's prefill to the moment when its
	// decode may begin on another replica; KVLoad is how long a request waited
	// for its KV from lower tiers.
	Handoff *Latency `json:"handoff,omitempty"`
	KVLoad  *Latency `json:"kvLoad,omitempty"`
	// AdapterWait is how long requests waited for their LoRA adapters, one value a wait.
	AdapterWait *Latency `json:"adapterWait,omitempty"`

	// Goodput is good requests ÷ arrivals, over the classes that have
	// targets. A request is good when it completed within every target of
	// its class, so that turning requests away never improves goodput.
	Goodput    *float64    `json:"goodput,omitempty"`
	Attainment *Attainment `json:"attainment,omitempty"`
	// TimeoutRate is there where clients have time-outs: requests that their clients
	// gave up ÷ arrivals. Retries is there where clients try again.
	TimeoutRate *float64 `json:"timeoutRate,omitempty"`
	// RequestShare is there where a route divides requests among routers, but not of all
	// requests: those of the group ÷ all that arrived.
	RequestShare *float64 `json:"requestShare,omitempty"`
	Retries      *Retries `json:"retries,omitempty"`

	Throughput *Throughput `json:"throughput,omitempty"`
	CacheHit   *CacheHit   `json:"cacheHit,omitempty"`
	// KVBelief is there where something asks for it, and routers keep an index.
	KVBelief *KVBelief `json:"kvBelief,omitempty"`
	Tokens   Tokens    `json:"tokens"`
	// Speculation is there where engines verified drafts.
	Speculation *Speculation `json:"speculation,omitempty"`
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
	// MaxReplicaTTFT is the greatest time to first token of any replica, overall, where
	// something asks for it.
	MaxReplicaTTFT *MaxReplicaTTFT `json:"maxReplicaTtft,omitempty"`
	// TailBlowup is there where something asks for it.
	TailBlowup *TailBlowup `json:"tailBlowup,omitempty"`
	// Adaptive is how the weights of the router changed, overall or of a model, where
	// they do.
	Adaptive *AdaptiveRatio `json:"adaptive,omitempty"`
	// WarmUp is what a rule made of the warm-up, overall, where there is one.
	WarmUp *WarmUp `json:"warmUp,omitempty"`
	// Anomalies count what rules found to have gone wrong, by type, overall, where something asks
	// for that.
	Anomalies map[string]int `json:"anomalies,omitempty"`
	// BacklogGrowth is by how much the number of requests in the cluster grows of
	// what arrives, overall, where something asks for it.
	BacklogGrowth *float64 `json:"backlogGrowth,omitempty"`
}
