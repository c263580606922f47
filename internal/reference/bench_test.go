// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// BenchmarkR is for profiles and comparisons; what is claimed of the engine's
// speed comes from studies/bench.
func BenchmarkR(b *testing.B) { benchmarkReplicas(b, R) }

// BenchmarkGuided is BenchmarkR with another profile.
func BenchmarkGuided(b *testing.B) { benchmarkReplicas(b, Guided) }

// BenchmarkDisaggregated is BenchmarkR with prefill and decode on different replicas.
func BenchmarkDisaggregated(b *testing.B) { benchmarkReplicas(b, Disaggregated) }

func benchmarkReplicas(b *testing.B, config func(requests, replicas int, seed int64) simulator.Config) {
	const requests = 50_000
	for _, replicas := range []int{4, 16, 64, 256, 1024} {
		b.Run(fmt.Sprintf("replicas=%d", replicas), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := simulation.Run(context.Background(), config(requests, replicas, 1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}

// BenchmarkLoops is what it costs that users wait for their answers, beside the same load
// without.
func BenchmarkLoops(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{"open": R, "closed": Closed})
}

// BenchmarkMoving is what tiers cost, beside the same load without them.
func BenchmarkMoving(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{
		"untiered": Untiered, "tiered": Tiered, "together": R,
	})
}

// BenchmarkScarce is what it costs that KV blocks are few: where requests decode, and where prompts
// are handed over to.
func BenchmarkScarce(b *testing.B) {
	benchmarkEach(b, map[string]func(int, int, int64) simulator.Config{"preempting": Preempting, "congested": Congested})
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
				if _, err := simulation.Run(context.Background(), config(requests, replicas, 1)); err != nil {
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
				if _, err := simulation.Run(context.Background(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSeries compares R without time series with R that is followed through time, in
// pairs: "on/off" is the median of the ratios of their times.
func BenchmarkSeries(b *testing.B) {
	run := func(series simulator.SeriesConfig) float64 {
		c := R(50_000, 16, 1)
		c.Series = series
		runtime.GC()
		began := time.Now()
		if _, err := simulation.Run(context.Background(), c); err != nil {
			b.Fatal(err)
		}
		return time.Since(began).Seconds()
	}
	on, off := simulator.SeriesConfig{Bins: 600, Width: 16 * time.Millisecond, Unit: time.Millisecond}, simulator.SeriesConfig{}
	var ratios []float64
	for b.Loop() {
		if len(ratios)%2 == 0 {
			ratios = append(ratios, run(on)/run(off))
		} else {
			without := run(off)
			ratios = append(ratios, run(on)/without)
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "on/off")
}

// BenchmarkLevels is what the levels of a trace cost of R: its records collected, counted by the rules on
// anomalies, and written as lines into memory. Divide the CPU times.
func BenchmarkLevels(b *testing.B) {
	var line []byte
	lines := func(c *simulator.Config, full bool) (detach func()) {
		detach = execute.WatchDecisions(c, func(d *execute.RoutingRecord) {
			line = d.AppendRecord(line[:0])
			d.Release()
		})
		if full {
			execute.WatchRecords(c, func(r result.Record) { line = result.AppendRecord(line[:0], r) })
		}
		return detach
	}
	for _, level := range []struct {
		name  string
		watch func(*simulator.Config) (detach func())
	}{
		{"Minimal", func(*simulator.Config) func() { return func() {} }},
		{"counts of ends", func(c *simulator.Config) func() {
			insight.NewCounter(c, insight.Thresholds{}).Watch(c)
			return func() {}
		}},
		{"counts", func(c *simulator.Config) func() { return insight.NewCounter(c, insight.Thresholds{}).Attach(c) }},
		{"steps collected", func(c *simulator.Config) func() { return execute.WatchRecords(c, func(result.Record) {}) }},
		{"Decisions collected", func(c *simulator.Config) func() { return execute.WatchDecisions(c, (*execute.RoutingRecord).Release) }},
		{"Decisions as lines", func(c *simulator.Config) func() { return lines(c, false) }},
		{"Full as lines", func(c *simulator.Config) func() { return lines(c, true) }},
	} {
		b.Run(level.name, func(b *testing.B) {
			began := cpuTime(b)
			for b.Loop() {
				c := R(50_000, 16, 1)
				detach := level.watch(&c)
				if _, err := simulation.Run(context.Background(), c); err != nil {
					b.Fatal(err)
				}
				detach()
			}
			b.ReportMetric((cpuTime(b)-began).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkPrograms is what one policy costs natively, as a tree, in WebAssembly and in
// Starlark.
func BenchmarkPrograms(b *testing.B) {
	const requests, replicas = 50_000, 16
	for _, form := range Forms {
		b.Run(string(form), func(b *testing.B) {
			config := Programmed(form)
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if _, err := simulation.Run(context.Background(), config(requests, replicas, 1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(requests)*float64(b.N)/(cpuTime(b)-before).Seconds(), "requests/cpu-s")
		})
	}
}

// cpuTime is what all threads of the process have taken, with those of the garbage collector.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
