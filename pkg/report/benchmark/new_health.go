// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"fmt"
	"maps"
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// health has what the scenario makes fail before the last request ends. Nothing else
// fails in a simulation.
func (in *Input) health() []ComponentHealth {
	var all []ComponentHealth
	for i := range in.Scenario.Pools {
		name := in.Scenario.Pools[i].Name
		replicas := map[int32]*ReplicaHealth{}
		for _, d := range in.Scenario.Disruptions {
			if d.Pool != name || d.At.Duration().Seconds() > in.Requests.end {
				continue
			}
			switch of := replicas[d.Replica]; {
			case d.Kind == v1alpha1.FailDisruption && of == nil:
				replicas[d.Replica] = &ReplicaHealth{ReplicaID: fmt.Sprintf("%s/%d", name, d.Replica), Restarts: new(int64(0)), Healthy: new(false)}
			case d.Kind == v1alpha1.FailDisruption:
				*of.Healthy = false
			case d.Kind == v1alpha1.RecoverDisruption && of != nil:
				*of.Restarts, *of.Healthy = *of.Restarts+1, true
			}
		}
		if len(replicas) > 0 {
			all = append(all, healthOf(name, replicas))
		}
	}
	return all
}

func healthOf(name string, replicas map[int32]*ReplicaHealth) ComponentHealth {
	h := ComponentHealth{ComponentLabel: name, TotalRestarts: new(int64(0)), FailedReplicas: new(int64(len(replicas)))}
	for _, number := range slices.Sorted(maps.Keys(replicas)) {
		r := replicas[number]
		*h.TotalRestarts += *r.Restarts
		h.ReplicaHealth = append(h.ReplicaHealth, *r)
	}
	return h
}
