// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// meanText is the mean of a metric over whole simulations, with half the width of its interval.
func meanText(m result.Measure, rows []result.Row) string {
	var xs []float64
	for i := range rows {
		if x, ok := m.Value(&rows[i]); ok && rows[i].Share == 1 {
			xs = append(xs, x)
		}
	}
	switch mean := stats.MeanInterval(xs, result.Confidence); mean.N {
	case 0:
		return "–"
	case 1:
		return figureText(m, mean.Mean)
	default:
		return figureText(m, mean.Mean) + " ± " + figureText(m, mean.High-mean.Mean)
	}
}
