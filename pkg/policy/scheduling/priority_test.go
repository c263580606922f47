// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"
	"testing"
)

func TestPriorityServesTheMostImportantFirst(t *testing.T) {
	expectOrder(t, Priority{}, 2, 3, 0, 4, 1)
	if !(Priority{}).PreemptsByRank() {
		t.Error("the least important request must be the one that gives way")
	}
}

func TestPrioritiesAtTheEndsOfTheirRangeKeepTheirOrder(t *testing.T) {
	least, most := Job{Priority: math.MinInt32}, Job{Priority: math.MaxInt32}
	if (Priority{}).Rank(most) >= (Priority{}).Rank(least) {
		t.Error("the greatest priority does not come first")
	}
}
