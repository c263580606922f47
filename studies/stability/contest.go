// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

// contender is what may be done about a cache that fills up.
type contender struct {
	name  string
	apply func(simulator.Pool) simulator.Pool
}

// lookAhead is a longer time than the usual 100 ms for whose growth the controller
// reserves blocks.
const lookAhead = 2 * time.Second

// contenders are the engine by itself, which evicts the least recently used block
// when a place is wanted, and what the controllers add.
func contenders() []contender {
	with := func(form stability.Form, evict bool, admission simulator.StabilityAdmission) func(simulator.Pool) simulator.Pool {
		return func(p simulator.Pool) simulator.Pool { return watched(p, form, evict, admission) }
	}
	ahead := func(p simulator.Pool) simulator.Pool {
		p = watched(p, stability.FormQueueing, true, simulator.AdmitOrQueue)
		p.Stability.Config.MinEvictionInterval = lookAhead
		return p
	}
	return []contender{
		{"LRU", func(p simulator.Pool) simulator.Pool { return p }},
		{"queueing", with(stability.FormQueueing, true, simulator.AdmitOrQueue)},
		{"queueing-seed", with(stability.FormQueueingSeed, true, simulator.AdmitOrQueue)},
		{"queueing, no evictions", with(stability.FormQueueing, false, simulator.AdmitOrQueue)},
		{"queueing, 2 s ahead", ahead},
		{"queueing, refuses", with(stability.FormQueueing, false, simulator.AdmitOrRefuse)},
	}
}

// contest is a load, the rate that it is measured by and the targets that its
// requests are to meet.
type contest struct {
	load      *load
	perSecond float64
	target    simulator.Target
	length    time.Duration // of the arrivals; a fifth of it is warm-up
}

// score is what a contender makes of a load, as means over seeds.
type score struct {
	contender string
	share     float64 // of perSecond
	// attainment and rejected are shares of the requests that arrived, hits of
	// the prompt tokens, preemptions a thousand requests.
	attainment, goodput, preemptions, hits, rejected stats.Interval
	ttft99                                           stats.Interval // s
}

// play lets all contenders meet the load at some shares of its rate.
func (c contest) play(p simulator.Pool, shares []float64, seeds int) ([]score, error) {
	all := contenders()
	cells := make([]simulator.Cell, len(shares)*len(all)*seeds)
	err := study.ForEach(len(cells), func(i int) error {
		of, seed := i/seeds, i%seeds
		var err error
		cells[i], err = c.run(all[of%len(all)].apply(p), shares[of/len(all)]*c.perSecond, int64(seed+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	var scores []score
	for of := range len(shares) * len(all) {
		s := c.score(cells[of*seeds : (of+1)*seeds])
		s.contender, s.share = all[of%len(all)].name, shares[of/len(all)]
		scores = append(scores, s)
	}
	return scores, nil
}

func (c contest) warmUp() time.Duration { return c.length / 5 }

// run is one simulation, until all is served.
func (c contest) run(p simulator.Pool, perSecond float64, seed int64) (simulator.Cell, error) {
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{p}, Policies: policy.RoutedBy(only{}), Source: c.load.source(perSecond, seed), Seed: seed,
		Targets: []simulator.Target{c.target, c.target, c.target},
		Horizon: simulator.Horizon{Duration: c.length, WarmUp: c.warmUp(), Drain: 100 * time.Hour},
	})
	if err != nil {
		return simulator.Cell{}, err
	}
	return sum(o), nil
}

// score is the means over cells, one a seed, and their 95 % intervals.
func (c contest) score(cells []simulator.Cell) score {
	mean := func(of func(c *simulator.Cell) float64) stats.Interval {
		var xs []float64
		for i := range cells {
			xs = append(xs, of(&cells[i]))
		}
		return stats.MeanInterval(xs, 0.95)
	}
	arrived := func(c *simulator.Cell) float64 { return float64(c.Arrived) }
	return score{
		attainment:  mean(func(c *simulator.Cell) float64 { return float64(c.Good) / arrived(c) }),
		goodput:     mean(func(s *simulator.Cell) float64 { return float64(s.Good) / (c.length - c.warmUp()).Seconds() }),
		preemptions: mean(func(c *simulator.Cell) float64 { return float64(c.Preemptions) / arrived(c) * 1000 }),
		hits:        mean(func(c *simulator.Cell) float64 { return float64(c.CachedTokens) / float64(c.PromptTokens) }),
		rejected:    mean(func(c *simulator.Cell) float64 { return float64(c.Rejected) / arrived(c) }),
		ttft99:      mean(func(c *simulator.Cell) float64 { return c.TTFT.Quantile(0.99) / 1e9 }),
	}
}
