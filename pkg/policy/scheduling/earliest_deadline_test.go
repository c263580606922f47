// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestEarliestDeadlineServesThoseWithoutATargetLast(t *testing.T) {
	expectOrder(t, EarliestDeadline(), 2, 4, 0, 1, 3)
}
