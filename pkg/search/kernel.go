// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// kernel says how alike the outcomes of two points of the unit cube are: the
// Matérn kernel of smoothness 5/2 with a length for each coordinate, 1 where
// the points are the same (Rasmussen, Williams: Gaussian Processes for Machine
// Learning, 2006, equation 4.17).
//
// Labels of a choice are at distance 1 from each other. A parameter that does
// not exist at a point counts as in the middle of its axis: that it is missing,
// its condition's parameter already tells.
type kernel struct {
	choice  []bool    // by coordinate
	lengths []float64 // by coordinate
}

func (k kernel) at(x, y []float64) float64 {
	square := 0.
	for i, length := range k.lengths {
		var d float64
		if k.choice[i] {
			if x[i] != y[i] && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
				d = 1 / length
			}
		} else {
			d = (middleIfMissing(x[i]) - middleIfMissing(y[i])) / length
		}
		square += float64(d * d)
	}
	r := math.Sqrt(float64(5 * square))
	return float64((1 + r + float64(r*r)/3) * stats.Exp(-r))
}

func middleIfMissing(x float64) float64 {
	if math.IsNaN(x) {
		return 0.5
	}
	return x
}
