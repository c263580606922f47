// SPDX-License-Identifier: Apache-2.0

package epp

// staticUsageLimit is static-usage-limit-policy: one ceiling for all.
type staticUsageLimit struct{ threshold float64 }

func (l staticUsageLimit) limit(_ float64, _ []int, ceilings []float64) {
	for i := range ceilings {
		ceilings[i] = l.threshold
	}
}
