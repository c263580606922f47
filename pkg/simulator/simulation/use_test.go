// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/measure"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestUseOverLongTimes: blocks times nanoseconds pass 2^64, and their mean holds.
func TestUseOverLongTimes(t *testing.T) {
	r := engine.NewReplica(0, 0, &simulator.Pool{Replicas: 1, KVBlocks: 1 << 20, BlockTokens: 16, MaxNumSeqs: 1, MaxNumBatchedTokens: 1})
	r.Lifetimes.Begin(0)
	const half = simtime.Time(1 << 60)
	r.Use.Changed(0, 0, 1<<20)
	r.Use.Changed(half, 1<<20, 0)
	if got := r.Report(2 * half).MeanKV; got != 0.5 {
		t.Errorf("mean usage %v, want 0.5", got)
	}
	if got := r.Report(2 * half).PeakKV; got != 1 {
		t.Errorf("peak usage %v, want 1", got)
	}
}

func TestATargetIsMetHoweverLarge(t *testing.T) {
	const day = 24 * 3600 * 1e9
	for name, c := range map[string]struct {
		target, decode simtime.Time
		gaps           int32
		met            bool
	}{
		"none":                    {0, day, 5, true},
		"met to the nanosecond":   {10, 50, 5, true},
		"missed by a nanosecond":  {10, 51, 5, false},
		"365 days a token, twice": {365 * day, 2 * day, 2, true},
		"a day, 120000 times":     {day, 120000 * 1e6, 120000, true},
		"no gaps":                 {1, 0, 0, true},
	} {
		m := measure.NewMetrics([]simulator.Target{{TPOT: c.target.Sub(0)}}, nil, 0, make([]simulator.Pool, 1), workload.Labels{})
		q := &request.Request{}
		q.Prompt, q.Total = 1, 2+c.gaps
		q.Cell = m.Arrived(0, 0, q)
		m.Completed(c.decode, c.decode, q)
		if got := m.Cells[q.Cell].MetTPOT == 1; got != c.met {
			t.Errorf("%s: met is %v", name, got)
		}
	}
}

// TestScrapesAreSpreadOverTheInterval: endpoints are not all scraped at once.
func TestScrapesAreSpreadOverTheInterval(t *testing.T) {
	seen := map[simtime.Time]bool{}
	for endpoint := range 64 {
		phase := gateway.ScrapePhase(1, endpoint, int64(simulator.DefaultScrapeInterval))
		if phase < 0 || phase >= simtime.Time(simulator.DefaultScrapeInterval) {
			t.Errorf("endpoint %d is first scraped at %v", endpoint, phase)
		}
		seen[phase*4/simtime.Time(simulator.DefaultScrapeInterval)] = true
	}
	if len(seen) != 4 {
		t.Errorf("64 endpoints are scraped in %d quarters of the interval", len(seen))
	}
}

func TestADrainOfAnyLengthEnds(t *testing.T) {
	c := smallConfig()
	c.Horizon.Drain = math.MaxInt64
	if sum := simulate(t, c); sum.Completed != 2 {
		t.Errorf("%d completed, want 2", sum.Completed)
	}
}
