// SPDX-License-Identifier: Apache-2.0

package result

import "testing"

func TestIntervalsOfDurationsBeginAtZero(t *testing.T) {
	for name, test := range map[string]struct {
		unit    Unit
		x, want float64
	}{
		"a duration below 0": {Seconds, -1.8, 0},
		"a duration":         {Seconds, 1.8, 1.8},
		"a share below 0":    {Share, -0.1, -0.1},
		"a derived metric":   {Number, -3, -3},
	} {
		if got := test.unit.LowEnd(test.x); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}
