// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
	"time"

	"windtunnel.dev/windtunnel/internal/headroom"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// childCase and childTrace are the environment of a child process: the name of
// its case and the path of the trace.
const (
	childCase  = "WINDTUNNEL_BENCH_CASE"
	childTrace = "WINDTUNNEL_BENCH_TRACE"
)

// measurement is what a child reports of its case.
type measurement struct {
	Requests int64
	// CPU is user and system time of all threads, garbage collection
	// included, and Wall the clock's, of the simulation alone.
	CPU, Wall time.Duration
	// Allocations and AllocatedBytes are those of the simulation alone.
	Allocations, AllocatedBytes uint64
	// PeakBytes is the process's largest resident set, set-up included.
	PeakBytes int64
	// TTFTMs and CachedShare say that the workload was the right one.
	TTFTMs, CachedShare float64
	// Efficiency is that of a parallel case, 0 in others.
	Efficiency float64
}

// child measures the case that the environment names and reports it as JSON.
// It returns false if there is none, in the parent.
func child(name string, stdout io.Writer) (bool, error) {
	for _, c := range cases() {
		if c.name != name {
			continue
		}
		m, err := c.measure(os.Getenv(childTrace))
		if err != nil {
			return true, err
		}
		return true, json.NewEncoder(stdout).Encode(m)
	}
	return false, nil
}

func (c benchCase) measure(tracePath string) (measurement, error) {
	if c.runs > 0 {
		return c.measureParallel(tracePath)
	}
	config, err := c.config(tracePath, 1)
	if err != nil {
		return measurement{}, err
	}
	var m measurement
	headroom.Grow(100) // as the binary does
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	o, err := simulation.Run(context.Background(), config)
	m.CPU, m.Wall = cpuTime()-cpu, time.Since(start)
	if err != nil {
		return m, err
	}
	runtime.ReadMemStats(&after)
	m.Allocations, m.AllocatedBytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
	m.PeakBytes = usage().Maxrss * 1024
	return m, m.describe(o)
}

// describe notes what was simulated.
func (m *measurement) describe(o *simulator.Result) error {
	var prompt, cached, ttfts int64
	sum := 0.0
	for i := range o.Cells {
		c := &o.Cells[i]
		if c.Completed != c.Arrived {
			return fmt.Errorf("%d of %d requests completed", c.Completed, c.Arrived)
		}
		m.Requests += c.Completed
		prompt, cached = prompt+c.PromptTokens, cached+c.CachedTokens
		ttfts += c.TTFT.Count()
		sum += c.TTFT.Mean() * float64(c.TTFT.Count())
	}
	m.TTFTMs = sum / float64(ttfts) / 1e6
	m.CachedShare = float64(cached) / float64(prompt)
	return nil
}

func usage() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(fmt.Sprintf("bench: getrusage: %v", err))
	}
	return u
}

func cpuTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
