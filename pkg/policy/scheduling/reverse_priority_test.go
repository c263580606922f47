// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestReversePriorityServesTheLeastImportantFirst(t *testing.T) {
	expectOrder(t, ReversePriority(), 1, 0, 4, 2, 3)
	expectVictim(t, ReversePriority(), waiting, 3)
}
