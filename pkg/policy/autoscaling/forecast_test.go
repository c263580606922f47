// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"testing"
)

// Holt-Winters follows a line with a season exactly once it has learnt both.
func TestHoltWintersLearnsALineAndASeason(t *testing.T) {
	h := &holtWinters{alpha: 0.3, beta: 0.1, gamma: 0.3, season: make([]float64, 4)}
	rate := func(step int) float64 { return 100 + 0.5*float64(step) + []float64{0, 10, -5, -5}[step%4] }
	for step := range 400 {
		h.observe(rate(step))
	}
	for ahead := 1; ahead <= 9; ahead++ {
		got, _ := h.ahead(ahead)
		if want := rate(399 + ahead); math.Abs(got-want) > 0.01 {
			t.Errorf("%d steps ahead: %g, want %g", ahead, got, want)
		}
	}
}
