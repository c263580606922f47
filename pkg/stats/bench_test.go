// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

var (
	sinkBits  uint64
	sinkFloat float64
)

func BenchmarkStreamUint64(b *testing.B) {
	b.ReportAllocs()
	s := stats.NewStream(1, "benchmark")
	for b.Loop() {
		sinkBits += s.Uint64()
	}
}

func BenchmarkStreamVariates(b *testing.B) {
	s := stats.NewStream(1, "benchmark")
	for name, draw := range map[string]func() float64{
		"Exponential": s.Exponential,
		"Normal":      s.Normal,
		"Gamma(0.25)": func() float64 { return s.Gamma(0.25) },
		"Gamma(4)":    func() float64 { return s.Gamma(4) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkFloat += draw()
			}
		})
	}
}

func BenchmarkHash64(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sinkBits = stats.Hash64(sinkBits, 1, 2)
	}
}

func BenchmarkLog(b *testing.B) {
	b.ReportAllocs()
	x := 0.3
	for b.Loop() {
		x = stats.Log(x) + 2.5
	}
	sinkFloat = x
}

func BenchmarkExp(b *testing.B) {
	b.ReportAllocs()
	x := 0.3
	for b.Loop() {
		x = stats.Exp(x) - 2
	}
	sinkFloat = x
}

// Latencies in nanoseconds, evenly up to a second.
func BenchmarkHistogramRecord(b *testing.B) {
	b.ReportAllocs()
	var h stats.Histogram
	v := int64(1)
	for b.Loop() {
		v = (v*6364136223846793005 + 1442695040888963407) & (1<<30 - 1)
		h.Record(v)
	}
	sinkBits += uint64(h.Count())
}

func BenchmarkHistogramQuantile(b *testing.B) {
	b.ReportAllocs()
	var h stats.Histogram
	for v := int64(1); v < 1<<34; v += 1 + v/100 {
		h.Record(v)
	}
	for b.Loop() {
		sinkFloat += h.Quantile(0.99)
	}
}

func BenchmarkStudentT(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sinkFloat += stats.StudentT(0.95, 4)
	}
}
