// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestLogGamma(t *testing.T) {
	for x := 1e-3; x < 1e5; x *= 1.07 {
		want, _ := math.Lgamma(x)
		if got := stats.LogGamma(x); math.Abs(got-want) > 3e-14*max(1, math.Abs(want)) {
			t.Errorf("LogGamma(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, -1, math.NaN()} {
		if got := stats.LogGamma(x); !math.IsNaN(got) {
			t.Errorf("LogGamma(%v) = %v, want NaN", x, got)
		}
	}
}
