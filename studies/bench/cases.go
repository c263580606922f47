// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"

	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// errAbsent says that a case needs a trace that is not here.
var errAbsent = errors.New("the Mooncake trace is not here, see -trace")

// benchCase is one simulation, or several of it at once.
type benchCase struct {
	name string
	// replicas is how many the cluster has.
	replicas int
	// requests is how many are sent; 0 replays the trace.
	requests int
	// workload is R unless it says another one.
	workload func(requests, replicas int, seed int64) simulator.Config
	// runs is how many simulations share the machine, on all cores; 0 is one
	// simulation, on as many threads as the runtime likes.
	runs int
}

// cases are all there are, in the order of the table.
func cases() []benchCase {
	var all []benchCase
	for _, replicas := range []int{4, 16, 64, 256, 1024, 4096, 10_000} {
		all = append(all, reference50k(replicas))
	}
	for _, form := range reference.Forms {
		all = append(all, benchCase{name: "policy: " + string(form), replicas: 16, requests: 50_000, workload: reference.Programmed(form)})
	}
	return append(all,
		benchCase{name: "R(100000,16)", replicas: 16, requests: 100_000},
		benchCase{name: "R(1000000,16)", replicas: 16, requests: 1_000_000},
		benchCase{name: "R(10000000,10000)", replicas: 10_000, requests: 10_000_000},
		benchCase{name: "guided, 16", replicas: 16, requests: 50_000, workload: reference.Guided},
		benchCase{name: "guided, 1024", replicas: 1024, requests: 50_000, workload: reference.Guided},
		benchCase{name: "precise", replicas: 16, requests: 50_000, workload: reference.Precise},
		benchCase{name: "flow control, scaling", replicas: 16, requests: 50_000, workload: reference.Guarded},
		benchCase{name: "closed loop", replicas: 16, requests: 50_000, workload: reference.Closed},
		benchCase{name: "few blocks", replicas: 16, requests: 50_000, workload: reference.Untiered},
		benchCase{name: "CPU tier", replicas: 16, requests: 50_000, workload: reference.Tiered},
		benchCase{name: "disaggregated, 16", replicas: 16, requests: 50_000, workload: reference.Disaggregated},
		benchCase{name: "disaggregated, 64", replicas: 64, requests: 50_000, workload: reference.Disaggregated},
		benchCase{name: "disaggregated, 256", replicas: 256, requests: 50_000, workload: reference.Disaggregated},
		benchCase{name: "preempting", replicas: 16, requests: 50_000, workload: reference.Preempting},
		benchCase{name: "congested", replicas: 16, requests: 50_000, workload: reference.Congested},
		benchCase{name: "Mooncake", replicas: 8},
		benchCase{name: "parallel", replicas: 16, requests: 50_000, runs: 4 * runtime.NumCPU()},
	)
}

func reference50k(replicas int) benchCase {
	return benchCase{name: fmt.Sprintf("R(50000,%d)", replicas), replicas: replicas, requests: 50_000}
}

// choose returns the cases whose name matches.
func choose(pattern string) ([]benchCase, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var chosen []benchCase
	for _, c := range cases() {
		if re.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no case matches %q", pattern)
	}
	return chosen, nil
}

// config is the case's simulation; the trace is read here, before the clock
// starts.
func (c benchCase) config(tracePath string, seed int64) (simulator.Config, error) {
	switch {
	case c.workload != nil:
		return c.workload(c.requests, c.replicas, seed), nil
	case c.requests > 0:
		return reference.R(c.requests, c.replicas, seed), nil
	}
	if tracePath == "" {
		return simulator.Config{}, errAbsent
	}
	file, err := os.Open(tracePath)
	if err != nil {
		return simulator.Config{}, err
	}
	defer file.Close()
	recorded, err := trace.Read(trace.Mooncake, file, tracePath)
	if err != nil {
		return simulator.Config{}, err
	}
	return reference.Replay(recorded, c.replicas, seed), nil
}
