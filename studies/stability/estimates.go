// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// process is the times of some arrivals, from 0 on.
type process struct {
	name  string
	times []simtime.Time
}

// poissonProcess has a number of arrivals in a window, on average.
func poissonProcess(inWindow float64, s *stats.Stream) process {
	const arrivals = 20_000
	window := stability.DefaultConfig().Window
	p := process{name: fmt.Sprintf("Poisson, %g in a window", inWindow)}
	at := 0.0
	for range arrivals {
		at += s.Exponential() / inWindow * window.Seconds()
		p.times = append(p.times, simtime.Time(at*1e9))
	}
	return p
}

// recorded is the arrivals of a trace as they were recorded.
func (l *load) recorded() process {
	source := l.trace.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}, 1)
	p := process{name: l.name + ", as recorded"}
	for {
		r, ok := source.Next()
		if !ok {
			return p
		}
		p.times = append(p.times, r.Arrival)
	}
}

// estimate is the mean over time of what the two forms take the arrival rate
// for, read every so often, from one window on.
type estimate struct {
	process string
	// perSecond is the true mean rate of that time.
	perSecond, queueing, seed float64
}

func (p process) estimate() estimate {
	config := stability.DefaultConfig()
	queueing, seed := stability.NewQueueing(config, 0), stability.NewQueueingSeed(config)
	for range config.MinCompletions {
		// Until then the literal form has a number of its own.
		seed.Completion(0, stability.Completion{PromptTokens: 1, Blocks: 1, Service: time.Second})
	}
	e := estimate{process: p.name}
	start, end := simtime.Time(config.Window), p.times[len(p.times)-1]
	every := max(end.Sub(start)/200_000, 10*time.Millisecond)
	memory := stability.Memory{TotalBlocks: 1, FreeBlocks: 1}
	i, reads := 0, 0
	for at := start; at < end; at = at.Add(every) {
		for ; p.times[i] < at; i++ {
			queueing.Arrival(p.times[i])
			seed.Arrival(p.times[i])
		}
		e.queueing += queueing.State(at, memory).ArrivalsPerSecond
		e.seed += seed.State(at, memory).ArrivalsPerSecond
		reads++
	}
	e.queueing /= float64(reads)
	e.seed /= float64(reads)
	counted := 0
	for _, at := range p.times {
		if at >= start && at < end {
			counted++
		}
	}
	e.perSecond = float64(counted) / end.Sub(start).Seconds()
	return e
}
