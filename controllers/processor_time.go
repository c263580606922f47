// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"runtime"
	"time"
)

// within calls a function with a context that ends when the function has used a processor time, and
// returns the time that it used. The function may start no other goroutine that works for it.
func within(ctx context.Context, most time.Duration, call func(context.Context)) (used time.Duration, cut bool) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := threadTime()
	began, over, done := now(), make(chan bool, 1), make(chan struct{})
	go func() {
		looks := time.NewTicker(max(most/50, time.Millisecond)) //nolint:forbidigo // the limit is one of real time
		defer looks.Stop()
		for {
			select {
			case <-done:
				over <- false
				return
			case <-looks.C:
				if now()-began >= most {
					cancel()
					over <- true
					return
				}
			}
		}
	}()
	call(limited)
	close(done)
	return now() - began, <-over
}
