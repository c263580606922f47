// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"syscall"
	"time"
)

// errStarved says that a compilation was cut off, and that the spec is not to blame: others were
// compiled meanwhile, or the manager had little processor time.
var errStarved = errors.New("the manager had too little processor time to compile the object")

// starvedDelay is how soon such a spec is compiled again.
const starvedDelay = 15 * time.Second

// starvedShare of the time of a compilation is the processor time with which the manager
// counts as starved. A manager at the CPU limit that config/manager sets gets all of it.
const starvedShare = 0.25

// processorTime is what the process has used of processors so far.
func processorTime() time.Duration {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil { // which fails for other arguments only
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
