// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"
)

// A spec in the slow lane yields the processor to all others, and no thread of others has that priority
// afterwards. The kernel says 20 − niceness.
func TestTheSlowLaneHasALowPriority(t *testing.T) {
	priority := func() int {
		p, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			t.Error(err)
		}
		return p
	}
	l := newSlowLane(time.Second, time.Second, clock.RealClock{})
	before, inLane := priority(), make(chan int, 1)
	l.ask(t.Context(), inNamespace("a", "team-a", 1), func(context.Context) compilation {
		inLane <- priority()
		return compilation{}
	})
	if got, want := <-inLane, max(before-laneNiceness, 1); got > want {
		t.Errorf("a spec in the lane has the priority %d, and others %d; want at most %d", got, before, want)
	}
	for range 50 {
		others := make(chan int)
		go func() { others <- priority() }()
		if got := <-others; got < before {
			t.Fatalf("a goroutine beside the lane has the priority %d, want %d", got, before)
		}
	}
}
