// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"fmt"
	"math"
	"strings"
)

// Metrics are the figures of a report that Windtunnel has too, by the names and in the
// units of package result. A figure that the report lacks is absent.
func (r *Report) Metrics() map[string]float64 {
	m := map[string]float64{}
	if p := r.Results.RequestPerformance; p != nil && p.Aggregate != nil {
		if l := p.Aggregate.Latency; l != nil {
			addLatency(m, "ttft", "time", l.TimeToFirstToken)
			addLatency(m, "tpot", "perToken", l.TimePerOutputToken)
			addLatency(m, "itl", "perToken", l.InterTokenLatency)
			addLatency(m, "e2e", "time", l.RequestLatency)
		}
		if t := p.Aggregate.Throughput; t != nil {
			addMean(m, "throughput.requests", "requestRate", t.RequestRate)
			addMean(m, "throughput.inputTokens", "tokenRate", t.InputTokenRate)
			addMean(m, "throughput.outputTokens", "tokenRate", t.OutputTokenRate)
		}
		addOutcomes(m, p.Aggregate.Requests)
	}
	if o := r.Results.Observability; o != nil {
		addMean(m, "rejectionRate", "portion", o.DropRate)
		r.addResources(m, o)
	}
	return m
}

func addLatency(m map[string]float64, name, group string, s *Statistics) {
	if s == nil {
		return
	}
	addMean(m, name+".mean", group, s)
	for statistic, value := range map[string]*float64{"p50": s.P50, "p90": s.P90, "p95": s.P95, "p99": s.P99, "max": s.Max} {
		if value != nil {
			m[name+"."+statistic] = inBase(*value, group, s.Units)
		}
	}
}

func addMean(m map[string]float64, name, group string, s *Statistics) {
	if s != nil {
		m[name] = inBase(s.Mean, group, s.Units)
	}
}

// addOutcomes adds shares of the requests. A report that counts no incomplete requests has
// none.
func addOutcomes(m map[string]float64, q *Requests) {
	if q == nil || q.Failures == nil || q.Total == 0 {
		return
	}
	incomplete := int64(0)
	if q.Incomplete != nil {
		incomplete = *q.Incomplete
		m["unfinishedRate"] = float64(incomplete) / float64(q.Total)
	}
	m["completionRate"] = float64(q.Total-*q.Failures-incomplete) / float64(q.Total)
}

// addResources adds what the only engine showed. Of several engines, or of the replicas of
// one, there is no figure of the whole.
func (r *Report) addResources(m map[string]float64, o *Observability) {
	engines, label := 0, ""
	if r.Scenario != nil {
		for i := range r.Scenario.Stack {
			if c := &r.Scenario.Stack[i]; c.Standardized.Engine != nil {
				engines, label = engines+1, c.Metadata.Label
			}
		}
	}
	for i := range o.Components {
		c := &o.Components[i]
		if engines != 1 || c.ComponentLabel != label || c.ReplicaID != "" || c.Aggregate == nil {
			continue
		}
		addMean(m, "kvUsage.mean", "portion", c.Aggregate.KVCacheUsage)
		addMean(m, "cacheHit.gpu", "portion", c.Aggregate.CacheHitRate)
	}
}

// IsSimulated reports whether Windtunnel wrote the report.
func (r *Report) IsSimulated() bool {
	profiling, _ := r.Results.Profiling.(map[string]any)
	own, _ := profiling[tool].(map[string]any)
	simulated, _ := own["simulated"].(bool)
	return simulated
}

// Load says in words what was measured: how many requests, how fast, and how long.
func (r *Report) Load() string {
	var words []string
	if p := r.Results.RequestPerformance; p != nil && p.Aggregate != nil && p.Aggregate.Requests != nil {
		q := p.Aggregate.Requests
		words = append(words, fmt.Sprintf("%d requests", q.Total))
		if q.InputLength != nil && q.OutputLength != nil {
			words = append(words, fmt.Sprintf("prompts of %.0f and answers of %.0f tokens on average", q.InputLength.Mean, q.OutputLength.Mean))
		}
	}
	if r.Scenario != nil && r.Scenario.Load != nil {
		l := &r.Scenario.Load.Standardized
		if l.RateQPS != nil {
			words = append(words, fmt.Sprintf("%.4g requests per second", *l.RateQPS))
		}
		if l.Concurrency != nil && !math.IsInf(*l.Concurrency, 1) {
			words = append(words, fmt.Sprintf("at most %.0f at once", *l.Concurrency))
		}
		words = append(words, fmt.Sprintf("by %s %s", l.Tool, l.ToolVersion))
	}
	if len(words) == 0 {
		return "it states no load"
	}
	return strings.Join(words, ", ")
}
