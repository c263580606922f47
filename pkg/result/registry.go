// SPDX-License-Identifier: Apache-2.0

package result

// Unit is what a metric's values are in.
type Unit string

// The units.
const (
	Seconds   Unit = "seconds"
	Share     Unit = "share" // 0 to 1
	PerSecond Unit = "per second"
	Count     Unit = "count"
	Index     Unit = "index" // 0 to 1, 1 is best
	Hours     Unit = "hours"
	Currency  Unit = "currency" // the scenario's own
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
	// statistics holds one without a name where the metric has none.
	statistics []statistic
}

// statistic is one figure of a family.
type statistic struct {
	name      string
	unit      Unit
	direction Direction
	help      string
	// value returns false where nothing was measured.
	value func(*Group) (float64, bool)
}

// Labels by what is counted: requests, what one tenant is set against
// another, and replicas, which serve every class and tenant.
var (
	requestLabels = allLabels
	betweenLabels = []string{labelClass, labelPool}
	replicaLabels = []string{labelPool}
)

// families is the registry. Its order is that of lists for people.
var families = []family{
	latencyFamily("ttft", "time to first token, from the arrival at the gateway", func(g *Group) *Latency { return g.TTFT }),
	latencyFamily("engineTtft", "time to first token as the engine reports it, from the entry into its queue", func(g *Group) *Latency { return g.EngineTTFT }),
	latencyFamily("tpot", "time per output token after the first, one mean a completed request", func(g *Group) *Latency { return g.TPOT }),
	latencyFamily("itl", "gap between successive tokens, one value a gap", func(g *Group) *Latency { return g.ITL }),
	latencyFamily("e2e", "time to the last token, from the arrival at the gateway", func(g *Group) *Latency { return g.E2E }),
	latencyFamily("queueing", "time from the arrival at the gateway to the first step that computes something", func(g *Group) *Latency { return g.Queueing }),

	{name: "goodput", labels: requestLabels, targets: true, statistics: []statistic{
		{"", Share, Maximize, "requests that met every target of their class ÷ arrivals of classes with targets", func(g *Group) (float64, bool) { return optional(g.Goodput) }},
	}},
	{name: "attainment", labels: requestLabels, targets: true, statistics: []statistic{
		attainmentOf("ttft", "TTFT", func(a *Attainment) *float64 { return a.TTFT }),
		attainmentOf("tpot", "TPOT", func(a *Attainment) *float64 { return a.TPOT }),
		attainmentOf("e2e", "E2E", func(a *Attainment) *float64 { return a.E2E }),
	}},
	{name: "completionRate", labels: requestLabels, statistics: []statistic{
		{"", Share, Maximize, "completed ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Completed })},
	}},
	{name: "rejectionRate", labels: requestLabels, statistics: []statistic{
		{"", Share, Minimize, "rejected ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Rejected })},
	}},
	{name: "unfinishedRate", labels: requestLabels, statistics: []statistic{
		{"", Share, Minimize, "in flight when the run ended ÷ arrived", shareOfArrivals(func(r *Requests) int64 { return r.Unfinished })},
	}},

	{name: "throughput", labels: requestLabels, statistics: []statistic{
		throughputOf("requests", "completed requests ÷ measured time", func(t *Throughput) float64 { return t.Requests }),
		throughputOf("inputTokens", "prompt tokens of scheduled requests, cached ones included, ÷ measured time", func(t *Throughput) float64 { return t.InputTokens }),
		throughputOf("outputTokens", "generated tokens ÷ measured time", func(t *Throughput) float64 { return t.OutputTokens }),
	}},
	{name: "cacheHit", labels: requestLabels, statistics: []statistic{
		{"gpu", Share, Maximize, "prompt tokens found in GPU memory ÷ prompt tokens of scheduled requests", cacheHitGPU},
	}},
	{name: "preemptions", labels: requestLabels, statistics: []statistic{
		{"", Count, Minimize, "evictions of requests from a batch", countOf(func(g *Group) int64 { return g.Preemptions })},
	}},
	{name: "recomputedTokens", labels: requestLabels, statistics: []statistic{
		{"", Count, Minimize, "tokens computed again after a preemption", countOf(func(g *Group) int64 { return g.Tokens.Recomputed })},
	}},

	{name: "fairness", labels: betweenLabels, tenants: true, statistics: []statistic{
		fairnessOf("tokens", "Jain's index over tenants of the tokens served to each", func(f *Fairness) *float64 { return f.Tokens }),
		fairnessOf("completions", "Jain's index over tenants of completed ÷ arrived", func(f *Fairness) *float64 { return f.Completions }),
	}},

	{name: "utilization", labels: replicaLabels, statistics: []statistic{
		{"", Share, Maximize, "busy time ÷ (replicas × span)", utilization},
	}},
	{name: "kvUsage", labels: replicaLabels, statistics: []statistic{
		kvUsageOf("mean", "KV blocks in use ÷ KV blocks, mean over time and replicas", func(u *KVUsage) float64 { return u.Mean }),
		kvUsageOf("peak", "KV blocks in use ÷ KV blocks, peak of any replica", func(u *KVUsage) float64 { return u.Peak }),
	}},
	{name: "evictions", labels: replicaLabels, statistics: []statistic{
		{"", Count, Minimize, "cached KV blocks dropped to make room", ofReplicas(func(r *Replicas) (float64, bool) { return float64(r.Evictions), true })},
	}},
	{name: "replicaHours", labels: replicaLabels, statistics: []statistic{
		{"", Hours, Minimize, "replicas × span", ofReplicas(func(r *Replicas) (float64, bool) { return r.Hours, true })},
	}},
	{name: "cost", labels: replicaLabels, prices: true, statistics: []statistic{
		{"", Currency, Minimize, "replica-hours × price", ofReplicas(func(r *Replicas) (float64, bool) { return optional(r.Cost) })},
	}},
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
