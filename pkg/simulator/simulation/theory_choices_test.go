// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/native"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestWaitsOfTheSupermarketModel holds the mean wait of many single servers against the law
// of the supermarket model: with d choices the share of servers with at least i requests is
// load^((d^i − 1)/(d − 1)), so by Little's law the mean wait is the sum of it over i ≥ 2,
// divided by the load, in services. The law is of infinitely many servers.
func TestWaitsOfTheSupermarketModel(t *testing.T) {
	const replicas, requests, seeds = 100, 100_000, 8
	random := func(s *stats.Stream) int { return geometric(s, queueMean) }
	q := singleServer("servers", 1-1.0/queueMean, random)
	for _, tc := range []struct {
		choices     int
		load, width float64
	}{{1, 0.5, 0.1}, {2, 0.5, 0.1}, {2, 0.9, 0.1}, {3, 0.9, 0.1}} {
		t.Run(fmt.Sprintf("%d choices at load %v", tc.choices, tc.load), func(t *testing.T) {
			t.Parallel()
			spec := native.Spec{Policy: "power-of-two", Parameters: map[string]string{"choices": fmt.Sprint(tc.choices)}}
			config, errs := native.Load(spec, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			gap := q.service / (tc.load * replicas)
			var waits []float64
			for seed := range int64(seeds) {
				pool := q.pool
				pool.Name, pool.Replicas = "servers", replicas
				c := run(t, simulator.Config{
					Pools: []simulator.Pool{pool}, Policies: policy.Policies{Routing: native.New(config, replicas, seed).Routing()},
					Source: &arrivals{stream: stats.NewStream(seed, "servers"), gap: gap, grid: 1, size: q.size},
					Horizon: simulator.Horizon{
						Requests: requests, WarmUp: time.Duration(0.2 * gap * requests), Drain: 1000 * time.Hour,
					},
				})
				waits = append(waits, c.Queueing.Mean()/q.service)
			}
			got, want := stats.MeanInterval(waits, 0.99), supermarketWait(tc.choices, tc.load)
			t.Logf("wait %.4f services, interval [%.4f, %.4f], %.1f %% wide", want, got.Low, got.High, 100*(got.High-got.Low)/want)
			if want < got.Low || want > got.High || got.High-got.Low > tc.width*want {
				t.Errorf("mean wait %.4f services, want it in [%.4f, %.4f], no wider than %v of it", want, got.Low, got.High, tc.width)
			}
		})
	}
}

// supermarketWait is the mean wait in services.
func supermarketWait(choices int, load float64) float64 {
	wait, exponent := 0.0, 1.0
	for range 1000 {
		exponent = float64(choices)*exponent + 1
		wait += math.Pow(load, exponent) / load
	}
	return wait
}
