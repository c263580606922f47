// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

// Unit is what a metric's values are in.
type Unit string

// The units.
const (
	Seconds   Unit = "seconds"
	Share     Unit = "share" // 0 to 1
	PerSecond Unit = "per second"
	Count     Unit = "count"
	Ratio     Unit = "ratio"
	Index     Unit = "index" // 0 to 1, 1 is best
	Hours     Unit = "hours"
	Currency  Unit = "currency" // the scenario's own
	// CurrencyPerRequest is the scenario's own currency for each request.
	CurrencyPerRequest Unit = "currency per request"
	Number             Unit = "number" // a derived metric's
)

// family is a metric and its statistics.
type family struct {
	name string
	// labels are those that it can be selected by.
	labels []string
	// targets says that it has no values without SLO targets.
	targets bool
	// prices says that it has no values without a price of every pool, tenants
	// that it compares tenants.
	prices, tenants bool
	// seldom says that tables leave it out where nothing was measured.
	seldom bool
	// statistics holds one without a name where the metric has none.
	statistics []statistic
}

// statistic is one figure of a family.
type statistic struct {
	name      string
	unit      Unit
	direction Direction
	help      string
	// needs is what the scenario must have for it to have a value.
	needs Need
	// value returns false where nothing was measured.
	value func(*Group) (float64, bool)
}

// Need is what a scenario must have for a metric to have values.
type Need int

// The needs.
const (
	NeedsNothing Need = iota
	// NeedsTiers is a KV cache with a lower tier, NeedsCPUTier and
	// NeedsStorageTier one of that kind.
	NeedsTiers
	NeedsCPUTier
	NeedsStorageTier
	// NeedsHandoffs are pools and a router that hand KV over.
	NeedsHandoffs
	// NeedsTransfers is either tiers or hand-overs.
	NeedsTransfers
	// NeedsStability is a KV cache that a stability controller watches.
	NeedsStability
	// NeedsDisruptions are disruptions of replicas.
	NeedsDisruptions
	// NeedsFlowControl is a router that keeps requests back.
	NeedsFlowControl
	// NeedsWarmUpRule is a rule that finds the warm-up.
	NeedsWarmUpRule
)

// Labels by what is counted: requests, what one tenant is set against
// another, and replicas, which serve every class and tenant.
var (
	requestLabels = allLabels
	betweenLabels = []string{labelClass, labelPool}
	replicaLabels = []string{labelPool}
)

// BacklogGrowth is the metric that simulations measure only where something asks
// for it.
const BacklogGrowth = "backlogGrowth"

// families is the registry. Its order is that of lists for people.
var families = []family{
	latencyFamily("ttft", "time to first token, from the arrival at the gateway", func(g *Group) *Latency { return g.TTFT }),
	latencyFamily("engineTtft", "time to first token as the engine reports it, from the entry into its queue; of a request that is handed over, the engine that decodes", func(g *Group) *Latency { return g.EngineTTFT }),
	latencyFamily("tpot", "time per output token after the first, one mean a completed request", func(g *Group) *Latency { return g.TPOT }),
	latencyFamily("itl", "gap between successive tokens, one value a gap", func(g *Group) *Latency { return g.ITL }),
	latencyFamily("e2e", "time to the last token, from the arrival at the gateway", func(g *Group) *Latency { return g.E2E }),
	latencyFamily("queueing", "time from the arrival at the gateway to the first step that computes something", func(g *Group) *Latency { return g.Queueing }),
	latencyFamily("gatewayQueueing", "time that the router kept a request at the gateway before it went to a replica", func(g *Group) *Latency { return g.GatewayQueueing }).needing(NeedsFlowControl),
	latencyFamily("handoff", "time from the end of a prompt's prefill until its decode may begin on another replica, one value a hand-over", func(g *Group) *Latency { return g.Handoff }).needing(NeedsHandoffs),
	latencyFamily("kvLoad", "time that a request waited for its KV from lower tiers, one value a load", func(g *Group) *Latency { return g.KVLoad }).needing(NeedsTiers),

	{name: "goodput", labels: requestLabels, targets: true, statistics: []statistic{
		newStatistic("", Share, Maximize, "requests that met every target of their class ÷ arrivals of classes with targets", func(g *Group) (float64, bool) { return optional(g.Goodput) }),
	}},
	{name: "attainment", labels: requestLabels, targets: true, statistics: []statistic{
		attainmentOf("ttft", "TTFT", func(a *Attainment) *float64 { return a.TTFT }),
		attainmentOf("tpot", "TPOT", func(a *Attainment) *float64 { return a.TPOT }),
		attainmentOf("e2e", "E2E", func(a *Attainment) *float64 { return a.E2E }),
	}},
	{name: "completionRate", labels: requestLabels, statistics: []statistic{
		newStatistic("", Share, Maximize, "completed ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Completed })),
	}},
	{name: "rejectionRate", labels: requestLabels, statistics: []statistic{
		newStatistic("", Share, Minimize, "rejected ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Rejected })),
	}},
	{name: "unfinishedRate", labels: requestLabels, statistics: []statistic{
		newStatistic("", Share, Minimize, "in flight when the run ended ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Unfinished })),
	}},

	{name: "failureRate", labels: requestLabels, statistics: []statistic{
		newStatistic("", Share, Minimize, "failed ÷ arrived: their replica failed, and no other was left", disrupted(shareOfArrivals(func(r *Requests) int64 { return r.Failed }))).needing(NeedsDisruptions),
	}},
	{name: "migrations", labels: requestLabels, statistics: []statistic{
		newStatistic("", Count, Minimize, "times that a request was routed again because its replica failed", disrupted(countOf(func(g *Group) int64 { return *g.Migrations }))).needing(NeedsDisruptions),
	}},

	{name: "throughput", labels: requestLabels, statistics: []statistic{
		throughputOf("requests", "completed requests ÷ measured time", func(t *Throughput) float64 { return t.Requests }),
		throughputOf("inputTokens", "prompt tokens of scheduled requests, cached ones included, ÷ measured time", func(t *Throughput) float64 { return t.InputTokens }),
		throughputOf("outputTokens", "generated tokens ÷ measured time", func(t *Throughput) float64 { return t.OutputTokens }),
	}},
	{name: "cacheHit", labels: requestLabels, statistics: []statistic{
		newStatistic("gpu", Share, Maximize, "prompt tokens found in GPU memory ÷ prompt tokens of scheduled requests", cacheHitGPU),
		cacheHitOf("cpu", Maximize, "prompt tokens found in the CPU tier ÷ prompt tokens of scheduled requests", func(h *CacheHit) *float64 { return h.CPU }).needing(NeedsCPUTier),
		cacheHitOf("storage", Maximize, "prompt tokens found in the storage tier ÷ prompt tokens of scheduled requests", func(h *CacheHit) *float64 { return h.Storage }).needing(NeedsStorageTier),
		cacheHitOf("total", Maximize, "prompt tokens found in any tier ÷ prompt tokens of scheduled requests", func(h *CacheHit) *float64 { return h.Total }).needing(NeedsTiers),
		cacheHitOf("computed", Minimize, "prompt tokens found in no tier, and therefore computed, ÷ prompt tokens of scheduled requests", func(h *CacheHit) *float64 { return h.Computed }).needing(NeedsTiers),
	}},
	{name: "preemptions", labels: requestLabels, statistics: []statistic{
		newStatistic("", Count, Minimize, "evictions of requests from a batch", countOf(func(g *Group) int64 { return g.Preemptions })),
	}},
	{name: "recomputedTokens", labels: requestLabels, statistics: []statistic{
		newStatistic("", Count, Minimize, "tokens computed again after a preemption", countOf(func(g *Group) int64 { return g.Tokens.Recomputed })),
	}},
	{name: "handoffs", labels: requestLabels, statistics: []statistic{
		newStatistic("", Count, Minimize, "prompts whose KV went from one replica to another", handedOver(func(h *Handoffs) *float64 { n := float64(h.Count); return &n })).needing(NeedsHandoffs),
	}},
	{name: "handoffShare", labels: requestLabels, statistics: []statistic{
		newStatistic("", Share, Minimize, "time of hand-overs ÷ time to first token, both summed over requests", handedOver(func(h *Handoffs) *float64 { return h.ShareOfTTFT })).needing(NeedsHandoffs),
	}},

	{name: "fairness", labels: betweenLabels, tenants: true, statistics: []statistic{
		fairnessOf("tokens", "Jain's index over tenants of the tokens served to each", func(f *Fairness) *float64 { return f.Tokens }),
		fairnessOf("completions", "Jain's index over tenants of completed ÷ arrived", func(f *Fairness) *float64 { return f.Completions }),
	}},

	{name: "utilization", labels: replicaLabels, statistics: []statistic{
		newStatistic("", Share, Maximize, "busy time ÷ (replicas × span)", utilization),
	}},
	{name: "kvUsage", labels: replicaLabels, statistics: []statistic{
		kvUsageOf("mean", "KV blocks in use ÷ KV blocks, mean over time and replicas", func(u *KVUsage) float64 { return u.Mean }),
		kvUsageOf("peak", "KV blocks in use ÷ KV blocks, peak of any replica", func(u *KVUsage) float64 { return u.Peak }),
	}},
	{name: "evictions", labels: replicaLabels, statistics: []statistic{
		newStatistic("", Count, Minimize, "cached KV blocks dropped to make room", ofReplicas(func(r *Replicas) (float64, bool) { return float64(r.Evictions), true })),
	}},
	tierFamily("cpuTier", "the CPU tier", simulator.CPUTier).needing(NeedsCPUTier),
	tierFamily("storageTier", "the storage tier", simulator.StorageTier).needing(NeedsStorageTier),
	linkFamily("linkUtilization", Share, "share of time in which KV moved", func(u *LinkUse) (float64, bool) { return u.Utilization, true }).needing(NeedsTransfers),
	linkFamily("linkConcurrency", Ratio, "mean number of transfers in flight while KV moved", func(u *LinkUse) (float64, bool) { return optional(u.Concurrency) }).needing(NeedsTransfers),
	{name: "stability", labels: replicaLabels, statistics: []statistic{
		stabilityOf("rho", Ratio, Minimize, "arrival rate ÷ the most requests a second that the KV cache lets through; the queue grows from 1 on", func(s *Stability) *float64 { return s.Rho }),
		stabilityOf("margin", Ratio, Maximize, "1 − rho", func(s *Stability) *float64 { return s.Margin }),
		stabilityOf("criticalRate", PerSecond, Maximize, "arrivals a second at which the KV cache just has its safety margin", func(s *Stability) *float64 { return s.CriticalRate }),
		stabilityOf("recommendedKVBits", Count, Maximize, "bits that an element of the KV cache should have at this rate: advice, on which nothing acts", func(s *Stability) *float64 { return s.RecommendedKVBits }),
		stabilityOf("minimumBlocks", Count, Minimize, "KV blocks that a replica's arrivals need, safety margin included", func(s *Stability) *float64 { return s.MinimumBlocks }),
		stabilityOf("unstable", Share, Minimize, "replicas whose queue is going to grow ÷ replicas with an estimate", func(s *Stability) *float64 { return s.Unstable }),
	}},
	{name: "replicaHours", labels: replicaLabels, statistics: []statistic{
		newStatistic("", Hours, Minimize, "replicas × span", ofReplicas(func(r *Replicas) (float64, bool) { return r.Hours, true })),
	}},
	{name: "cost", labels: replicaLabels, prices: true, statistics: []statistic{
		newStatistic("", Currency, Minimize, "replica-hours × price", ofReplicas(func(r *Replicas) (float64, bool) { return optional(r.Cost) })),
	}},
	{name: "costPerGoodRequest", labels: replicaLabels, targets: true, prices: true, statistics: []statistic{
		newStatistic("", CurrencyPerRequest, Minimize, "cost ÷ requests that met every target of their class", costPerGoodRequest),
	}},
	{name: BacklogGrowth, seldom: true, statistics: []statistic{
		newStatistic("", Share, Minimize, "growth of the number of requests in the cluster ÷ arrivals, over the second half of the measured arrivals: 0 where the cluster keeps up, more where it does not; requests that fail count as still there", func(g *Group) (float64, bool) { return optional(g.BacklogGrowth) }),
	}},
	{name: "warmup", statistics: []statistic{
		warmUpOf("requests", Count, Minimize, "requests that the warm-up rule left out", func(w *WarmUp) float64 { return float64(w.Requests) }),
		warmUpOf("steady", Share, Maximize, "1 where the warm-up rule saw a steady state, 0 where it saw none and left nothing out", func(w *WarmUp) float64 {
			if w.Steady {
				return 1
			}
			return 0
		}),
	}},
}

// needing returns the family of a scenario that has something.
func (f family) needing(n Need) family {
	f.seldom = true
	for i := range f.statistics {
		f.statistics[i].needs = n
	}
	return f
}

// needing returns the statistic of a scenario that has something.
func (s statistic) needing(n Need) statistic {
	s.needs = n
	return s
}

func (f *family) hasStatistics() bool { return f.statistics[0].name != "" }

// find returns the statistic of that name, or nil.
func (f *family) find(name string) *statistic {
	for i := range f.statistics {
		if f.statistics[i].name == name {
			return &f.statistics[i]
		}
	}
	return nil
}

func (f *family) statisticNames() []string {
	var names []string
	for _, s := range f.statistics {
		names = append(names, s.name)
	}
	return names
}
