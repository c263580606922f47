// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// lengths says below how many tokens a share of the requests lies.
type lengths = func(share float64) float64

func constant(tokens float64) lengths { return func(float64) float64 { return tokens } }

// uniform spreads lengths evenly.
func uniform(least, most float64) lengths {
	return stats.Quantiles{{Share: 0, Value: least}, {Share: 1, Value: most}}.At
}

// sampled are lengths that were measured of each request.
func sampled(tokens []float64) lengths {
	sorted := slices.Sorted(slices.Values(tokens))
	return func(share float64) float64 {
		return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
	}
}

// quantiles are the lengths below which shares of the requests lie.
type quantiles struct{ stats.Quantiles }

// add adds a length in order of shares. One below that before it is passed over: a file may
// hold such.
func (q *quantiles) add(share, value float64) {
	n := len(q.Quantiles)
	if !math.IsNaN(value) && (n == 0 || value >= q.Quantiles[n-1].Value && share > q.Quantiles[n-1].Share) {
		q.Quantiles = append(q.Quantiles, stats.Quantile{Share: share, Value: value})
	}
}
