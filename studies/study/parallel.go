// SPDX-License-Identifier: Apache-2.0

package study

import (
	"errors"
	"runtime"
	"sync"
)

// ForEach calls do once for each of n things, on all cores, and returns all
// errors.
func ForEach(n int, do func(i int) error) error {
	next := make(chan int)
	errs := make([]error, n)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(errs...)
}
