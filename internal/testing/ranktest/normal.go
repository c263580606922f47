// SPDX-License-Identifier: Apache-2.0

package ranktest

import "math"

// upperNormalP returns the probability that a normal variate of that mean and
// variance is at least value, with half a step of continuity correction. Where
// the variance is 0 nothing was compared, and it is 1.
func upperNormalP(value, mean, variance, step float64) float64 {
	if !(variance > 0) {
		return 1
	}
	return 0.5 * math.Erfc((value-0.5*step-mean)/math.Sqrt(2*variance))
}
