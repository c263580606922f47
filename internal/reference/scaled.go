// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Scaled is R with a scaler that looks at its queues every 15 s, and keeps all replicas.
func Scaled(requests, replicas int, seed int64) simulator.Config {
	cfg := R(requests, replicas, seed)
	const every = 15 * time.Second
	world := autoscaling.World{
		Pools: []autoscaling.PoolBounds{{Name: "pool", Min: replicas, Max: replicas}}, ScrapeInterval: every,
	}
	policy, errs := autoscaling.Load(autoscaling.Spec{Name: "queue-length"}, world, nil)
	if len(errs) > 0 {
		panic(errs.ToAggregate())
	}
	cfg.Scaling = []simulator.ScaledUnit{{
		Name: "queues", Pools: []int{0}, Min: []int{replicas}, Max: []int{replicas}, Scaler: policy.New(), Interval: every,
		Monitor: autoscaling.NewMonitor(replicas, every, 0, policy.Window),
	}}
	return cfg
}
