// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/workload"

// ending is how a request ended that an engine had accepted.
type ending uint8

const (
	endCompleted ending = iota
	endUnfinished
	endFailed
	endEvicted
	endTimedOut
)

// String returns the ending as RequestEnd has it.
func (e ending) String() string {
	return [...]string{endCompleted: "completed", endUnfinished: "unfinished", endFailed: "failed", endEvicted: "rejected", endTimedOut: "timed out"}[e]
}

// heardAs is how clients see an end.
func (e ending) heardAs() workload.Ending {
	return [...]workload.Ending{endCompleted: workload.Completed, endFailed: workload.Failed, endEvicted: workload.Rejected, endTimedOut: workload.TimedOut}[e]
}
