// SPDX-License-Identifier: Apache-2.0

package result

import "slices"

// Replicas is what the replicas of a group did between the end of warm-up and
// the end of the run.
type Replicas struct {
	// Count is the number of replicas, or of their ranks where they have several: each
	// rank counts in what follows, but for Availability, Hours and Cost.
	Count int `json:"count"`
	// Utilization is busy time ÷ lifetimes, one value a replica that was there.
	// Busy is the time in which a step was under way.
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
	// Queue is there where a pool measures its wait queues.
	Queue *QueueUse `json:"queue,omitempty"`
	// Imbalance is there where something asks for it.
	Imbalance *Imbalance `json:"imbalance,omitempty"`
	// Scaling is there where scalers scale pools.
	Scaling *Scaling `json:"scaling,omitempty"`
	// Availability is the sum of the replicas' lifetimes ÷ (replicas × span). It is
	// absent where it is 1.
	Availability *float64 `json:"availability,omitempty"`
	// Hours is the sum of the replicas' lifetimes; Cost is known where every pool has a price.
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

// replicas are what all replicas have. Subjects about replicas that come later
// in the registry add to Group.Replicas where it is there.
var replicas = subject{
	gather: func(in *selection, g *Group) {
		if in.Tenant == "" && in.Class == "" {
			g.Replicas = in.replicas()
		}
	},
	families: []family{
		single("utilization", replicaLabels, statistic{
			unit: Share, direction: Maximize, help: "busy time ÷ lifetimes, mean of the replicas",
			value: ofReplicas(func(r *Replicas) (float64, bool) {
				if r.Utilization == nil {
					return 0, false
				}
				return r.Utilization.Mean, true
			}),
		}).to(capacityPlanners),
		family{name: "kvUsage", labels: replicaLabels, statistics: []statistic{
			kvUsageOf("mean", "KV blocks in use ÷ KV blocks, mean over time and replicas", func(u *KVUsage) float64 { return u.Mean }),
			kvUsageOf("peak", "KV blocks in use ÷ KV blocks, peak of any replica", func(u *KVUsage) float64 { return u.Peak }),
		}}.to(capacityPlanners),
		single("evictions", replicaLabels, statistic{
			unit: Count, direction: Minimize, help: "cached KV blocks dropped to make room",
			value: ofReplicas(func(r *Replicas) (float64, bool) { return float64(r.Evictions), true }),
		}).to(capacityPlanners),
	},
}

// replicas sums up the selection's replicas; nil where they were not observed for
// any time.
func (in *selection) replicas() *Replicas {
	span := in.span()
	if span <= 0 {
		return nil
	}
	r := &Replicas{}
	var utilization, served, meanKV, peakKV []float64
	scaled := len(in.outcome.Units) > 0
	for use := range in.uses() {
		if scaled && use.Present() == 0 && in.scales(use.Pool) {
			continue // a place that had no replica
		}
		if present := use.Present(); present > 0 {
			utilization = append(utilization, float64(use.Busy)/float64(present))
		}
		served = append(served, float64(use.Served))
		meanKV = append(meanKV, use.MeanKV)
		peakKV = append(peakKV, use.PeakKV)
		r.Count++
		r.Steps += use.Steps
		r.Evictions += use.Evictions
	}
	if r.Count > 0 {
		r.Served = newSpread(served)
		r.KVUsage = &KVUsage{Mean: mean(meanKV), Peak: slices.Max(peakKV)}
	}
	if len(utilization) > 0 {
		r.Utilization = newSpread(utilization)
	}
	if !scaled {
		r.Availability = in.availability()
	}
	return r
}

// availability is nil where all replicas were there for all of the span.
func (in *selection) availability() *float64 {
	count := 0.0
	for range in.firstRanks(in.uses()) {
		count++
	}
	present := in.present(in.uses())
	if present == count {
		return nil
	}
	availability := present / count
	return &availability
}

func ofReplicas(of func(*Replicas) (float64, bool)) func(*Group) (float64, bool) {
	return func(g *Group) (float64, bool) {
		if g.Replicas == nil {
			return 0, false
		}
		return of(g.Replicas)
	}
}

func kvUsageOf(name, help string, of func(*KVUsage) float64) statistic {
	return statistic{name: name, unit: Share, direction: Minimize, help: help, value: ofReplicas(func(r *Replicas) (float64, bool) {
		if r.KVUsage == nil {
			return 0, false
		}
		return of(r.KVUsage), true
	})}
}

// newSpread sums up at least one value.
func newSpread(values []float64) *Spread {
	return &Spread{Mean: mean(values), Min: slices.Min(values), Max: slices.Max(values)}
}

// mean sums distances from the first value, which is exact where all are equal.
func mean(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v - values[0]
	}
	return values[0] + total/float64(len(values))
}
