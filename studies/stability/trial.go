// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/workload"
)

const (
	blockTokens = 16
	// kvBlocks is what an 80 GB GPU holds in addition to Llama-3.1-8B in bf16.
	kvBlocks = 26_312
	kvTokens = kvBlocks * blockTokens
	// lawStep is the length of all steps under the law's assumptions.
	lawStep = 20 * time.Millisecond
)

// lawPool is what the law assumes: steps of one length, no bound to their
// tokens or sequences, and no prefix cache.
func lawPool() simulator.Pool {
	return simulator.Pool{
		Name: "law", Replicas: 1, Timer: constantStep(lawStep),
		BlockTokens: blockTokens, KVBlocks: kvBlocks, MaxNumSeqs: 1 << 16, MaxNumBatchedTokens: 1 << 30,
	}
}

// enginePool is vLLM with its usual settings for that model on one H100.
func enginePool() (simulator.Pool, error) {
	model, known := latency.Builtin().Model("meta-llama/Llama-3.1-8B-Instruct")
	gpu, ok := latency.Builtin().Accelerator("h100-sxm")
	if !known || !ok {
		return simulator.Pool{}, fmt.Errorf("the catalogue lacks the model or its accelerator")
	}
	instance := latency.Instance{Model: model, Accelerator: gpu, TensorParallelism: 1}
	return simulator.Pool{
		Name: "engine", Replicas: 1, Timer: instance.Roofline(instance.DefaultRoofline()),
		BlockTokens: blockTokens, KVBlocks: kvBlocks, PrefixCaching: true, MaxNumSeqs: 1024, MaxNumBatchedTokens: engineBudget,
	}, nil
}

const engineBudget = 8192

// steadyWindow is that of a controller that is read once, when all is over.
const steadyWindow = 10 * time.Minute

// watched adds a controller of a form, with the default settings, to a pool.
func watched(p simulator.Pool, form stability.Form, evict bool, admission simulator.StabilityAdmission) simulator.Pool {
	config := stability.DefaultConfig()
	config.BlockTokens = p.BlockTokens
	if p.MaxNumBatchedTokens == engineBudget {
		config.PromptChunkTokens = engineBudget
	}
	p.Stability = &simulator.Stability{Form: form, Config: config, Evict: evict, Admission: admission}
	return p
}

type constantStep time.Duration

// StepTime implements [latency.StepTimer].
func (d constantStep) StepTime(latency.Step) time.Duration { return time.Duration(d) }

type only struct{}

// Route implements [policy.Router].
func (only) Route(*policy.View, *policy.Request) (policy.Route, error) { return policy.To(0), nil }

// trial is one replica under a load for a time, as seen in its second half.
type trial struct {
	// growth is by how many requests the system grows in a second, served how
	// many complete.
	growth, served float64
	meanKV         float64
	stepSeconds    float64
	// cached is the share of prompt tokens that the prefix cache gave.
	cached float64
	known  stability.State
}

// grows says that the queue does, by more than the noise of half a run. At 1.1
// times the boundary it grows by 0.09 of what arrives.
func (t trial) grows(perSecond float64) bool { return t.growth > 0.05*perSecond }

// boundary is the rate at which the queue of a pool begins to grow, by 2 % of
// what arrives, to 1 %. Replicas start empty: one that is kept full may serve
// less, which is what the trial is of.
func boundary(p simulator.Pool, q question) (full trial, perSecond float64, err error) {
	if full, err = observe(p, q.load, q.tooMuch, q.half, 1); err != nil {
		return full, 0, err
	}
	if full.served == 0 {
		return full, 0, fmt.Errorf("%s: nothing is complete after %v", q.load.name, 2*q.half)
	}
	low, high := 0.5*full.served, 2*full.served
	for high-low > 0.01*low {
		middle := (low + high) / 2
		t, err := observe(p, q.load, middle, q.half, 1)
		if err != nil {
			return full, 0, err
		}
		if t.growth > 0.02*middle {
			high = middle
		} else {
			low = middle
		}
	}
	return full, low, nil
}

// observe runs a pool for twice the time.
func observe(p simulator.Pool, l *load, perSecond float64, half time.Duration, seed int64) (trial, error) {
	p = watched(p, stability.FormQueueing, false, simulator.AdmitAlways)
	p.Stability.Config.Window = steadyWindow
	source := &counted{Source: l.source(perSecond, seed), half: simtime.Time(half)}
	completed := [2]int{}
	o, err := simulation.Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{p},
		Policies: policy.RoutedBy(only{}),
		Source:   source,
		Horizon:  simulator.Horizon{Duration: 2 * half, WarmUp: half},
		Completed: func(c simulator.Completion) {
			if c.LastToken < simtime.Time(half) {
				completed[0]++
			} else {
				completed[1]++
			}
		},
	})
	if err != nil {
		return trial{}, err
	}
	if source.arrived[1] == 0 {
		return trial{}, fmt.Errorf("%s at %.2f/s: no requests in the second half", l.name, perSecond)
	}
	u, c := o.Replicas[0], sum(o)
	t := trial{
		growth: float64(source.arrived[1]-completed[1]) / half.Seconds(),
		served: float64(completed[1]) / half.Seconds(),
		meanKV: u.MeanKV, known: *u.Stability,
	}
	if u.Steps > 0 {
		t.stepSeconds = u.Busy.Seconds() / float64(u.Steps)
	}
	if c.PromptTokens > 0 {
		t.cached = float64(c.CachedTokens) / float64(c.PromptTokens)
	}
	return t, nil
}

// counted counts the arrivals of the two halves.
type counted struct {
	workload.Source
	half    simtime.Time
	arrived [2]int
}

// Next implements [workload.Source].
func (c *counted) Next() (workload.Request, bool) {
	r, ok := c.Source.Next()
	switch {
	case !ok || r.Arrival >= 2*c.half:
	case r.Arrival < c.half:
		c.arrived[0]++
	default:
		c.arrived[1]++
	}
	return r, ok
}

// sum adds up what is used of an outcome's cells.
func sum(o *simulator.Result) simulator.Cell {
	var all simulator.Cell
	for i := range o.Cells {
		c := &o.Cells[i]
		all.Arrived += c.Arrived
		all.Completed += c.Completed
		all.Rejected += c.Rejected
		all.Good += c.Good
		all.PromptTokens += c.PromptTokens
		all.CachedTokens += c.CachedTokens
		all.Preemptions += c.Preemptions
		all.TTFT.Merge(&c.TTFT)
		all.TPOT.Merge(&c.TPOT)
	}
	return all
}
