// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/arrival"
)

// What comes is told as often as it is asked for, whatever was asked for before, and each of two
// routers that take requests in turn learns of its half.
func TestFutureArrivals(t *testing.T) {
	second := func(n int) simtime.Time { return simtime.Time(n) * simtime.Time(time.Second) }
	one := workload.Lengths{Distribution: stats.Constant{Value: 1}, Min: 1}
	routed := 0
	f := &futureArrivals{open: func() workload.Listener {
		return workload.NewClients([]workload.Client{{
			Name: "steps", Tenant: "a", Class: "a", Input: one, Output: one,
			Arrivals: arrival.Arrivals{Process: arrival.Constant, Stages: []arrival.Stage{
				{RatePerSecond: 2, Duration: 10 * time.Second}, {RatePerSecond: 10, Duration: 10 * time.Second},
			}},
		}}, 1)
	}, router: func(w *workload.Request) int { routed++; return routed % 2 }}
	for _, tc := range []struct {
		now, from, to int
		want          float64
	}{
		{0, 0, 5, 2}, {0, 12, 17, 10}, {0, 0, 5, 2}, {0, 5, 15, 6}, {11, 12, 17, 10}, {11, 11, 16, 10}, {11, 20, 30, 0}, {12, 15, 20, 10},
	} {
		// Arrivals are between whole seconds.
		for router := range 2 {
			if got := 2 * f.rate(router, second(tc.now), second(tc.from), second(tc.to)); got < tc.want-0.5 || got > tc.want+0.5 {
				t.Errorf("router %d at %d s, from %d to %d s: %g requests/s, want %g", router, tc.now, tc.from, tc.to, got, tc.want)
			}
		}
	}
}
