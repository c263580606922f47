// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"
)

// bucketCount is how many buckets there are at most, the one without an upper bound
// included.
const bucketCount = 24

// Buckets counts what a histogram of a metric observed, by bucket.
type Buckets [bucketCount]int64

// TimeToFirstTokenBounds and InterTokenLatencyBounds are the upper bounds of the buckets
// of vLLM's histograms, bounds included (vllm/v1/metrics/loggers.py of v0.11).
var (
	TimeToFirstTokenBounds = bounds(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
		20, 40, 80, 160, 640, 2560)
	InterTokenLatencyBounds = bounds(0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
		20, 40, 80)
)

func bounds(seconds ...float64) []time.Duration {
	all := make([]time.Duration, len(seconds))
	for i, s := range seconds {
		all[i] = time.Duration(math.Round(s * float64(time.Second)))
	}
	return all
}

// Observe counts n observations of a duration.
func (b *Buckets) Observe(bounds []time.Duration, d time.Duration, n int64) {
	at := 0 // most durations lie in the first buckets
	for at < len(bounds) && bounds[at] < d {
		at++
	}
	b[at] += n
}

// Quantile returns the q-quantile of the counts in seconds, as Prometheus estimates it:
// linear within a bucket, and the greatest bound where it lies beyond. ok is false where
// nothing was counted.
func (b *Buckets) Quantile(bounds []time.Duration, q float64) (seconds float64, ok bool) {
	total := int64(0)
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0, false
	}
	rank, below := float64(q*float64(total)), int64(0)
	for i, upper := range bounds {
		if n := b[i]; n > 0 && float64(below+n) >= rank {
			lower := 0.0
			if i > 0 {
				lower = bounds[i-1].Seconds()
			}
			share := (rank - float64(below)) / float64(n)
			return lower + float64((upper.Seconds()-lower)*share), true
		}
		below += b[i]
	}
	return bounds[len(bounds)-1].Seconds(), true
}

// Minus returns the counts without those of an earlier time.
func (b Buckets) Minus(earlier *Buckets) Buckets {
	for i := range b {
		b[i] -= earlier[i]
	}
	return b
}

// Plus returns the counts of both.
func (b Buckets) Plus(other *Buckets) Buckets {
	for i := range b {
		b[i] += other[i]
	}
	return b
}
