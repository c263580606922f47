// SPDX-License-Identifier: Apache-2.0

// Package reference builds the simulations of the benchmarks: R(N, I), N requests to I
// replicas of Llama-3.1-8B on one H100 each, and the Mooncake conversation trace on
// replicas of the same kind.
package reference

import (
	"fmt"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// RatePerReplica is how many requests a second R offers to each replica.
const RatePerReplica = 25

// secondsInFlight is how long a request of R(50000, 16) is in flight on average.
const secondsInFlight = 1.47

// R is the reference workload: Poisson clients, 5 for every 4 replicas and 20
// at least, with shares of the rate as 1/(i+1); each has a prefix of 1024 tokens
// that all its prompts begin with, prompts of 256 ± 100 tokens of their own,
// and answers of 128 ± 50. It ends when all of the requests are served.
func R(requests, replicas int, seed int64) simulator.Config {
	config := onReplicas(replicas, seed)
	config.Source = workload.NewClients(Clients(replicas), seed)
	config.Horizon.Requests = requests
	return config
}

// Closed is R with users who wait for their answers and send the next request at once. A
// client has as many users as R has of its requests in flight, so that both send about as
// many requests a second.
func Closed(requests, replicas int, seed int64) simulator.Config {
	config := onReplicas(replicas, seed)
	all := Clients(replicas)
	for i := range all {
		users := math.Round(all[i].Arrivals.RatePerSecond * secondsInFlight)
		all[i].Arrivals, all[i].ClosedLoop = workload.Arrivals{}, &workload.ClosedLoop{Concurrency: int(max(users, 1))}
	}
	source := workload.NewClients(all, seed)
	config.Source, config.Listener = source, source
	config.Horizon.Requests = requests
	return config
}

// Replay is a trace, as recorded, on replicas of the reference workload's kind.
func Replay(recorded *trace.Trace, replicas int, seed int64) simulator.Config {
	config := onReplicas(replicas, seed)
	config.Source = recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Alone: true}, seed)
	return config
}

// onReplicas is what both have in common. Metrics are scraped every 50 ms.
func onReplicas(replicas int, seed int64) simulator.Config {
	return simulator.Config{
		Pools:          []simulator.Pool{Pool(replicas)},
		Policies:       policy.Policies{Routing: epp.New(profile(), config.Cluster{Endpoints: replicas}, seed).Routing()},
		ScrapeInterval: 50 * time.Millisecond,
		Horizon:        simulator.Horizon{Drain: 24 * time.Hour},
		Seed:           seed,
	}
}

// Pool is Llama-3.1-8B, one H100 a replica, with the step times of the
// published regression and without its costs of a request.
func Pool(replicas int) simulator.Pool {
	return simulator.Pool{
		Name: "llama", Replicas: replicas, Timer: Instance("meta-llama/Llama-3.1-8B-Instruct", 1).Physics(),
		BlockTokens: 16, KVBlocks: 26_000, PrefixCaching: true,
		MaxNumSeqs: 256, MaxNumBatchedTokens: 2048,
	}
}

// Instance is a model of the catalogue on H100s. It panics if there is none of
// that name.
func Instance(model string, tensorParallelism int) latency.Instance {
	m, known := latency.Builtin().Model(model)
	gpu, ok := latency.Builtin().Accelerator("h100-sxm")
	if !known || !ok {
		panic(fmt.Sprintf("reference: the catalogue has no %s, or no h100-sxm", model))
	}
	return latency.Instance{Model: m, Accelerator: gpu, TensorParallelism: tensorParallelism}
}

// Clients are those of R.
func Clients(replicas int) []workload.Client { return manyClients(max(20, 5*replicas/4), replicas) }

func manyClients(n, replicas int) []workload.Client {
	shares := 0.0
	for i := range n {
		shares += 1 / float64(i+1)
	}
	var all []workload.Client
	for i := range n {
		rate := RatePerReplica * float64(replicas) / float64(i+1) / shares
		all = append(all, workload.Client{
			Name:         fmt.Sprint("client-", i),
			Arrivals:     workload.Arrivals{Process: workload.Poisson, RatePerSecond: rate},
			Input:        workload.Lengths{Distribution: stats.Normal{Mean: 256, StdDev: 100}, Min: 32, Max: 1024},
			Output:       workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 16, Max: 512},
			PrefixGroup:  fmt.Sprint("group-", i),
			PrefixTokens: 1024,
		})
	}
	return all
}

// profile is the EPP's: prefix 3, queue 2, KV 2, the highest score wins.
func profile() *config.Config {
	return load(`
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: prefix-cache-scorer
- type: queue-scorer
- type: kv-cache-utilization-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
  - {pluginRef: max-score-picker}
`)
}

// load reads an EPP's configuration.
func load(text string) *config.Config {
	config, errs := epp.Load([]byte(text), "", nil)
	if len(errs) > 0 {
		panic(fmt.Sprintf("reference: profile: %v", errs.ToAggregate()))
	}
	return config
}
