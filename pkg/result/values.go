// SPDX-License-Identifier: Apache-2.0

package result

// The functions below say where in a Group the registry's figures are.

func latencyFamily(name, help string, of func(*Group) *Latency) family {
	f := family{name: name, labels: requestLabels}
	add := func(statistic, words string, value func(*Latency) float64) {
		f.statistics = append(f.statistics, newStatistic(statistic, Seconds, Minimize, words+" "+help,
			func(g *Group) (float64, bool) {
				if l := of(g); l != nil {
					return value(l), true
				}
				return 0, false
			}))
	}
	add("mean", "mean of the", func(l *Latency) float64 { return l.Mean })
	add("p50", "median of the", func(l *Latency) float64 { return l.P50 })
	add("p90", "90th percentile of the", func(l *Latency) float64 { return l.P90 })
	add("p95", "95th percentile of the", func(l *Latency) float64 { return l.P95 })
	add("p99", "99th percentile of the", func(l *Latency) float64 { return l.P99 })
	add("max", "greatest", func(l *Latency) float64 { return l.Max })
	return f
}

func newStatistic(name string, unit Unit, direction Direction, help string, value func(*Group) (float64, bool)) statistic {
	return statistic{name: name, unit: unit, direction: direction, help: help, value: value}
}

func optional(value *float64) (float64, bool) {
	if value == nil {
		return 0, false
	}
	return *value, true
}

func attainmentOf(name, title string, of func(*Attainment) *float64) statistic {
	help := "requests within the " + title + " target of their class ÷ arrivals of classes with that target"
	return newStatistic(name, Share, Maximize, help, func(g *Group) (float64, bool) {
		if g.Attainment == nil {
			return 0, false
		}
		return optional(of(g.Attainment))
	})
}

func shareOfArrivals(part func(*Requests) int64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) { return optional(ratio(part(&g.Requests), g.Requests.Arrived)) }
}

func throughputOf(name, help string, of func(*Throughput) float64) statistic {
	return newStatistic(name, PerSecond, Maximize, help, func(g *Group) (float64, bool) {
		if g.Throughput == nil {
			return 0, false
		}
		return of(g.Throughput), true
	})
}

func cacheHitGPU(g *Group) (float64, bool) {
	if g.CacheHit == nil {
		return 0, false
	}
	return g.CacheHit.GPU, true
}

// countOf is for what happens to requests: where none arrived there is no
// value.
func countOf(of func(*Group) int64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) { return float64(of(g)), g.Requests.Arrived > 0 }
}

func fairnessOf(name, help string, of func(*Fairness) *float64) statistic {
	return newStatistic(name, Index, Maximize, help, func(g *Group) (float64, bool) {
		if g.Fairness == nil {
			return 0, false
		}
		return optional(of(g.Fairness))
	})
}

func ofReplicas(of func(*Replicas) (float64, bool)) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Replicas == nil {
			return 0, false
		}
		return of(g.Replicas)
	}
}

var utilization = ofReplicas(func(r *Replicas) (float64, bool) {
	if r.Utilization == nil {
		return 0, false
	}
	return r.Utilization.Mean, true
})

func kvUsageOf(name, help string, of func(*KVUsage) float64) statistic {
	return newStatistic(name, Share, Minimize, help, ofReplicas(func(r *Replicas) (float64, bool) {
		if r.KVUsage == nil {
			return 0, false
		}
		return of(r.KVUsage), true
	}))
}
