// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"math"
	"testing"
)

func TestPriorityServesTheMostImportantFirst(t *testing.T) {
	expectOrder(t, Priority(), 2, 3, 0, 4, 1)
	expectVictim(t, Priority(), waiting, 1)
}

func TestPrioritiesAtTheEndsOfTheirRangeKeepTheirOrder(t *testing.T) {
	s := Priority()
	if s.Order(Job{Priority: math.MaxInt32}) >= s.Order(Job{Priority: math.MinInt32}) {
		t.Error("the greatest priority does not come first")
	}
}
