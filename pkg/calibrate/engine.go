// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Engine is one vLLM instance: what it serves, on what, and its settings.
type Engine struct {
	// Instance's accelerator gives the peaks that the coefficients are shares
	// of; its own efficiencies are not looked at.
	latency.Instance
	// Given are the coefficients that need no fit.
	Given Given
	// KVBlocks is at least 2: vLLM's num_gpu_blocks, one of which it keeps to
	// itself.
	KVBlocks int
	// The rest is named and meant as in simulator.Pool.
	BlockTokens                     int
	MaxNumSeqs, MaxNumBatchedTokens int
	LongPrefillTokens               int
	MaxModelLen                     int
	Cost                            latency.RequestCost
	PrefixCaching                   bool
	ReserveFullPrompt               bool
	// AsynchronousScheduling is for times by a client's clock: a log of the engine's own
	// stamps a request when it enters the schedule, and the wait for it is over.
	AsynchronousScheduling bool
}

// Run is an engine and the requests that were measured on it. NewRun makes one.
type Run struct {
	Name   string
	Engine Engine
	// Requests are in order of Queued, which counts from the first.
	Requests []Request
	// Concurrency is how many requests the engine has at most: others are sent when one
	// ends, after ThinkSeconds on average, whenever they were queued. 0 is no limit.
	Concurrency  int
	ThinkSeconds float64
	// Fitted is how many of the first requests a fit may look at; 0 means all.
	// The others are held back.
	Fitted int
	// Figures are there where they are all that was measured: then requests have no times.
	Figures *Figures
	// warmUp is how many of the first requests are in no figure.
	warmUp int
	// turnaround is that of users whose ThinkSeconds are 0.
	turnaround time.Duration
}

// fitted returns how many requests a fit may look at.
func (r *Run) fitted() int {
	if r.Fitted == 0 {
		return len(r.Requests)
	}
	return min(r.Fitted, len(r.Requests))
}

// NewRun returns the run of requests in the order of their log.
func NewRun(name string, e Engine, requests []Request) *Run {
	return &Run{Name: name, Engine: e, Requests: sorted(slices.Clone(requests)), turnaround: workload.DefaultTurnaround}
}

// nullBlocks is how many of its blocks vLLM points at where a sequence has none.
const nullBlocks = 1

// windows returns what requests hold for layers with sliding windows.
func (e *Engine) windows() kv.Windows {
	groups, blocks := e.KVWindows(e.BlockTokens)
	return kv.Windows{Groups: groups, Blocks: blocks}
}

// pool returns the engine as a pool of one replica.
func (e *Engine) pool(timer latency.StepTimer) simulator.Pool {
	return simulator.Pool{
		Name:                "measured",
		Replicas:            1,
		Timer:               timer,
		BlockTokens:         e.BlockTokens,
		KVBlocks:            e.KVBlocks - nullBlocks,
		Windows:             e.windows(),
		PrefixCaching:       e.PrefixCaching,
		MaxNumSeqs:          e.MaxNumSeqs,
		MaxNumBatchedTokens: e.MaxNumBatchedTokens,
		LongPrefillTokens:   e.LongPrefillTokens,
		MaxModelLen:         e.MaxModelLen,
		Cost:                e.Cost,
		ReserveFullPrompt:   e.ReserveFullPrompt,

		AsynchronousScheduling: e.AsynchronousScheduling,
	}
}
