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

// ScaledTo returns the values scaled to a mean: what is spread evenly between the quantiles of
// a skewed distribution has another one.
func (q Quantiles) ScaledTo(mean float64) func(share float64) float64 {
	const steps = 1000
	sum := 0.0
	for i := range steps {
		sum += q.At((float64(i) + 0.5) / steps)
	}
	if sum == 0 {
		return func(float64) float64 { return mean }
	}
	factor := mean / (sum / steps)
	return func(share float64) float64 { return q.At(share) * factor }
}
