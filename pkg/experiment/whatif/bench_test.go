// SPDX-License-Identifier: Apache-2.0

package whatif_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/reference"
	"windtunnel.dev/windtunnel/pkg/experiment/whatif"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// BenchmarkHundredAlternatives is what 100 alternatives to the picks for requests all over a
// run cost, with their spreads, on all cores; and runs is that in times of one run on one core.
func BenchmarkHundredAlternatives(b *testing.B) {
	for _, size := range []struct{ requests, replicas int }{{2000, 4}, {50_000, 16}} {
		maker := func() (simulator.Config, error) { return reference.R(size.requests, size.replicas, 1), nil }
		b.Run(fmt.Sprintf("R(%d,%d)", size.requests, size.replicas), func(b *testing.B) {
			alternatives := hundred(size.requests, size.replicas)
			began := time.Now()
			if _, err := simulation.Run(context.Background(), reference.R(size.requests, size.replicas, 1)); err != nil {
				b.Fatal(err)
			}
			one := time.Since(began)
			simulations := 0
			for b.Loop() {
				r, err := whatif.Ask(context.Background(), maker, alternatives, whatif.Options{
					Window: whatif.DefaultWindow, Flips: whatif.DefaultFlips, Parallelism: runtime.GOMAXPROCS(0),
				})
				if err != nil {
					b.Fatal(err)
				}
				simulations = r.Simulations
			}
			b.ReportMetric(one.Seconds(), "s/run")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/one.Seconds(), "runs")
			b.ReportMetric(float64(simulations), "simulations")
		})
	}
}

// hundred are 100 alternatives: all endpoints for some requests at equal distances.
func hundred(requests, replicas int) []whatif.Alternative {
	var all []whatif.Alternative
	asked := (100 + replicas - 1) / replicas
	for i := range 100 {
		request := (i/replicas*2 + 1) * requests / (2 * asked)
		all = append(all, whatif.Alternative{Request: request, Endpoint: i % replicas})
	}
	return all
}
