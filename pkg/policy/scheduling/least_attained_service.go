// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// LeastAttainedService serves the tenant first that has got the fewest tokens since the
// engine's start. A tenant that comes late is served alone until it has got as much as
// the others: that is what sets it apart from WeightedFair.
func LeastAttainedService() Scheduler {
	service := &Service{}
	return Scheduler{Moving: leastAttained{service}, Service: service}
}

type leastAttained struct{ service *Service }

func (l leastAttained) Rank(j Job, _ simtime.Time) float64 {
	return float64(l.service.Served(j.Tenant))
}

func (leastAttained) Group(j Job) int32 { return int32(j.Tenant) }
