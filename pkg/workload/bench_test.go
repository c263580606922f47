// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func BenchmarkClients(b *testing.B) {
	for _, n := range []int{1, 20, 512} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			var clients []workload.Client
			for i := range n {
				clients = append(clients, workload.Client{
					Name:         fmt.Sprint(i),
					Arrivals:     workload.Arrivals{Process: workload.Poisson, RatePerSecond: 1 / float64(i+1)},
					Input:        workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
					Output:       workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
					PrefixGroup:  fmt.Sprint(i),
					PrefixTokens: 1024,
				})
			}
			source := workload.NewClients(clients, 1)
			b.ReportAllocs()
			for b.Loop() {
				source.Next()
			}
		})
	}
}

// Requests with a prefix of 300, five examples, media and reasoning.
func BenchmarkPromptParts(b *testing.B) {
	c := validClient("a")
	c.PrefixGroup, c.PrefixTokens = "g", 512
	c.PrefixGroups = &workload.PrefixGroups{Count: 300, ZipfExponent: 1, DriftPeriod: time.Minute, Correlation: 0.5}
	c.Examples = &workload.Examples{Pool: 40, Count: upTo(5), Tokens: c.Input}
	c.Media = []workload.Media{{Kind: "Image", Probability: 1, Count: upTo(2), Tokens: c.Input, Pool: 100}}
	c.Reasoning = &workload.Reasoning{Steps: upTo(8), TokensPerStep: c.Input}
	source := workload.NewClients([]workload.Client{c}, 1)
	b.ReportAllocs()
	for b.Loop() {
		source.Next()
	}
}

// Sessions that wait for their answers, of which 200 are in flight.
func BenchmarkSessions(b *testing.B) {
	think := seconds(5)
	plain := validClient("a")
	plain.Sessions = &workload.Sessions{AfterAnswer: true, ThinkTime: &think, Turns: tokens(10), Context: workload.Accumulate}
	condensed := plain
	condensed.Sessions = &workload.Sessions{
		AfterAnswer: true, ThinkTime: &think, Turns: tokens(30), Context: workload.Condense, CondenseEvery: 4000, CondenseExponent: 0.8,
		PromptGrowth: 1.05, AnswerVariation: 0.2,
	}
	for name, c := range map[string]workload.Client{"plain": plain, "condensed": condensed, "agents": randomAgent("a")} {
		b.Run(name, func(b *testing.B) {
			source := workload.NewClients([]workload.Client{c}, 1)
			var inFlight []workload.Request
			b.ReportAllocs()
			for b.Loop() {
				r, _ := source.Next()
				if inFlight = append(inFlight, r); len(inFlight) < 200 {
					continue
				}
				for _, r := range inFlight {
					source.Ended(workload.End{ID: r.ID, At: inFlight[199].Arrival, Ending: workload.Completed})
				}
				inFlight = inFlight[:0]
			}
		})
	}
}

// A fifth of the attempts time out, and 200 are in flight.
func BenchmarkRetries(b *testing.B) {
	for name, retry := range map[string]*workload.Retry{
		"none":    nil,
		"at once": {Max: 3, Multiplier: 1, After: []workload.Ending{workload.TimedOut}},
		"backoff": {Max: 3, Backoff: 5 * time.Second, Multiplier: 2, Jitter: 0.5, After: []workload.Ending{workload.TimedOut}},
	} {
		b.Run(name, func(b *testing.B) {
			source := workload.NewClients([]workload.Client{validClient("a")}, 1)
			if retry != nil {
				source = workload.WithRetries(source, func(int) *workload.Retry { return retry }, 1)
			}
			inFlight := make([]workload.Request, 0, 200)
			b.ReportAllocs()
			for b.Loop() {
				r, _ := source.Next()
				if inFlight = append(inFlight, r); len(inFlight) < 200 {
					continue
				}
				for i, q := range inFlight {
					how := workload.Completed
					if i%5 == 0 {
						how = workload.TimedOut
					}
					source.Ended(workload.End{ID: q.ID, At: r.Arrival, Ending: how})
				}
				inFlight = inFlight[:0]
			}
		})
	}
}

// Copies of a client that share an arrival process: 200,000 requests, and what it takes that
// copies begin to exist.
func BenchmarkCopies(b *testing.B) {
	const requests = 200_000
	for _, count := range []int{1, 10_000, 100_000} {
		b.Run(fmt.Sprintf("copies=%d", count), func(b *testing.B) {
			c := validClient("a")
			c.PrefixGroup, c.PrefixTokens = "g", 512
			c.Copies = &workload.Copies{Count: count, SharedArrivals: workload.Random}
			b.ReportAllocs()
			for b.Loop() {
				source := workload.NewClients([]workload.Client{c}, 1)
				for range requests {
					source.Next()
				}
			}
			b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
}
