// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/studies/manifests"
)

// sample is the sweep over the profiles.
type sample struct {
	*compile.Compiled
	stages []v1alpha1.RateStage
}

// readSample reads the first sweep of a manifest and edits it.
func readSample(path string, edits ...func(*v1alpha1.PolicySweep)) (*sample, error) {
	sweep, err := manifests.Sweep(path)
	if err != nil {
		return nil, err
	}
	for _, edit := range edits {
		edit(sweep)
	}
	compiled, errs, err := compile.Sweep(context.Background(), sweep, nil)
	if err != nil || len(errs) > 0 {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, errs.ToAggregate()))
	}
	return &sample{compiled, sweep.Spec.Scenario.Workload.Clients[0].Arrivals.Stages}, nil
}

// uncalibrated makes step times of the catalogue's shares.
func uncalibrated(sweep *v1alpha1.PolicySweep) {
	sweep.Spec.Scenario.Pools[0].Latency.Roofline = nil
}

// trial returns that of a profile.
func (s *sample) trial(profile string) (*experiment.Trial, error) {
	study, err := study.New(s.Plan)
	if err != nil {
		return nil, err
	}
	for i := range study.Round().Trials {
		if t := &study.Round().Trials[i]; t.Point.Values[0].Value == profile {
			return t, nil
		}
	}
	return nil, fmt.Errorf("the sample has no profile %s", profile)
}

// measured is what was simulated of one profile.
type measured struct {
	stages []stage // without the warm-up
	// hitShare is the share of prompt tokens that caches held, preemptions counts
	// evictions from a batch.
	hitShare    float64
	preemptions float64
	// throughputs are the means over the stages, one a seed.
	throughputs []float64
}

// meanOf returns the mean over runs of one profile under several seeds.
func meanOf(runs []measured) measured {
	n := float64(len(runs))
	m := measured{stages: slices.Clone(runs[0].stages)}
	for i := range m.stages {
		s := &m.stages[i]
		s.tokensPerSecond, s.meanTTFT, s.p90TTFT = 0, 0, 0
		for _, r := range runs {
			s.tokensPerSecond += r.stages[i].tokensPerSecond / n
			s.meanTTFT += r.stages[i].meanTTFT / n
			s.p90TTFT += r.stages[i].p90TTFT / n
		}
	}
	for _, r := range runs {
		m.hitShare += r.hitShare / n
		m.preemptions += r.preemptions / n
		sum := 0.0
		for _, s := range r.stages {
			sum += s.tokensPerSecond
		}
		m.throughputs = append(m.throughputs, sum/float64(len(r.stages)))
	}
	return m
}

// simulate runs a profile under a seed. The first stage warms up.
func (s *sample) simulate(profile string, seed int64) (measured, error) {
	trial, err := s.trial(profile)
	if err != nil {
		return measured{}, err
	}
	config, err := execute.Config(s.Plan, s.Traces, experiment.Case{Trial: trial, Seed: seed})
	if err != nil {
		return measured{}, err
	}
	tallies := newTallies(s.stages)
	config.Completed = func(c simulator.Completion) { stageOf(tallies, c.Arrival).add(c) }
	outcome, err := simulation.Run(context.Background(), config)
	if err != nil {
		return measured{}, err
	}
	m := measured{}
	for _, t := range tallies[1:] {
		m.stages = append(m.stages, t.stage())
	}
	var cached, prompt int64
	for i := range outcome.Cells {
		c := &outcome.Cells[i]
		cached, prompt, m.preemptions = cached+c.CachedTokens, prompt+c.PromptTokens, m.preemptions+float64(c.Preemptions)
	}
	m.hitShare = float64(cached) / float64(prompt)
	return m, nil
}

// A tally is what the requests of a stage came to.
type tally struct {
	rate       float64
	start, end simtime.Time // of arrivals
	tokens     int64
	last       simtime.Time // end of the last answer
	ttft       []time.Duration
}

func (t *tally) add(c simulator.Completion) {
	t.tokens += int64(c.OutputTokens)
	t.last = max(t.last, c.LastToken)
	t.ttft = append(t.ttft, c.FirstToken.Sub(c.Arrival))
}

// stageOf returns the stage of an arrival, be it in the pause after it.
func stageOf(tallies []tally, arrival simtime.Time) *tally {
	i, _ := slices.BinarySearchFunc(tallies, arrival, func(t tally, at simtime.Time) int {
		if t.end <= at {
			return -1
		}
		return 1
	})
	return &tallies[i]
}

func (t *tally) stage() stage {
	slices.Sort(t.ttft)
	var sum time.Duration
	for _, d := range t.ttft {
		sum += d
	}
	return stage{
		rate:            t.rate,
		seconds:         t.end.Sub(t.start).Seconds(),
		tokensPerSecond: float64(t.tokens) / t.last.Sub(t.start).Seconds(),
		meanTTFT:        sum.Seconds() / float64(len(t.ttft)),
		p90TTFT:         t.ttft[(len(t.ttft)*9+9)/10-1].Seconds(),
	}
}

// newTallies makes one of each stage that has arrivals.
func newTallies(stages []v1alpha1.RateStage) []tally {
	var all []tally
	var at simtime.Time
	for _, s := range stages {
		end := at.Add(s.Duration.Duration())
		if rate := s.Rate.Float(); rate > 0 {
			all = append(all, tally{rate: rate, start: at, end: end})
		}
		at = end
	}
	return all
}
