// SPDX-License-Identifier: Apache-2.0

package result

import (
	"iter"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// gatherer builds groups from the cells of an outcome.
type gatherer struct {
	outcome *simulator.Outcome
	meta    Meta
}

// tally is the sum of cells.
type tally struct {
	simulator.Cell
	// The arrivals of classes that have some target, and that one.
	withTargets, withTTFT, withTPOT, withE2E int64
	// tenants is indexed like the labels.
	tenants []tenantTally
}

// group merges the cells that a selector chooses.
func (g gatherer) group(s Selector) Group {
	t := g.tally(s)
	c := &t.Cell
	group := Group{
		Selector: s,
		Requests: Requests{
			Arrived: c.Arrived, Completed: c.Completed, Rejected: c.Rejected,
			TimedOut: c.TimedOut, Failed: c.Failed, Unfinished: c.Unfinished,
			RejectedBy: rejectedBy(c), WithTargets: t.withTargets, Good: c.Good,
		},
		TTFT: newLatency(&c.TTFT), EngineTTFT: newLatency(&c.EngineTTFT), TPOT: newLatency(&c.TPOT), ITL: newLatency(&c.ITL),
		E2E: newLatency(&c.E2E), Queueing: newLatency(&c.Queueing), GatewayQueueing: newLatency(&c.GatewayQueueing),
		Handoff: newLatency(&c.Handoff), KVLoad: newLatency(&c.KVLoad),
		Goodput:     ratio(c.Good, t.withTargets),
		Attainment:  t.attainment(),
		Throughput:  newThroughput(c, g.outcome.Measured),
		Tokens:      Tokens{Prompt: c.PromptTokens, Output: c.OutputTokens, Recomputed: c.RecomputedTokens},
		Preemptions: c.Preemptions,
	}
	group.CacheHit = g.cacheHit(c, s.Pool)
	if g.meta.HandsOver {
		group.Handoffs = newHandoffs(c)
	}
	if g.meta.Disrupted {
		group.Migrations = &c.Migrated
	}
	if s.Tenant == "" {
		group.Fairness = newFairness(t.tenants)
	}
	if s.Tenant == "" && s.Class == "" {
		group.Replicas = g.replicas(s.Pool)
	}
	if s == (Selector{}) {
		group.WarmUp = g.meta.FoundWarmUp
		group.BacklogGrowth = g.meta.BacklogGrowth
	}
	return group
}

// tally adds up the cells that a selector chooses.
func (g gatherer) tally(s Selector) *tally {
	labels := &g.outcome.Labels
	t := &tally{tenants: make([]tenantTally, len(labels.Tenants))}
	for i := range g.outcome.Cells {
		c := &g.outcome.Cells[i]
		pool := ""
		if c.Pool != simulator.NoPool {
			pool = g.outcome.Pools[c.Pool]
		}
		if s.chooses(labels.Classes[c.Class], labels.Tenants[c.Tenant], pool) {
			t.add(c, g.target(c.Class))
		}
	}
	return t
}

// target returns the SLO of a class; zero where there is none.
func (g gatherer) target(class int) simulator.Target {
	if class < len(g.meta.Targets) {
		return g.meta.Targets[class]
	}
	return simulator.Target{}
}

func (t *tally) add(c *simulator.Cell, target simulator.Target) {
	t.Arrived += c.Arrived
	t.Completed += c.Completed
	t.Rejected += c.Rejected
	t.TimedOut += c.TimedOut
	t.Failed += c.Failed
	t.Unfinished += c.Unfinished
	for reason, n := range c.RejectedBy {
		t.RejectedBy[reason] += n
	}
	t.PromptTokens += c.PromptTokens
	t.CachedTokens += c.CachedTokens
	for kind, n := range c.TierTokens {
		t.TierTokens[kind] += n
	}
	t.OutputTokens += c.OutputTokens
	t.Preemptions += c.Preemptions
	t.RecomputedTokens += c.RecomputedTokens
	t.Handoffs += c.Handoffs
	t.Migrated += c.Migrated
	t.TTFT.Merge(&c.TTFT)
	t.EngineTTFT.Merge(&c.EngineTTFT)
	t.TPOT.Merge(&c.TPOT)
	t.ITL.Merge(&c.ITL)
	t.E2E.Merge(&c.E2E)
	t.Queueing.Merge(&c.Queueing)
	t.GatewayQueueing.Merge(&c.GatewayQueueing)
	t.Handoff.Merge(&c.Handoff)
	t.KVLoad.Merge(&c.KVLoad)
	t.addTargets(c, target)
	t.tenants[c.Tenant].add(c)
}

// addTargets counts towards a target only the requests of classes that have
// it: where there is none, the simulator counts every completed request.
func (t *tally) addTargets(c *simulator.Cell, target simulator.Target) {
	if target != (simulator.Target{}) {
		t.withTargets += c.Arrived
		t.Good += c.Good
	}
	count := func(d time.Duration, arrived, met *int64, cellMet int64) {
		if d != 0 {
			*arrived += c.Arrived
			*met += cellMet
		}
	}
	count(target.TTFT, &t.withTTFT, &t.MetTTFT, c.MetTTFT)
	count(target.TPOT, &t.withTPOT, &t.MetTPOT, c.MetTPOT)
	count(target.E2E, &t.withE2E, &t.MetE2E, c.MetE2E)
}

func (t *tally) attainment() *Attainment {
	if t.withTargets == 0 {
		return nil
	}
	return &Attainment{
		TTFT: ratio(t.MetTTFT, t.withTTFT),
		TPOT: ratio(t.MetTPOT, t.withTPOT),
		E2E:  ratio(t.MetE2E, t.withE2E),
	}
}

func rejectedBy(c *simulator.Cell) map[string]int64 {
	if c.Rejected == 0 {
		return nil
	}
	reasons := map[string]int64{}
	for reason, n := range c.RejectedBy {
		if n > 0 {
			reasons[simulator.Reason(reason).String()] = n
		}
	}
	return reasons
}

func newThroughput(c *simulator.Cell, span time.Duration) *Throughput {
	if span <= 0 {
		return nil
	}
	seconds := span.Seconds()
	return &Throughput{
		Requests:     float64(c.Completed) / seconds,
		InputTokens:  float64(c.PromptTokens) / seconds,
		OutputTokens: float64(c.OutputTokens) / seconds,
	}
}

// replicas sums up the replicas of a pool; of all where the name is empty.
// It returns nil where they were not observed for any time.
func (g gatherer) replicas(pool string) *Replicas {
	span := time.Duration(g.outcome.End) - g.meta.WarmUp
	if span <= 0 {
		return nil
	}
	r := &Replicas{}
	var utilization, served, meanKV, peakKV []float64
	for use := range g.uses(pool) {
		utilization = append(utilization, float64(use.Busy)/float64(span))
		served = append(served, float64(use.Served))
		meanKV = append(meanKV, use.MeanKV)
		peakKV = append(peakKV, use.PeakKV)
		r.Count++
		r.Steps += use.Steps
		r.Evictions += use.Evictions
	}
	r.Tiers, r.Links, r.Stability = g.tiers(pool), g.links(pool, span), g.stability(pool)
	r.Hours = float64(r.Count) * span.Hours()
	r.Cost = g.cost(pool, span)
	if r.Count > 0 {
		r.Utilization, r.Served = newSpread(utilization), newSpread(served)
		r.KVUsage = &KVUsage{Mean: mean(meanKV), Peak: slices.Max(peakKV)}
	}
	return r
}

// uses are those of the replicas of a pool; of all where the name is empty.
func (g gatherer) uses(pool string) iter.Seq[*simulator.ReplicaUse] {
	return func(yield func(*simulator.ReplicaUse) bool) {
		for i := range g.outcome.Replicas {
			use := &g.outcome.Replicas[i]
			if pool != "" && g.outcome.Pools[use.Pool] != pool {
				continue
			}
			if !yield(use) {
				return
			}
		}
	}
}

// cost returns what a pool, or all of them, cost over a span; nil where a
// price is missing, since a sum without it would look cheap.
func (g gatherer) cost(pool string, span time.Duration) *float64 {
	replicas := make([]int, len(g.outcome.Pools))
	for _, use := range g.outcome.Replicas {
		replicas[use.Pool]++
	}
	total, known := 0.0, false
	for i, name := range g.outcome.Pools {
		if pool != "" && name != pool {
			continue
		}
		if i >= len(g.meta.CostPerReplicaHour) || g.meta.CostPerReplicaHour[i] == nil {
			return nil
		}
		hours := float64(replicas[i]) * span.Hours()
		total += float64(hours * *g.meta.CostPerReplicaHour[i])
		known = true
	}
	if !known {
		return nil
	}
	return &total
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
