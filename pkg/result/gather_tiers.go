// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// cacheHit says what the caches of a pool, or of all, gave to some requests;
// nil where none was scheduled.
func (g gatherer) cacheHit(c *simulator.Cell, pool string) *CacheHit {
	share := ratio(c.CachedTokens, c.PromptTokens)
	if share == nil {
		return nil
	}
	hit := &CacheHit{GPU: *share, GPUTokens: c.CachedTokens}
	total := c.CachedTokens
	for kind := range simulator.TierKinds {
		tokens := c.TierTokens[kind]
		total += tokens
		if !g.has(kind, pool) {
			continue
		}
		switch share := ratio(tokens, c.PromptTokens); kind {
		case simulator.CPUTier:
			hit.CPU, hit.CPUTokens = share, tokens
		case simulator.StorageTier:
			hit.Storage, hit.StorageTokens = share, tokens
		}
		hit.Total = ratio(total, c.PromptTokens)
		hit.Computed = ratio(c.PromptTokens-total, c.PromptTokens)
	}
	return hit
}

// has says whether some replica that may have served requests of a pool has a
// tier. What a request finds is that of the replica that computed its prompt,
// which may be one of another pool.
func (g gatherer) has(kind simulator.TierKind, pool string) bool {
	if g.meta.HandsOver {
		pool = ""
	}
	for use := range g.uses(pool) {
		for i := range use.Tiers {
			if use.Tiers[i].Kind == kind {
				return true
			}
		}
	}
	return false
}

// newHandoffs sums up the hand-overs of some requests.
func newHandoffs(c *simulator.Cell) *Handoffs {
	h := &Handoffs{Count: c.Handoffs}
	if n := c.TTFT.Count(); n > 0 && c.TTFT.Mean() > 0 {
		sum := float64(c.Handoff.Mean() * float64(c.Handoff.Count()))
		share := sum / float64(c.TTFT.Mean()*float64(n))
		h.ShareOfTTFT = &share
	}
	return h
}

// tiers sums up the tiers of a pool, or of all, by kind.
func (g gatherer) tiers(pool string) []TierUse {
	var all []TierUse
	for kind := range simulator.TierKinds {
		sum := TierUse{Kind: kind.String()}
		var means []float64
		for use := range g.uses(pool) {
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

// links sums up the links of a pool, or of all, by name.
func (g gatherer) links(pool string, span time.Duration) []LinkUse {
	var all []LinkUse
	for _, link := range linkTitles {
		sum := LinkUse{Name: link.name}
		busy, shared := 0.0, 0.0
		for use := range g.uses(pool) {
			for i := range use.Links {
				l := &use.Links[i]
				if l.Name != link.name {
					continue
				}
				sum.Count++
				sum.Bytes += l.Bytes
				busy += float64(l.Busy)
				shared += float64(l.MeanConcurrency * float64(l.Busy))
			}
		}
		if sum.Count == 0 {
			continue
		}
		sum.Utilization = busy / float64(span) / float64(sum.Count)
		if busy > 0 {
			concurrency := shared / busy
			sum.Concurrency = &concurrency
		}
		all = append(all, sum)
	}
	return all
}

// stability sums up the controllers of a pool, or of all; nil where there is
// none.
func (g gatherer) stability(pool string) *Stability {
	s := &Stability{}
	var rho, critical, blocks, bits, unstable []float64
	for use := range g.uses(pool) {
		state := use.Stability
		if state == nil {
			continue
		}
		s.Watched++
		if state.Insufficient {
			s.Insufficient++
			continue
		}
		rho = append(rho, state.Utilization)
		critical = append(critical, state.CriticalArrivalsPerSecond)
		blocks = append(blocks, float64(state.MinimumStableBlocks))
		bits = append(bits, float64(state.RecommendedKVBits))
		unstable = append(unstable, oneUnless(state.IsStable))
	}
	if s.Watched == 0 {
		return nil
	}
	s.Rho, s.CriticalRate, s.MinimumBlocks, s.Unstable = meanOf(rho), meanOf(critical), meanOf(blocks), meanOf(unstable)
	s.RecommendedKVBits = meanOf(bits)
	if s.Rho != nil {
		margin := 1 - *s.Rho
		s.Margin = &margin
	}
	return s
}

// states are those of the replicas that are watched.
func (g gatherer) states() []ReplicaStability {
	var all []ReplicaStability
	replica := make([]int, len(g.outcome.Pools))
	for use := range g.uses("") {
		if use.Stability != nil {
			all = append(all, ReplicaStability{Pool: g.outcome.Pools[use.Pool], Replica: replica[use.Pool], State: *use.Stability})
		}
		replica[use.Pool]++
	}
	return all
}

func oneUnless(b bool) float64 {
	if b {
		return 0
	}
	return 1
}

// meanOf returns the mean of values; nil where there is none, or no finite one.
func meanOf(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	m := mean(values)
	if math.IsInf(m, 0) || math.IsNaN(m) {
		return nil
	}
	return &m
}
