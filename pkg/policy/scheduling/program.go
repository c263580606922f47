// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// ProgramFactory returns schedulers that order the wait queue by the rank that a program of
// the layout [sandbox.SchedulerLayout] gives a request when it enters: the lowest comes
// first. Programs of all engines draw from one stream.
func ProgramFactory(code sandbox.Code, l *sandbox.Layout, seed int64, faults *policy.Faults) Factory {
	draw := stats.NewStream(seed, "sandbox/scheduler").Float64
	return func() Scheduler {
		caller := sandbox.NewCaller(code, l, 0, draw, faults)
		return Scheduler{Order: func(job Job) int64 {
			fillJob(caller.Frame.Scalars, &job)
			answer, ok := caller.Call()
			if !ok {
				return 0
			}
			return ordered(answer[0])
		}}
	}
}

// ordered maps numbers to whole numbers of the same order. Minus 0 is 0.
func ordered(x float64) int64 {
	bits := int64(math.Float64bits(x + 0))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

// fillJob fills in the fields of a job, in the layout's order.
func fillJob(cells []float64, job *Job) {
	cells[0] = float64(job.Turn)
	cells[1] = job.Arrival.Seconds()
	cells[2] = job.Deadline.Seconds()
	cells[3] = float64(job.Tenant)
	cells[4] = float64(job.Class)
	cells[5] = float64(job.Priority)
	cells[6] = float64(job.PromptTokens)
}
