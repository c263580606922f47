// SPDX-License-Identifier: Apache-2.0

package stats

// Interval is a confidence interval of a mean.
type Interval struct {
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	StdDev float64 `json:"stdDev"`
	N      int     `json:"n"`
}

func MeanInterval(xs []float64, confidence float64) Interval       { return Interval{N: len(xs)} }
func PairedDifference(a, b []float64, confidence float64) Interval { return Interval{N: len(a)} }
func StudentT(confidence float64, degrees int) float64             { return 0 }
