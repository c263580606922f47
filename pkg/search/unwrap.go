// SPDX-License-Identifier: Apache-2.0

package search

// As finds what an algorithm reports in addition to its proposals, through whatever is
// wrapped around it, by an interface such as
//
//	interface{ Rungs() []Rung }       // SuccessiveHalving, Hyperband
//	interface{ Elites() []Elite }     // MAPElites
//	interface{ Brackets() []Bracket } // Capacity
//
// An algorithm around another one returns that by a method Unwrap.
func As[T any](a Algorithm) (reporter T, ok bool) {
	for {
		if reporter, ok = a.(T); ok {
			return reporter, true
		}
		around, wraps := a.(interface{ Unwrap() Algorithm })
		if !wraps {
			return reporter, false
		}
		a = around.Unwrap()
	}
}
