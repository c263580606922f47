// SPDX-License-Identifier: Apache-2.0

package policy

import "slices"

// An Idler is a router of which parts may turn out to be idle.
type Idler interface {
	// Idle names the scorers that gave all candidates of a request one score, and the
	// filters that kept all candidates, whenever they were asked, so far.
	Idle() []string
}

// IdleInAll are the names that all of several routers have.
func IdleInAll[R Idler](routers []R) []string {
	idle := routers[0].Idle()
	for _, r := range routers[1:] {
		also := r.Idle()
		idle = slices.DeleteFunc(idle, func(name string) bool { return !slices.Contains(also, name) })
	}
	return idle
}
