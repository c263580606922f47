// SPDX-License-Identifier: Apache-2.0

package request

import (
	"testing"
)

// TestOnlyLegalTransitions: each phase follows exactly those that the table says.
func TestOnlyLegalTransitions(t *testing.T) {
	for from := range phaseCount {
		want := map[Phase]bool{}
		for _, to := range transitions[from] {
			want[to] = true
		}
		for to := range phaseCount {
			if got := moves(from, to); got != want[to] {
				t.Errorf("from %v to %v: allowed %v, want %v", from, to, got, want[to])
			}
		}
	}
}

func moves(from, to Phase) (allowed bool) {
	defer func() { allowed = recover() == nil }()
	q := &Request{phase: from}
	q.MoveTo(to)
	return true
}
