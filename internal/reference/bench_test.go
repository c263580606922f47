// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"context"
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// BenchmarkR is for profiles and comparisons; what is claimed of the engine's
// speed comes from studies/bench.
func BenchmarkR(b *testing.B) {
	const requests = 50_000
	for _, replicas := range []int{4, 16, 64, 256} {
		b.Run(fmt.Sprintf("replicas=%d", replicas), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := simulator.Run(context.Background(), R(requests, replicas, 1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// BenchmarkGuided is BenchmarkR with another profile.
func BenchmarkGuided(b *testing.B) {
	const requests, replicas = 50_000, 16
	b.ReportAllocs()
	for b.Loop() {
		if _, err := simulator.Run(context.Background(), Guided(requests, replicas, 1)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// BenchmarkLoops is what it costs that users wait for their answers, beside the same load
// without.
func BenchmarkLoops(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{"open": R, "closed": Closed})
}

// BenchmarkMoving is what tiers and hand-overs cost, beside the same load
// without them.
func BenchmarkMoving(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{
		"untiered": Untiered, "tiered": Tiered, "together": R, "disaggregated": Disaggregated,
	})
}

// BenchmarkScaling is what a scaler costs that decides every 15 s, beside the same replicas
// without one.
func BenchmarkScaling(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{
		"alone":  func(requests, _ int, seed int64) simulator.Config { return R(requests, 64, seed) },
		"scaled": func(requests, _ int, seed int64) simulator.Config { return Scaled(requests, 64, seed) },
	})
}

func benchmarkEach(b *testing.B, configs map[string]func(requests, replicas int, seed int64) simulator.Config) {
	const requests, replicas = 50_000, 16
	for name, config := range configs {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := simulator.Run(context.Background(), config(requests, replicas, 1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// BenchmarkDecisions compares R without a look at its decisions with R whose decisions are
// explained.
func BenchmarkDecisions(b *testing.B) {
	for _, explained := range []bool{false, true} {
		b.Run(fmt.Sprintf("explained=%v", explained), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := R(50_000, 16, 1)
				if explained {
					c.Policies.Routing.Router.(interface {
						Explain(func(*scheduler.Explanation))
					}).Explain((*scheduler.Explanation).Release)
				}
				if _, err := simulator.Run(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSeries compares R without time series with R that is followed through time.
func BenchmarkSeries(b *testing.B) {
	followed := func(requests, replicas int, seed int64) simulator.Config {
		c := R(requests, replicas, seed)
		c.Series = simulator.SeriesConfig{Bins: 600, Width: 16 * time.Millisecond, Unit: time.Millisecond}
		return c
	}
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{"off": R, "on": followed})
}
