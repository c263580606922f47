// SPDX-License-Identifier: Apache-2.0

package stats

// A Quantile is the value below which a share of all lies.
type Quantile struct{ Share, Value float64 }

// Quantiles are some quantiles in order of their shares: the values between two are spread
// evenly.
type Quantiles []Quantile

// At returns the value at a share from 0 to 1.
func (q Quantiles) At(share float64) float64 {
	if share <= q[0].Share {
		return q[0].Value
	}
	for i := 1; i < len(q); i++ {
		if low, high := q[i-1], q[i]; share <= high.Share {
			return low.Value + (high.Value-low.Value)*(share-low.Share)/(high.Share-low.Share)
		}
	}
	return q[len(q)-1].Value
}
