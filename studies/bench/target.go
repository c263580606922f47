// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"

	"windtunnel.dev/windtunnel/studies/study"
)

// target is a claim about the engine's speed and what was measured of it.
type target struct {
	What, Target, Measured string
	Met                    bool
}

// targets are held against the results, which must be those of all cases; one
// whose case could not run is left out.
func targets(results []result) []target {
	byName := map[string]result{}
	for _, r := range results {
		byName[r.name] = r
	}
	var all []target
	speed := func(name string, least int64, aim string) {
		r := byName[name]
		all = append(all, target{
			What: name, Target: fmt.Sprintf("at least %s requests per CPU second%s", study.Grouped(least), aim),
			Measured: study.Grouped(int(r.perCPUSecond())), Met: r.perCPUSecond() >= float64(least),
		})
	}
	speed("R(50000,16)", 300_000, ", aim 1 000 000")
	speed("R(50000,64)", 150_000, ", aim 500 000")
	speed("R(50000,256)", 150_000, ", aim 500 000")
	speed("policy: tree", 200_000, "")
	speed("policy: wasm", 150_000, "")
	speed("policy: starlark", 30_000, "")

	long, short := byName["R(1000000,16)"], byName["R(100000,16)"]
	growth := long.CPU.Seconds() / short.CPU.Seconds()
	all = append(all,
		target{"R(1000000,16) against R(100000,16)", "at most 10.5 times the CPU time", fmt.Sprintf("%.2f", growth), growth <= 10.5},
		target{"R(1000000,16)", "less than 100 MB at its peak", fmt.Sprintf("%.0f MB", float64(long.PeakBytes)/1e6), long.PeakBytes < 100e6},
	)
	reference := byName["R(50000,16)"]
	allocations := float64(reference.Allocations) / float64(reference.Requests)
	all = append(all, target{"R(50000,16)", "less than one allocation a request", fmt.Sprintf("%.3f", allocations), allocations < 1})
	half := func(name, plain string) {
		share := byName[name].perCPUSecond() / byName[plain].perCPUSecond()
		all = append(all, target{
			What: name, Target: "at least half as fast as " + plain,
			Measured: fmt.Sprintf("%.2f", share), Met: share >= 0.5,
		})
	}
	half("CPU tier", "few blocks")
	half("disaggregated", "R(50000,16)")
	if trace := byName["Mooncake"]; trace.Requests > 0 {
		all = append(all, target{"Mooncake", "less than one CPU second", seconds(trace.CPU), trace.CPU.Seconds() < 1})
	}
	return all
}
