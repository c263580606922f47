// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
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
const maxRate = 128

// trial is a workload on a cluster, and whose times alone count.
type trial struct {
	cluster  cluster
	requests []lengths
	alone    uncontended
	// byPercentile holds the P90 of times against the P90 of the same requests'
	// times alone; otherwise each request's time is held against its own alone.
	byPercentile bool
	// prefillAnswers takes the first token from the machine that computed the
	// prompt, as Splitwise does; otherwise it is the decode machine's.
	prefillAnswers bool
	seeds          int
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

// fails says what is not met.
func (v verdict) fails() string {
	switch {
	case v.ttft > ttftMost && v.tbt > tbtMost:
		return "both"
	case v.ttft > ttftMost:
		return "TTFT"
	case v.tbt > tbtMost:
		return "TBT"
	}
	return "none"
}

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

// at runs the trial at one rate, once for each seed, and judges all together. A
// rate that is far beyond what is met under one seed is not tried under others.
func (t trial) at(ratePerSecond float64) (verdict, error) {
	s := sample{trial: t}
	var v verdict
	for seed := range int64(t.seeds) {
		if err := s.run(ratePerSecond, 1+seed); err != nil {
			return v, err
		}
		v = s.verdict(ratePerSecond)
		if v.ttft > farBeyond*ttftMost || v.tbt > farBeyond*tbtMost {
			break
		}
	}
	return v, nil
}

const farBeyond = 1.3

// sample is the requests that count: neither the first nor the last tenth, while
// the cluster fills and empties.
type sample struct {
	trial                              trial
	ttft, tbt                          []float64 // times as long as alone
	ttftMs, tbtMs, aloneTTFT, aloneTBT []float64
	prefillBusy, serveBusy, span       float64 // seconds
	steps, outside                     int64
	// promptEnd is when the prompt of each request was complete, by its ID; it is
	// only there where the machine that computed it gives the first token.
	promptEnd []simtime.Time
}

func (s *sample) run(ratePerSecond float64, seed int64) error {
	t := &s.trial
	if t.prefillAnswers && t.cluster.prefill > 0 {
		if err := s.computePrompts(ratePerSecond, seed); err != nil {
			return err
		}
	}
	timer := t.cluster.machine.table.Timer()
	config := t.cluster.config(newPoisson(t.requests, ratePerSecond, seed), timer)
	config.Seed = seed
	completed := 0
	config.Completed = func(c simulator.Completion) {
		completed++
		s.completion(c)
	}
	outcome, err := simulation.Run(context.Background(), config)
	if err != nil {
		return err
	}
	if completed != len(t.requests) {
		return fmt.Errorf("%v at %v/s: %d of %d requests completed", t.cluster, ratePerSecond, completed, len(t.requests))
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

// computePrompts simulates the machines that compute prompts, for which the
// others make no difference, to learn when each prompt was complete.
func (s *sample) computePrompts(ratePerSecond float64, seed int64) error {
	c := s.trial.cluster
	c.machines, c.prefill = c.prefill, 0
	s.promptEnd = make([]simtime.Time, len(s.trial.requests))
	prompts := slices.Clone(s.trial.requests)
	for i := range prompts {
		prompts[i].answer = 1
	}
	config := c.config(newPoisson(prompts, ratePerSecond, seed), c.machine.table.Timer())
	config.Seed = seed
	config.Completed = func(done simulator.Completion) { s.promptEnd[done.ID] = done.FirstToken }
	_, err := simulation.Run(context.Background(), config)
	return err
}

func (s *sample) completion(c simulator.Completion) {
	n := len(s.trial.requests)
	if c.ID < n/10 || c.ID >= n-n/10 {
		return
	}
	gaps := float64(c.OutputTokens - 1)
	if s.promptEnd != nil {
		// The decode machine gave as many tokens, of which one was there already.
		c.FirstToken = s.promptEnd[c.ID]
		gaps++
	}
	ttft, alone := c.FirstToken.Sub(c.Arrival), s.trial.alone.ttft(c.PromptTokens)
	s.ttft = append(s.ttft, ttft.Seconds()/alone.Seconds())
	s.ttftMs = append(s.ttftMs, 1e3*ttft.Seconds())
	s.aloneTTFT = append(s.aloneTTFT, 1e3*alone.Seconds())
	if c.OutputTokens < 2 {
		return
	}
	tbt := c.LastToken.Sub(c.FirstToken).Seconds() / gaps
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
	v := verdict{
		rate: ratePerSecond, ttft: quantile(s.ttft), tbt: quantile(s.tbt),
		ttftMs: quantile(s.ttftMs), tbtMs: quantile(s.tbtMs),
		aloneTTFTMs: quantile(s.aloneTTFT), aloneTBTMs: quantile(s.aloneTBT),
		prefillBusy: busy(s.prefillBusy, c.prefill), serveBusy: busy(s.serveBusy, c.machines-c.prefill),
		outside: float64(s.outside) / float64(max(1, s.steps)),
	}
	if s.trial.byPercentile {
		v.ttft, v.tbt = v.ttftMs/v.aloneTTFTMs, v.tbtMs/v.aloneTBTMs
	}
	return v
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
