// SPDX-License-Identifier: Apache-2.0

package local

import (
	"runtime/debug"
	"testing"
)

func TestAStatedGOGCStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	t.Setenv("GOGC", "80")
	limitHeapGrowth(manySimulations, nil)
	limitHeapOfLists(manySimulations)
	if got := debug.SetGCPercent(80); got != 80 {
		t.Errorf("the heap grows by %d %%, want the stated 80 %%", got)
	}
	t.Setenv("GOGC", "")
	limitHeapGrowth(manySimulations, nil)
	if got := debug.SetGCPercent(80); got == 80 {
		t.Errorf("the heap grows by 80 %%, which nothing states")
	}
}
