// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/studies/study"
)

// confidence is that of intervals.
const confidence = 0.95

// scale is what is asked.
type scale struct {
	protections []protection
	seeds       int
}

// unprotected is the sample's baseline.
var unprotected = protection{"epp", "none", "fcfs"}

// fullScale is what the page is of.
func fullScale() scale {
	return scale{seeds: 6, protections: []protection{
		unprotected,
		{"epp", "requests", "fcfs"},
		{"epp", "tokens", "fcfs"},
		{"epp", "rate", "fcfs"},
		{"epp", "equal-shares", "fcfs"},
		{"epp", "none", "fair"},
		{"epp", "none", "fair-in-chunks"},
		{"epp", "requests", "fair-in-chunks"},
		{"epp", "tokens", "fair-in-chunks"},
		{"epp", "rate", "fair-in-chunks"},
		{"flow-control", "none", "fcfs"},
		{"flow-control", "tokens", "fair-in-chunks"},
	}}
}

// score is what the tenants got with a protection under a workload, as means over seeds.
type score struct {
	// good and ttft99 are of the nine others: the share of their requests within the
	// target, and seconds. ofLarge is good of the large tenant alone.
	good, ofLarge, ttft99 stats.Interval
	// completions and tokens are Jain's indices over all tenants, of completed ÷ arrived
	// and of tokens served.
	completions, tokens stats.Interval
}

// findings are the answers.
type findings struct {
	scale
	// scores are by protection, then by workload.
	scores []map[string]score
	// seen is what a policy sees without a protection, by workload.
	seen map[string]seen
}

func find(ctx context.Context, s *sample, of scale) (*findings, error) {
	f := &findings{scale: of, seen: map[string]seen{}}
	workloads := append([]string{calm}, abuses...)
	outcomes := make([]*simulator.Result, len(of.protections)*len(workloads)*of.seeds)
	err := study.ForEach(len(outcomes), func(i int) error {
		at, seed := i/of.seeds, int64(i%of.seeds+1)
		config, err := s.config(of.protections[at/len(workloads)], workloads[at%len(workloads)], seed)
		if err != nil {
			return err
		}
		outcomes[i], err = simulation.Run(ctx, config)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range of.protections {
		scores := map[string]score{}
		for j, workload := range workloads {
			first := (i*len(workloads) + j) * of.seeds
			scores[workload] = newScore(outcomes[first : first+of.seeds])
		}
		f.scores = append(f.scores, scores)
	}
	for _, workload := range workloads {
		if f.seen[workload], err = observe(ctx, s, workload); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// newScore is the means over outcomes, one a seed.
func newScore(outcomes []*simulator.Result) score {
	mean := func(of func(*tenants) float64) stats.Interval {
		var values []float64
		for _, o := range outcomes {
			values = append(values, of(tally(o)))
		}
		return stats.MeanInterval(values, confidence)
	}
	return score{
		good:        mean((*tenants).good),
		ofLarge:     mean(func(all *tenants) float64 { return all.tenants[large].good() }),
		ttft99:      mean(func(all *tenants) float64 { return all.ttft.Quantile(0.99) / 1e9 }),
		completions: mean(func(all *tenants) float64 { return all.jain((*tenant).completed) }),
		tokens:      mean(func(all *tenants) float64 { return all.jain((*tenant).tokens) }),
	}
}
