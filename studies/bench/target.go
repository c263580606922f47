// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/studies/study"
)

// target is a claim about speed and what was measured of it.
type target struct {
	What, Target, Measured string
	Met                    bool
}

// targets are held against the results of all cases and commands; a target whose case could not
// run is left out.
func targets(results []result, whole *commands) []target {
	t := targetList{cases: map[string]result{}}
	for _, r := range results {
		t.cases[r.name] = r
	}
	t.engine()
	t.command(whole)
	return t.all
}

// targetList collects targets.
type targetList struct {
	all   []target
	cases map[string]result
}

func (t *targetList) engine() {
	t.speed("R(50000,16)", 300_000, 1_000_000)
	t.speed("R(50000,64)", 150_000, 500_000)
	t.speed("R(50000,256)", 150_000, 500_000)
	t.speed("R(1000000,16)", 800_000, 1_000_000)
	t.speed("policy: tree", 200_000, 0)
	t.speed("policy: wasm", 150_000, 0)
	t.speed("policy: starlark", 30_000, 0)

	t.atMost("R(1000000,16)", "R(100000,16)", 1.05)
	t.atMost("guided, 1024", "R(50000,1024)", 1.3)
	t.atMost("disaggregated, 256", "disaggregated, 16", 2)
	t.atMost("disaggregated, 16", "R(50000,16)", 2)
	t.atMost("CPU tier", "few blocks", 2)

	t.peak("R(1000000,16)", t.cases["R(1000000,16)"].PeakBytes, 60)
	reference := t.cases["R(50000,16)"]
	allocations := float64(reference.Allocations) / float64(reference.Requests)
	t.add("R(50000,16)", "less than one allocation a request", fmt.Sprintf("%.3f", allocations), allocations < 1)
	if trace := t.cases["Mooncake"]; trace.Requests > 0 {
		t.within("Mooncake", trace.CPU, time.Second)
	}
}

func (t *targetList) command(whole *commands) {
	for _, want := range []struct {
		name, what string // what the table says
		units      int
		within     time.Duration // of CPU time a unit; 0 is no bound
		megabytes  float64       // at the peak; 0 is no bound
	}{
		{name: versionCommand, what: versionCommand, units: 1, within: 10 * time.Millisecond, megabytes: 15},
		{name: tenCommand, what: tenCommand, units: 1, within: 40 * time.Millisecond, megabytes: 45},
		{name: trialsCommand, what: trialsCommand + ", each", units: manyTrials, within: 500 * time.Microsecond},
		{name: onR(million), units: 1, megabytes: 90},
	} {
		took, measured := whole.costs[want.name]
		if measured && want.within > 0 {
			t.within(want.what, took.CPU/time.Duration(want.units), want.within)
		}
		if measured && want.megabytes > 0 {
			t.peak(want.name, took.PeakBytes, want.megabytes)
		}
	}
	for _, p := range whole.pairs {
		// With 4 replicas, half of the time of Windtunnel is its start.
		if p.Replicas >= 16 {
			t.add(p.String()+", inference-sim", "at least 150 times as fast, aim 240", fmt.Sprintf("%.0f", p.times()), p.times() >= 150)
		}
	}
}

func (t *targetList) add(what, want, measured string, met bool) {
	t.all = append(t.all, target{What: what, Target: want, Measured: measured, Met: met})
}

// speed wants requests per CPU second; an aim of 0 is none.
func (t *targetList) speed(name string, least, aim int) {
	want := fmt.Sprintf("at least %s requests per CPU second", study.Grouped(least))
	if aim > 0 {
		want += ", aim " + study.Grouped(aim)
	}
	speed := t.cases[name].perCPUSecond()
	t.add(name, want, study.Grouped(int(speed)), speed >= float64(least))
}

// atMost wants no more than some times the CPU time a request of another case.
func (t *targetList) atMost(name, other string, times float64) {
	ratio := t.cases[other].perCPUSecond() / t.cases[name].perCPUSecond()
	t.add(name, fmt.Sprintf("at most %g times the CPU time of %s a request", times, other), fmt.Sprintf("%.2f", ratio), ratio <= times)
}

func (t *targetList) within(name string, took, most time.Duration) {
	t.add(name, fmt.Sprintf("at most %v of CPU time", most), took.Round(10*time.Microsecond).String(), took <= most)
}

func (t *targetList) peak(name string, bytes int64, megabytesAtMost float64) {
	t.add(name, fmt.Sprintf("at most %.0f MB at its peak", megabytesAtMost), megabytes(bytes), float64(bytes) <= megabytesAtMost*1e6)
}
