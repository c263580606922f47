// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

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

// costPerGoodRequest has no value where no request was good.
func costPerGoodRequest(g *Group) (float64, bool) {
	if g.Replicas == nil || g.Replicas.Cost == nil || g.Requests.Good == 0 {
		return 0, false
	}
	return *g.Replicas.Cost / float64(g.Requests.Good), true
}

// The functions below are about what only some scenarios have.

func cacheHitOf(name string, d Direction, help string, of func(*CacheHit) *float64) statistic {
	return newStatistic(name, Share, d, help, func(g *Group) (float64, bool) {
		if g.CacheHit == nil {
			return 0, false
		}
		return optional(of(g.CacheHit))
	})
}

// disrupted is for what only happens where replicas fail.
func disrupted(value func(*Group) (float64, bool)) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Migrations == nil {
			return 0, false
		}
		return value(g)
	}
}

func handedOver(of func(*Handoffs) *float64) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Handoffs == nil {
			return 0, false
		}
		return optional(of(g.Handoffs))
	}
}

func tierFamily(name, title string, kind simulator.TierKind) family {
	of := func(value func(*TierUse) float64) func(*Group) (float64, bool) {
		return ofReplicas(func(r *Replicas) (float64, bool) {
			for i := range r.Tiers {
				if r.Tiers[i].Kind == kind.String() {
					return value(&r.Tiers[i]), true
				}
			}
			return 0, false
		})
	}
	f := family{name: name, labels: replicaLabels}
	add := func(statistic string, unit Unit, d Direction, help string, value func(*TierUse) float64) {
		f.statistics = append(f.statistics, newStatistic(statistic, unit, d, help, of(value)))
	}
	add("mean", Share, Minimize, "blocks in use of "+title+" ÷ its blocks, mean over time and replicas", func(u *TierUse) float64 { return u.Usage.Mean })
	add("peak", Share, Minimize, "blocks in use of "+title+" ÷ its blocks, peak of any replica", func(u *TierUse) float64 { return u.Usage.Peak })
	add("stored", Count, Minimize, "KV blocks copied into "+title, func(u *TierUse) float64 { return float64(u.Stored) })
	add("loaded", Count, Maximize, "KV blocks loaded from "+title+" into GPU memory", func(u *TierUse) float64 { return float64(u.Loaded) })
	add("evicted", Count, Minimize, "KV blocks of "+title+" that made room", func(u *TierUse) float64 { return float64(u.Evicted) })
	add("thrashed", Count, Minimize, "KV blocks loaded soon after they were copied into "+title, func(u *TierUse) float64 { return float64(u.Thrashed) })
	add("refused", Count, Minimize, "KV blocks that "+title+" had no room for", func(u *TierUse) float64 { return float64(u.Refused) })
	return f
}

// linkTitles say what crosses each link, in the order of lists.
var linkTitles = []struct{ name, statistic, title string }{
	{"toHost", "toHost", "from GPU memory to the host"},
	{"toGPU", "toGPU", "from the host to GPU memory"},
	{"cpu.read", "cpuRead", "out of the CPU tier"},
	{"cpu.write", "cpuWrite", "into the CPU tier"},
	{"storage.read", "storageRead", "out of the storage tier"},
	{"storage.write", "storageWrite", "into the storage tier"},
	{"egress", "egress", "from a replica to another one"},
	{"ingress", "ingress", "to a replica from another one"},
}

func linkFamily(name string, unit Unit, help string, value func(*LinkUse) (float64, bool)) family {
	f := family{name: name, labels: replicaLabels}
	for _, link := range linkTitles {
		f.statistics = append(f.statistics, newStatistic(link.statistic, unit, Minimize, help+" "+link.title,
			ofReplicas(func(r *Replicas) (float64, bool) {
				for i := range r.Links {
					if r.Links[i].Name == link.name {
						return value(&r.Links[i])
					}
				}
				return 0, false
			})))
	}
	return f
}

func stabilityOf(name string, unit Unit, d Direction, help string, of func(*Stability) *float64) statistic {
	return newStatistic(name, unit, d, help+"; as a replica's controller knew when arrivals ended", ofReplicas(func(r *Replicas) (float64, bool) {
		if r.Stability == nil {
			return 0, false
		}
		return optional(of(r.Stability))
	})).needing(NeedsStability)
}

func warmUpOf(name string, u Unit, d Direction, help string, of func(*WarmUp) float64) statistic {
	return newStatistic(name, u, d, help, func(g *Group) (float64, bool) {
		if g.WarmUp == nil {
			return 0, false
		}
		return of(g.WarmUp), true
	}).needing(NeedsWarmUpRule)
}
