// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"testing"
)

func TestJainsIndex(t *testing.T) {
	for name, tc := range map[string]struct {
		xs   []float64
		want float64
	}{
		"all equal":            {[]float64{3, 3, 3}, 1},
		"one of four has all":  {[]float64{0, 8, 0, 0}, 0.25},
		"one and two":          {[]float64{1, 2}, 0.9},
		"equal halves of four": {[]float64{1, 1, 0, 0}, 0.5},
	} {
		if got := jain(tc.xs); got == nil || math.Abs(*got-tc.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	if got := jain([]float64{0, 0}); got != nil {
		t.Errorf("nothing for all: %v", *got)
	}
}
