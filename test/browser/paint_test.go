// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"testing"
)

// mostPaint is how long a page may take until something is on the screen, in milliseconds.
const mostPaint = 1000

// firstPaint waits for the entry of the first paint with content.
const firstPaint = `new Promise((found) => new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach((e) => found(e.startTime))).observe({ type: "paint", buffered: true }))`

// BenchmarkFirstPaint measures the time until something is on the screen, and until all charts
// are drawn. The best of its tries must be below the bound.
func BenchmarkFirstPaint(b *testing.B) {
	thousand, run := samples["a gate that passes"], runs["a run of many replicas"]
	thousand.side = 32
	large := samples["one hundred thousand"]
	files := map[string]func(b *testing.B) string{
		"1024 points":   func(b *testing.B) string { name, _ := thousand.file(b); return name },
		"100489 points": func(b *testing.B) string { name, _ := large.file(b); return name },
		"run 64":        func(b *testing.B) string { name, _ := run.file(b); return name },
	}
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			path := file(b)
			tab := openTab(b)
			tab.size(b, 1280, 900)
			best, ready := 0.0, 0.0
			for b.Loop() {
				tab.open(b, path)
				paint := eval[float64](b, tab, firstPaint)
				if best == 0 || paint < best {
					best, ready = paint, eval[float64](b, tab, `windtunnel.ready`)
				}
			}
			b.ReportMetric(best, "ms/paint")
			b.ReportMetric(ready, "ms/drawn")
			if best > mostPaint {
				b.Errorf("the first paint took %.0f ms, want at most %d", best, mostPaint)
			}
		})
	}
}
