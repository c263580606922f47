// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Preempting is R with short prompts and answers of 768 ± 200 tokens, on replicas with 6000 blocks:
// they fill while 256 requests decode, and a request is preempted three times on average.
func Preempting(requests, replicas int, seed int64) simulator.Config {
	cfg := onReplicas(replicas, seed)
	all := Clients(replicas)
	for i := range all {
		all[i].PrefixTokens = 64
		all[i].Input = workload.Lengths{Distribution: stats.Normal{Mean: 128, StdDev: 50}, Min: 32, Max: 256}
		all[i].Output = workload.Lengths{Distribution: stats.Normal{Mean: 768, StdDev: 200}, Min: 256, Max: 1536}
	}
	cfg.Source = workload.NewClients(all, seed)
	cfg.Horizon.Requests = requests
	cfg.Pools[0].KVBlocks = 6000
	return cfg
}

// Congested is Disaggregated with 250 blocks in each decode replica, which are too few: prompts that
// are computed wait in the prefill replicas until there is room for them.
func Congested(requests, replicas int, seed int64) simulator.Config {
	cfg := Disaggregated(requests, replicas, seed)
	cfg.Pools[1].KVBlocks = 250
	return cfg
}
