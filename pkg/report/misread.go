// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"

	"windtunnel.dev/windtunnel/pkg/result"
)

const (
	// busyFrom is the utilization from which people take replicas for full.
	busyFrom = 0.5
	// roomBelow is the share of KV blocks in use below which people take evictions for an error.
	roomBelow = 0.5
)

// misread explains figures of the table that seem to contradict each other; empty where none do.
func (r runTable) misread() string {
	of := func(name string) float64 { return r.estimate(result.MustParseMetric(name)).Mean }
	var notes []string
	if of("utilization") >= busyFrom && of("kvUsage.mean") < roomBelow {
		notes = append(notes, "utilization is the time in which a replica computes a step, and a step of one request counts as one of a full batch: it does not say how much more load fits. queueing and kvUsage show that")
	}
	if of("evictions") > 0 && of("kvUsage.mean") < roomBelow {
		notes = append(notes, "kvUsage counts the KV blocks of requests in work. Blocks of finished requests stay as cache until others need the room: evictions counts those that went, which costs hits, not capacity")
	}
	return strings.Join(notes, ". ")
}
