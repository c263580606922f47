// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"context"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// timer gives the duration of a step as a function.
type timer func(latency.Step) time.Duration

func (f timer) StepTime(s latency.Step) time.Duration { return f(s) }

// arrivals is an endless source of requests at random: exponential gaps, each
// arrival rounded up to a whole number of grid, each request of a drawn size.
type arrivals struct {
	stream *stats.Stream
	gap    float64 // mean, ns
	grid   simtime.Time
	size   func(*stats.Stream) (input, output int)
	now    float64
	sent   int
}

func (a *arrivals) Labels() workload.Labels { return workload.Labels{} }

func (a *arrivals) Next() (workload.Request, bool) {
	a.now += a.gap * a.stream.Exponential()
	input, output := a.size(a.stream)
	r := workload.Request{
		ID: a.sent, Arrival: (simtime.Time(a.now) + a.grid) / a.grid * a.grid, OutputTokens: output,
		Response: uint64(2*a.sent + 1),
		Prompt:   prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(2 * a.sent), Tokens: int32(input)}}},
	}
	a.sent++
	return r, true
}

// run simulates one pool for one tenant and class, and returns the only cell.
func run(t *testing.T, config simulator.Config) *simulator.Cell {
	t.Helper()
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Cells) != 1 {
		t.Fatalf("%d cells, want one", len(o.Cells))
	}
	return &o.Cells[0]
}
