// SPDX-License-Identifier: Apache-2.0

package benchmark

// Statistics sum up one figure.
type Statistics struct {
	Units  string   `json:"units"`
	Mean   float64  `json:"mean" min:"0"`
	Mode   *float64 `json:"mode,omitempty" min:"0"`
	StdDev *float64 `json:"stddev,omitempty" min:"0"`
	Quantiles
}

// Quantiles are the least value, percentiles such as P99P9 for 99.9 %, and the greatest
// value.
type Quantiles struct {
	Min   *float64 `json:"min,omitempty" min:"0"`
	P0P1  *float64 `json:"p0p1,omitempty" min:"0"`
	P1    *float64 `json:"p1,omitempty" min:"0"`
	P5    *float64 `json:"p5,omitempty" min:"0"`
	P10   *float64 `json:"p10,omitempty" min:"0"`
	P25   *float64 `json:"p25,omitempty" min:"0"`
	P50   *float64 `json:"p50,omitempty" min:"0"`
	P75   *float64 `json:"p75,omitempty" min:"0"`
	P90   *float64 `json:"p90,omitempty" min:"0"`
	P95   *float64 `json:"p95,omitempty" min:"0"`
	P99   *float64 `json:"p99,omitempty" min:"0"`
	P99P9 *float64 `json:"p99p9,omitempty" min:"0"`
	Max   *float64 `json:"max,omitempty" min:"0"`
}

// A quantile is the place of a value in Quantiles, and its share of the values below.
type quantile struct {
	share float64
	value **float64
}

// all are the quantiles, the least first.
func (q *Quantiles) all() []quantile {
	return []quantile{
		{0, &q.Min}, {0.001, &q.P0P1}, {0.01, &q.P1}, {0.05, &q.P5}, {0.1, &q.P10}, {0.25, &q.P25}, {0.5, &q.P50},
		{0.75, &q.P75}, {0.9, &q.P90}, {0.95, &q.P95}, {0.99, &q.P99}, {0.999, &q.P99P9}, {1, &q.Max},
	}
}

// Series is one figure over time.
type Series struct {
	Units  string   `json:"units"`
	Series []Sample `json:"series"`
}

// Sample is a figure at a time.
type Sample struct {
	TS string `json:"ts" format:"date-time"`
	// Value is a number, a text or a truth value.
	Value  any      `json:"value,omitempty" scalar:"required"`
	Mean   *float64 `json:"mean,omitempty" min:"0"`
	Mode   *float64 `json:"mode,omitempty" min:"0"`
	StdDev *float64 `json:"stddev,omitempty" min:"0"`
	Quantiles
}
