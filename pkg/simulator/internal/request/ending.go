// SPDX-License-Identifier: Apache-2.0

package request

import "windtunnel.dev/windtunnel/pkg/workload"

// Ending is how a request ended that an engine had accepted.
type Ending uint8

// The endings.
const (
	EndCompleted Ending = iota
	EndUnfinished
	EndFailed
	EndEvicted
	EndTimedOut
)

// String returns the ending as RequestEnd has it.
func (e Ending) String() string {
	return [...]string{EndCompleted: "completed", EndUnfinished: "unfinished", EndFailed: "failed", EndEvicted: "rejected", EndTimedOut: "timed out"}[e]
}

// HeardAs is how clients see an end.
func (e Ending) HeardAs() workload.Ending {
	return [...]workload.Ending{EndCompleted: workload.Completed, EndFailed: workload.Failed, EndEvicted: workload.Rejected, EndTimedOut: workload.TimedOut}[e]
}
