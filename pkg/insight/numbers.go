// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"math"
	"strconv"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
)

// number writes three digits, and all digits of whole numbers.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	if math.Abs(x) >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// seconds writes a time in ms or s.
func seconds(x float64) string {
	if x < 1 {
		return number(math.Round(x*1e5)/100) + " ms"
	}
	return number(x) + " s"
}

func percent(share float64) string { return figure.Percent(share) }

// Numbers lists the values of the anomaly.
func (a *Anomaly) Numbers() string {
	var parts []string
	for _, v := range a.Values {
		parts = append(parts, v.Name+" "+number(v.Number))
	}
	return strings.Join(parts, ", ")
}

// round keeps two decimals.
func round(x float64) float64 { return math.Round(x*100) / 100 }
