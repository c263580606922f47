// SPDX-License-Identifier: Apache-2.0

package stats

import "math"

// DominantPeriod returns after how many steps a series repeats itself best: the lag, up
// to half of the series, with the greatest autocorrelation behind the first lag at which
// the autocorrelation is negative. It returns false where noise without a period may
// give as much: in 5 % of the series of white noise some autocorrelation is greater
// than the bound (Bartlett, 1946, with Bonferroni's correction for the lags).
func DominantPeriod(series []float64) (lag int, ok bool) {
	correlation := autocorrelation(series)
	if len(correlation) < 2 {
		return 0, false
	}
	best := normalQuantile(1-0.05/float64(len(correlation)-1)) / math.Sqrt(float64(len(series)))
	negative := false
	for i := 1; i < len(correlation); i++ {
		if negative = negative || correlation[i] < 0; negative && correlation[i] > best {
			best, lag = correlation[i], i
		}
	}
	return lag, lag > 0
}

// autocorrelation returns that of each lag up to half of a series; nil where the series
// has no variance.
func autocorrelation(series []float64) []float64 {
	if len(series) == 0 {
		return nil
	}
	mean := meanOf(series)
	covariance := make([]float64, len(series)/2+1)
	for lag := range covariance {
		for i := range len(series) - lag {
			covariance[lag] += float64((series[i] - mean) * (series[i+lag] - mean))
		}
	}
	variance := covariance[0]
	if variance == 0 {
		return nil
	}
	for lag := range covariance {
		covariance[lag] /= variance
	}
	return covariance
}
