// SPDX-License-Identifier: Apache-2.0

package dynamo

import (
	"math"
	"slices"
)

// Verdict is why a decision is what it is.
type Verdict string

// The verdicts of the load loop.
const (
	// Unmeasured: no engine says anything.
	Unmeasured Verdict = "Unmeasured"
	// InProgress: not all expected replicas are ready.
	InProgress Verdict = "InProgress"
	// Mismatch: engines of other replicas say something than those that are ready.
	Mismatch Verdict = "Mismatch"
	// Decided: the loads decide.
	Decided Verdict = "Decided"
)

// Decision is what the planner wants, and what it rests on.
type Decision struct {
	// Targets are the replicas of each role.
	Targets []int
	// Least are those that the throughput loop wants at least while the load loop runs.
	Least []int
	// PerSecond are the requests per second that an engine of each role serves, and Forecast is the
	// traffic that is foreseen; 0 but where an interval of the throughput loop ends.
	PerSecond []float64
	Forecast  Traffic
	// TTFT and ITL are the greatest latencies of the next request in milliseconds, and Load is the greatest
	// load of each role: tokens that wait or their share of the longest context for prefill, else the share of
	// the KV cache.
	TTFT, ITL float64
	Load      []float64
	// Verdict is that of the load loop; empty without it.
	Verdict Verdict
}

// Planner is a planner of a deployment. It remembers what it observed.
type Planner struct {
	config Config
	models []model
	// hits and accepted are the last that are known.
	hits, accepted float64
	forecast       forecast
	least          []int
	said           *Decision
}

// New makes a planner of engines of one role that computes prompts and answers, or of a prefill role and a
// decode role.
func New(c Config, limits []Limits, forwards []Forward) *Planner {
	p := &Planner{config: c, accepted: 1, forecast: newForecast(&c.Predictor)}
	if c.Target != SLA {
		p.config.Load, p.config.Throughput = true, false
	}
	for k := range limits {
		p.models = append(p.models, model{Limits: limits[k], forward: forwards[k], computes: k == 0, generates: k == len(limits)-1})
		p.least = append(p.least, 1)
	}
	return p
}

// Decide decides by the engines, and by the traffic of the interval where one ends that the planner
// observes: of the throughput loop; without it, each one with the target SLA; nil elsewhere.
func (p *Planner) Decide(pools []Pool, t *Traffic) Decision {
	n := len(pools)
	p.said = &Decision{PerSecond: make([]float64, n), Load: make([]float64, n)}
	if p.config.Target == SLA {
		for k := range pools {
			p.models[k].observe(pools[k].Engines)
		}
	}
	var wanted []int
	if t != nil {
		p.hits, p.accepted = t.HitRate, p.accept(t.Accepted)
	}
	if t != nil && p.config.Throughput {
		wanted = p.count(*t)
	}
	if p.config.Load {
		wanted = p.byLoad(pools)
	}
	p.said.Targets, p.said.Least = p.settle(pools, wanted), slices.Clone(p.least)
	return *p.said
}

// accept bounds the tokens that a step accepts.
func (p *Planner) accept(tokens float64) float64 {
	return min(max(tokens, 1), float64(p.models[len(p.models)-1].Drafts+1))
}

// count is the throughput loop. It returns the replicas for the traffic that is forecast; nil where the
// load loop takes them for the least, or no engine serves any.
func (p *Planner) count(t Traffic) []int {
	p.said.Forecast = p.forecast.next(t, p.hits, p.accepted)
	wanted := make([]int, len(p.models))
	for k := range p.models {
		perSecond := p.models[k].capacity(&p.said.Forecast, &p.config)
		if p.said.PerSecond[k] = perSecond; perSecond <= 0 {
			wanted = nil
			continue
		}
		if wanted != nil {
			demand := p.said.Forecast.Requests / t.Seconds
			wanted[k] = max(int(math.Ceil(demand/perSecond)), p.config.Min[k])
		}
	}
	switch {
	case wanted == nil:
		return nil
	case p.config.Load:
		p.least = wanted
		return nil
	}
	return p.clamp(wanted)
}

// byLoad is the load loop. It returns nil where it decides nothing.
func (p *Planner) byLoad(pools []Pool) []int {
	if p.said.Verdict = p.verdict(pools); p.said.Verdict != Decided {
		return nil
	}
	wanted := make([]int, len(pools))
	for k := range pools {
		wanted[k] = pools[k].Ready
		if len(pools[k].Engines) > 0 && pools[k].Ready > 0 {
			by := p.byThresholds
			if p.config.Target == SLA {
				by = p.byLatencies
			}
			change := by(k, pools[k].Engines, pools[k].Ready)
			if change == 0 && len(pools) == 1 && p.config.Target != SLA {
				return nil
			}
			wanted[k] += change
		}
		wanted[k] = max(wanted[k], p.config.Min[k])
		if p.config.Throughput {
			wanted[k] = max(wanted[k], p.least[k])
		}
	}
	return p.clamp(wanted)
}

// verdict says whether the load loop may decide.
func (p *Planner) verdict(pools []Pool) Verdict {
	silent := func(x Pool) bool { return len(x.Engines) == 0 }
	switch {
	case !slices.ContainsFunc(pools, func(x Pool) bool { return !silent(x) }):
		return Unmeasured
	case slices.ContainsFunc(pools, func(x Pool) bool { return x.Ready != x.Expected }):
		return InProgress
	case slices.ContainsFunc(pools, func(x Pool) bool { return !silent(x) && !matches(x) }):
		return Mismatch
	}
	return Decided
}

// matches reports whether the engines are those of the replicas that are ready, with as many ranks each.
func matches(x Pool) bool {
	ranks := map[int]int{}
	for i := range x.Engines {
		ranks[x.Engines[i].Worker]++
	}
	each := ranks[x.Engines[0].Worker]
	for _, n := range ranks {
		if n != each {
			return false
		}
	}
	return len(ranks) == x.Ready
}

// settle takes what is wanted on, at least the least replicas where no role changes its number, and
// keeps it within the budget. Without a change, the replicas that are ready stay.
func (p *Planner) settle(pools []Pool, wanted []int) []int {
	ready, stable := make([]int, len(pools)), true
	for k := range pools {
		ready[k] = pools[k].Ready
		stable = stable && pools[k].Ready == pools[k].Expected
	}
	to := slices.Clone(ready)
	if wanted != nil {
		copy(to, wanted)
	}
	for k := range to {
		if stable && ready[k] < p.config.Min[k] {
			to[k] = max(to[k], p.config.Min[k])
		}
	}
	if slices.Equal(to, ready) {
		return to
	}
	for k := range to {
		to[k] = max(to[k], p.config.Min[k])
	}
	return p.clamp(to)
}
