// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestFCFSServesInOrderOfArrival(t *testing.T) {
	expectOrder(t, FCFS(), 0, 1, 2, 3, 4)
	expectVictim(t, FCFS(), waiting, 4)
}
