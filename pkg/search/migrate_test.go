// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An elite goes to the next island, and no further, in each exchange. It takes the cell of
// a worse one only.
func TestElitesMigrateInARing(t *testing.T) {
	elite := func(cell int, loss float64) Elite {
		return Elite{[]int{cell}, Trial{Samples: [][]float64{{loss}}}}
	}
	islands := []*island{newIsland(), newIsland(), newIsland()}
	for cell := range 5 {
		islands[0].keep(elite(cell, float64(10-cell)))
	}
	islands[1].keep(elite(4, 5))
	islands[1].keep(elite(3, 100))
	migrate(islands)
	var got []string
	for i, l := range islands {
		for _, e := range l.elites {
			got = append(got, fmt.Sprint(i, e.Cell, e.Trial.Losses()[0]))
		}
	}
	want := []string{"0 [0] 10", "0 [1] 9", "0 [2] 8", "0 [3] 7", "0 [4] 6", "1 [4] 5", "1 [3] 7", "1 [2] 8", "2 [4] 5", "2 [3] 100"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elites of islands (−want +got):\n%s", diff)
	}
}
