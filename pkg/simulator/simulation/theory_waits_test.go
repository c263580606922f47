// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// geometric draws a number of trials up to the first success.
func geometric(s *stats.Stream, mean float64) int {
	return max(1, int(math.Ceil(s.Exponential()/-stats.Log1p(-1/mean))))
}

// queue is an engine cut down to a queue, and what theory says of it.
type queue struct {
	name string
	pool simulator.Pool
	// grid is that of the arrivals, service the mean time of service in ns.
	grid    simtime.Time
	service float64
	servers int
	size    func(*stats.Stream) (input, output int)
	// wait is the mean wait at a load, in units of service.
	wait func(load float64) float64
}

// singleServer serves one request at a time, in one step of a microsecond for
// each prompt token. By Pollaczek and Khinchine the mean wait is
// ρ/(1−ρ)·(1+C²)/2 with C² the squared coefficient of variation of service.
func singleServer(name string, squaredCV float64, length func(*stats.Stream) int) queue {
	return queue{
		name: name, grid: 1, service: queueMean * 1e3, servers: 1,
		pool: simulator.Pool{
			Timer:       timer(func(s latency.Step) time.Duration { return time.Duration(s.PrefillTokens) * time.Microsecond }),
			BlockTokens: 1 << 10, KVBlocks: 1 << 10, MaxNumSeqs: 1, MaxNumBatchedTokens: 1 << 20,
		},
		size: func(s *stats.Stream) (int, int) { return length(s), 1 },
		wait: func(load float64) float64 { return load / (1 - load) * (1 + squaredCV) / 2 },
	}
}

// manyServers has k places and steps of one length, so that a request of n
// tokens holds a place for n steps whoever else is there: geometric n are
// exponential times of service seen through a clock with the step's grid.
// Arrivals are put on the grid too, or else each would wait for the end of the
// step under way, half a step on average: more than all of the wait of M/M/16
// at half load. What is left of the grid is a factor of 1 − 1/(2·mean), which
// TestErlangCInSteps derives: 1.25 % for a mean of 40 steps.
func manyServers(k int) queue {
	const step, steps = time.Millisecond, 40.0
	return queue{
		name: fmt.Sprint("M/M/", k), grid: simtime.Time(step), service: steps * float64(step), servers: k,
		pool: simulator.Pool{
			Timer:       timer(func(latency.Step) time.Duration { return step }),
			BlockTokens: 1 << 10, KVBlocks: 1 << 10, MaxNumSeqs: k, MaxNumBatchedTokens: 1 << 20,
		},
		size: func(s *stats.Stream) (int, int) { return 1, geometric(s, steps) },
		wait: func(load float64) float64 { return erlangWait(k, load) * (1 - 1/(2*steps)) },
	}
}

// queueMean is the mean service of single servers, in prompt tokens.
const queueMean = 1000

// erlangWait is the mean wait of M/M/k in units of the mean service.
func erlangWait(k int, load float64) float64 {
	return erlangC(k, load*float64(k)) / (float64(k) * (1 - load))
}

// erlangC is the probability of having to wait at k servers that are offered
// the given load (Erlang's second formula), by the recurrence of the first.
func erlangC(k int, offered float64) float64 {
	blocked := 1.0
	for servers := 1; servers <= k; servers++ {
		blocked = offered * blocked / (float64(servers) + offered*blocked)
	}
	load := offered / float64(k)
	return blocked / (1 - load*(1-blocked))
}

// waitCase is a load, the requests of one replication, and the greatest width
// of the interval as a share of the wait.
type waitCase struct {
	load     float64
	requests int
	width    float64
}

// TestWaitsOfQueueingTheory holds the mean wait of an engine that is nothing
// but a queue against the formulae for M/D/1, M/M/1 and M/M/k: the formula lies
// in the 99 % Student-t interval over replications, and the interval is narrow.
func TestWaitsOfQueueingTheory(t *testing.T) {
	constant := func(*stats.Stream) int { return queueMean }
	random := func(s *stats.Stream) int { return geometric(s, queueMean) }
	// The wait of one request says much about the next one's where the load is
	// high, and few wait where it is low and servers are many: those cases take
	// more requests, and their intervals are wider.
	for _, tc := range []struct {
		queue
		cases []waitCase
	}{
		{singleServer("M/D/1", 0, constant), []waitCase{{0.5, 30_000, 0.1}, {0.8, 60_000, 0.1}, {0.95, 200_000, 0.15}}},
		{singleServer("M/M/1", 1-1.0/queueMean, random), []waitCase{{0.5, 30_000, 0.1}, {0.8, 60_000, 0.15}, {0.95, 200_000, 0.2}}},
		{manyServers(4), []waitCase{{0.5, 50_000, 0.1}, {0.8, 60_000, 0.15}, {0.95, 150_000, 0.2}}},
		{manyServers(16), []waitCase{{0.5, 200_000, 0.4}, {0.8, 100_000, 0.2}, {0.95, 150_000, 0.3}}},
	} {
		for _, c := range tc.cases {
			t.Run(fmt.Sprintf("%s at load %v", tc.name, c.load), func(t *testing.T) {
				t.Parallel()
				got := stats.MeanInterval(tc.waits(t, c.load, c.requests), 0.99)
				want := tc.wait(c.load)
				t.Logf("wait %.4f services, interval [%.4f, %.4f], %.1f %% wide", want, got.Low, got.High, 100*(got.High-got.Low)/want)
				if want < got.Low || want > got.High || got.High-got.Low > c.width*want {
					t.Errorf("mean wait %.4f services, want it in [%.4f, %.4f], no wider than %v of it", want, got.Low, got.High, c.width)
				}
			})
		}
	}
}

// waits is the mean wait of each of some replications, in units of service.
func (q queue) waits(t *testing.T, load float64, requests int) []float64 {
	var waits []float64
	gap := q.service / (load * float64(q.servers))
	for seed := range int64(12) {
		q.pool.Name, q.pool.Replicas = "servers", 1
		c := run(t, simulator.Config{
			Pools: []simulator.Pool{q.pool}, Policies: policy.RoutedBy(&inTurn{}),
			Source: &arrivals{stream: stats.NewStream(seed, q.name), gap: gap, grid: q.grid, size: q.size},
			Horizon: simulator.Horizon{
				Requests: requests, WarmUp: time.Duration(0.1 * gap * float64(requests)), Drain: 1000 * time.Hour,
			},
		})
		waits = append(waits, c.Queueing.Mean()/q.service)
	}
	return waits
}
