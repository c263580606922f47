// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"slices"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ranksOf is how many endpoints a replica of a pool is.
func ranksOf(pool *v1alpha1.Pool) int { return max(1, int(pool.DataParallelism)) }

// places is how many endpoints a pool of a scenario has at most: one for each rank of each
// replica.
func places(in *v1alpha1.Scenario, pool *v1alpha1.Pool) int {
	n := int(pool.Replicas)
	if s := scalerOf(in, pool.Name); s != nil {
		_, most := replicaBounds(s)
		n = max(n, most)
	}
	return n * ranksOf(pool)
}

// Ports is how many endpoints of a router a pool has at most: ranks behind one port are one.
func Ports(in *v1alpha1.Scenario, pool *v1alpha1.Pool) int {
	n := places(in, pool)
	if pool.DataParallelBalancing == v1alpha1.InternalBalancing {
		n /= ranksOf(pool)
	}
	return n
}

// AllPlaces is how many endpoints a scenario has.
func AllPlaces(in *v1alpha1.Scenario) int {
	n := 0
	for i := range in.Pools {
		n += places(in, &in.Pools[i])
	}
	return n
}

// scalerOf is the scaler of a pool; nil where nothing scales it.
func scalerOf(in *v1alpha1.Scenario, pool string) *v1alpha1.Scaler {
	for i := range in.Scalers {
		if slices.Contains(in.Scalers[i].Pools, pool) {
			return &in.Scalers[i]
		}
	}
	return nil
}
