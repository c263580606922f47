// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestFCFSServesInOrderOfArrival(t *testing.T) {
	expectOrder(t, FCFS{}, 0, 1, 2, 3, 4)
	if (FCFS{}).PreemptsByRank() {
		t.Error("all ranks are equal: there is none to preempt by")
	}
}
