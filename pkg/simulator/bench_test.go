// SPDX-License-Identifier: Apache-2.0

//go:build unix

package simulator

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// leastWaiting sends a request to the endpoint with the fewest scraped and
// outstanding requests, the next one in turn among equals.
type leastWaiting struct {
	outstanding []int
	turn        int
}

func (l *leastWaiting) Route(v *policy.View, _ *policy.Request) (int, error) {
	if l.outstanding == nil {
		l.outstanding = make([]int, len(v.Scrapes))
	}
	n := len(v.Scrapes)
	best := l.turn % n
	for k := range n {
		i := (l.turn + k) % n
		if v.Scrapes[i].Waiting+l.outstanding[i] < v.Scrapes[best].Waiting+l.outstanding[best] {
			best = i
		}
	}
	l.turn++
	l.outstanding[best]++
	return best, nil
}

func (l *leastWaiting) FirstToken(*policy.Request, int) {}

func (l *leastWaiting) Listener() policy.Listener { return l }

func (l *leastWaiting) Finished(_ *policy.Request, endpoint int) { l.outstanding[endpoint]-- }

// llamaPool is Llama-3.1-8B on one H100 a replica.
func llamaPool(b *testing.B, replicas int) Pool {
	model, ok := latency.LookupModel("meta-llama/Llama-3.1-8B-Instruct")
	if !ok {
		b.Fatal("no such model")
	}
	gpu, ok := latency.LookupAccelerator("h100-sxm")
	if !ok {
		b.Fatal("no such accelerator")
	}
	return Pool{
		Name: "llama", Replicas: replicas,
		Timer:       latency.NewRoofline(model, gpu, 1, latency.DefaultRoofline(gpu)),
		BlockTokens: 16, KVBlocks: 26312, PrefixCaching: true,
		MaxNumSeqs: 256, MaxNumBatchedTokens: 8192,
	}
}

// referenceClients are 20 Poisson clients with shares as 1/(i+1), client i in
// prefix group i of 1024 tokens, 5 tenants and 3 classes in turn.
func referenceClients(rate float64) []workload.Client {
	const n = 20
	total := 0.0
	for i := range n {
		total += 1 / float64(i+1)
	}
	var clients []workload.Client
	for i := range n {
		clients = append(clients, workload.Client{
			Name: fmt.Sprint("client-", i), Tenant: fmt.Sprint("tenant-", i%5), Class: fmt.Sprint("class-", i%3),
			Arrivals:    workload.Arrivals{Process: workload.Poisson, RatePerSecond: rate / float64(i+1) / total},
			Input:       workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
			Output:      workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
			PrefixGroup: fmt.Sprint("group-", i), PrefixTokens: 1024,
		})
	}
	return clients
}

func BenchmarkReference(b *testing.B) {
	for _, replicas := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("%d replicas", replicas), func(b *testing.B) {
			const requests = 50_000
			pool := llamaPool(b, replicas)
			clients := referenceClients(25 * float64(replicas))
			measure(b, requests, func() Config {
				return Config{
					Pools: []Pool{pool}, Router: &leastWaiting{}, Source: workload.NewClients(clients, 1),
					Horizon: Horizon{Requests: requests, Drain: time.Hour},
				}
			})
		})
	}
}

func BenchmarkMooncake(b *testing.B) {
	file, err := os.Open(testdata.File(b, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	trace, err := workload.ReadTrace(workload.Mooncake, file, "conversation")
	if err != nil {
		b.Fatal(err)
	}
	pool := llamaPool(b, 8)
	for _, arrivals := range []workload.ReplayArrivals{workload.AsRecorded, workload.Spread} {
		b.Run(string(arrivals), func(b *testing.B) {
			measure(b, trace.Requests(), func() Config {
				return Config{
					Pools: []Pool{pool}, Router: &leastWaiting{},
					Source:  trace.Replay(workload.Replay{RateScale: 1, Arrivals: arrivals}, 1),
					Horizon: Horizon{Drain: time.Hour},
				}
			})
		})
	}
}

// measure runs a simulation again and again and reports simulated requests
// per CPU second, all threads together.
func measure(b *testing.B, requests int, config func() Config) {
	b.ReportAllocs()
	before := cpuTime(b)
	var o *Cell
	for b.Loop() {
		o = simulate(b, config())
	}
	cpu := cpuTime(b) - before
	b.ReportMetric(float64(requests)*float64(b.N)/cpu.Seconds(), "requests/CPU-s")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "CPU-s/run")
	b.ReportMetric(o.TTFT.Quantile(0.99)/1e6, "p99-TTFT-ms")
	b.ReportMetric(o.TPOT.Mean()/1e6, "TPOT-ms")
}

func cpuTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
