// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

// The service level: shares of requests and how many times as long as alone.
const (
	attained = 0.9
	ttftMost = 3.0
	tbtMost  = 1.5
)

// rateStep is how finely rates are searched, requests per second.
const rateStep = 0.25

// maxRate is where searches end.
const maxRate = 200

// trial is a workload on a cluster, and whose times alone count.
type trial struct {
	cluster  cluster
	requests []lengths
	alone    uncontended
	seeds    int
}

// verdict is what a trial at one rate gave.
type verdict struct {
	rate float64
	// ttft and tbt are the P90 of how many times as long as alone.
	ttft, tbt float64
	// ttftMs and tbtMs are the P90 themselves; aloneTTFTMs and aloneTBTMs those of
	// the same requests alone.
	ttftMs, tbtMs, aloneTTFTMs, aloneTBTMs float64
	// prefillBusy and serveBusy are shares of the time in which machines of
	// either kind worked.
	prefillBusy, serveBusy float64
	// outside is the share of steps beyond what was measured.
	outside float64
}

func (v verdict) met() bool { return v.ttft <= ttftMost && v.tbt <= tbtMost }

// highestRate returns the verdict at the highest rate that is met, in steps of
// rateStep, and the one a step above. The first is zero where none is met. It
// takes for granted that a rate above one that is not met is not met.
func (t trial) highestRate() (met, above verdict, err error) {
	verdicts := map[int]verdict{}
	at := func(step int) verdict {
		if v, ok := verdicts[step]; ok || err != nil {
			return v
		}
		verdicts[step], err = t.at(float64(step) * rateStep)
		return verdicts[step]
	}
	steps := sort.Search(maxRate/rateStep, func(i int) bool { return !at(i + 1).met() })
	if steps > 0 {
		met = at(steps)
	}
	above = at(steps + 1)
	return met, above, err
}

// at runs the trial at one rate, once for each seed, and judges all together.
func (t trial) at(ratePerSecond float64) (verdict, error) {
	s := sample{trial: t}
	for seed := range int64(t.seeds) {
		if err := s.run(ratePerSecond, 1+seed); err != nil {
			return verdict{}, err
		}
	}
	return s.verdict(ratePerSecond), nil
}

// sample is the requests that count: neither the first nor the last tenth, while
// the cluster fills and empties.
type sample struct {
	trial                               trial
	ttft, tbt                           []float64 // times as long as alone
	ttftMs, tbtMs, aloneTTFT, aloneTBT  []float64
	prefillBusy, serveBusy, span        float64 // seconds
	steps, outside, completed, observed int64
}

func (s *sample) run(ratePerSecond float64, seed int64) error {
	t := &s.trial
	timer := t.cluster.machine.table.Timer()
	config := t.cluster.config(newPoisson(t.requests, ratePerSecond, seed), timer)
	config.Seed = seed
	config.Completed = s.completion
	outcome, err := simulator.Run(context.Background(), config)
	if err != nil {
		return err
	}
	for _, cell := range outcome.Cells {
		s.completed += cell.Completed
	}
	if want := int64(len(t.requests)) * seed; s.completed != want {
		return fmt.Errorf("%v at %v/s: %d of %d requests completed", t.cluster, ratePerSecond, s.completed, want)
	}
	for _, r := range outcome.Replicas {
		s.steps += r.Steps
		if outcome.Pools[r.Pool] == "prefill" {
			s.prefillBusy += r.Busy.Seconds()
		} else {
			s.serveBusy += r.Busy.Seconds()
		}
	}
	s.span += outcome.Measured.Seconds()
	s.outside += timer.Extrapolated()
	return nil
}

func (s *sample) completion(c simulator.Completion) {
	n := len(s.trial.requests)
	if c.ID < n/10 || c.ID >= n-n/10 {
		return
	}
	ttft, alone := c.FirstToken.Sub(c.Arrival), s.trial.alone.ttft(c.PromptTokens)
	s.ttft = append(s.ttft, ttft.Seconds()/alone.Seconds())
	s.ttftMs = append(s.ttftMs, 1e3*ttft.Seconds())
	s.aloneTTFT = append(s.aloneTTFT, 1e3*alone.Seconds())
	if c.OutputTokens < 2 {
		return
	}
	tbt := c.LastToken.Sub(c.FirstToken).Seconds() / float64(c.OutputTokens-1)
	alone = s.trial.alone.tbt(c.PromptTokens, c.OutputTokens)
	s.tbt = append(s.tbt, tbt/alone.Seconds())
	s.tbtMs = append(s.tbtMs, 1e3*tbt)
	s.aloneTBT = append(s.aloneTBT, 1e3*alone.Seconds())
}

func (s *sample) verdict(ratePerSecond float64) verdict {
	c := s.trial.cluster
	busy := func(seconds float64, machines int) float64 {
		return seconds / max(1e-9, s.span*float64(machines))
	}
	return verdict{
		rate: ratePerSecond, ttft: quantile(s.ttft), tbt: quantile(s.tbt),
		ttftMs: quantile(s.ttftMs), tbtMs: quantile(s.tbtMs),
		aloneTTFTMs: quantile(s.aloneTTFT), aloneTBTMs: quantile(s.aloneTBT),
		prefillBusy: busy(s.prefillBusy, c.prefill), serveBusy: busy(s.serveBusy, c.machines-c.prefill),
		outside: float64(s.outside) / float64(max(1, s.steps)),
	}
}

// quantile returns the value that a share attained of values does not exceed:
// the nearest rank. It sorts them.
func quantile(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	rank := int(attained*float64(len(values))+0.999999) - 1
	return values[min(rank, len(values)-1)]
}
