// SPDX-License-Identifier: Apache-2.0

package scheduling

import "windtunnel.dev/windtunnel/pkg/simtime"

// EarliestDeadline serves the request first whose first token is due first (EDF; Liu,
// Layland: Scheduling Algorithms for Multiprogramming in a Hard-Real-Time Environment,
// 1973). Requests without a TTFT target come last.
func EarliestDeadline() Scheduler {
	return Scheduler{Order: func(j Job) int64 {
		if j.Deadline == 0 {
			return int64(simtime.Never)
		}
		return int64(j.Deadline)
	}}
}
