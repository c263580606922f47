// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns what tells, to any thread, the processor time of the thread that calls it.
func threadTime() func() time.Duration {
	// The clock of a thread: see clock_getcpuclockid(3) and the kernel's CPUCLOCK_PERTHREAD_MASK.
	id := int32(^unix.Gettid())<<3 | 6
	return func() time.Duration {
		var at unix.Timespec
		if unix.ClockGettime(id, &at) != nil { // which fails for threads that ended
			return 0
		}
		return time.Duration(at.Nano())
	}
}
