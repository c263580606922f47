// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"math"
	"testing"
)

func TestADrainOfAnyLengthEnds(t *testing.T) {
	c := smallConfig()
	c.Horizon.Drain = math.MaxInt64
	if sum := simulate(t, c); sum.Completed != 2 {
		t.Errorf("%d completed, want 2", sum.Completed)
	}
}
