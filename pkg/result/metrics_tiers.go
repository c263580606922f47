// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/simulator"

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

// tiers are those of the KV cache below GPU memory.
var tiers = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil {
			g.Replicas.Tiers = in.tiers()
		}
	},
	families: []family{
		tierFamily("cpuTier", "the CPU tier", simulator.CPUTier).needing(NeedsCPUTier).to(capacityPlanners),
		tierFamily("storageTier", "the storage tier", simulator.StorageTier).needing(NeedsStorageTier).to(capacityPlanners),
	},
}

func tierFamily(name, title string, kind simulator.TierKind) family {
	of := func(part string, unit Unit, d Direction, help string, value func(*TierUse) float64) statistic {
		return statistic{name: part, unit: unit, direction: d, help: help, value: ofReplicas(func(r *Replicas) (float64, bool) {
			for i := range r.Tiers {
				if r.Tiers[i].Kind == kind.String() {
					return value(&r.Tiers[i]), true
				}
			}
			return 0, false
		})}
	}
	return family{name: name, labels: replicaLabels, statistics: []statistic{
		of("mean", Share, Minimize, "blocks in use of "+title+" ÷ its blocks, mean over time and replicas", func(u *TierUse) float64 { return u.Usage.Mean }),
		of("peak", Share, Minimize, "blocks in use of "+title+" ÷ its blocks, peak of any replica", func(u *TierUse) float64 { return u.Usage.Peak }),
		of("stored", Count, Minimize, "KV blocks copied into "+title, func(u *TierUse) float64 { return float64(u.Stored) }),
		of("loaded", Count, Maximize, "KV blocks loaded from "+title+" into GPU memory", func(u *TierUse) float64 { return float64(u.Loaded) }),
		of("evicted", Count, Minimize, "KV blocks of "+title+" that made room", func(u *TierUse) float64 { return float64(u.Evicted) }),
		of("thrashed", Count, Minimize, "KV blocks loaded soon after they were copied into "+title, func(u *TierUse) float64 { return float64(u.Thrashed) }),
		of("refused", Count, Minimize, "KV blocks that "+title+" had no room for", func(u *TierUse) float64 { return float64(u.Refused) }),
	}}
}

// tiers sums up the tiers of the selection's replicas, by kind.
func (in *selection) tiers() []TierUse {
	var all []TierUse
	for kind := range simulator.TierKinds {
		sum := TierUse{Kind: kind.String()}
		var means []float64
		for use := range in.uses() {
			for i := range use.Tiers {
				t := &use.Tiers[i]
				if t.Kind != kind {
					continue
				}
				sum.add(t)
				means = append(means, t.MeanShare)
			}
		}
		if sum.Count > 0 {
			sum.Usage.Mean = mean(means)
			all = append(all, sum)
		}
	}
	return all
}

// add adds one tier.
func (u *TierUse) add(t *simulator.TierUse) {
	u.Count++
	u.Blocks += int64(t.Blocks)
	u.Usage.Peak = max(u.Usage.Peak, t.PeakShare)
	u.Stored += t.StoredBlocks
	u.Loaded += t.LoadedBlocks
	u.Evicted += t.EvictedBlocks
	u.Refused += t.RefusedBlocks
	u.Thrashed += t.ThrashedBlocks
}
