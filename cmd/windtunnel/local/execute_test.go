// SPDX-License-Identifier: Apache-2.0

package local

import "testing"

// Rows of many simulations fill the heap, and after the last one lists of them.
func TestManyRowsLimitTheGrowthOfTheHeap(t *testing.T) {
	for _, tc := range []struct{ simulations, rows, lists int }{
		{1, 100, 100}, {manySimulations - 1, 100, 100}, {manySimulations, 50, 20},
	} {
		if got := growthOfRows(tc.simulations, nil); got != tc.rows {
			t.Errorf("%d simulations: the heap grows by %d %%, want %d %%", tc.simulations, got, tc.rows)
		}
		if got := growthOfLists(tc.simulations); got != tc.lists {
			t.Errorf("lists of %d simulations: the heap grows by %d %%, want %d %%", tc.simulations, got, tc.lists)
		}
	}
}
