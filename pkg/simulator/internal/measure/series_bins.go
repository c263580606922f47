// SPDX-License-Identifier: Apache-2.0

package measure

import "windtunnel.dev/windtunnel/pkg/simulator"

// seriesBins are the bins of all columns, in the order of time. What is written together
// stands side by side.
type seriesBins struct {
	rows   []seriesRow
	counts []seriesCounts
}

// seriesRow has the columns up to SeriesPresent of a bin, and then those from
// SeriesPromptTokens on.
type seriesRow [simulator.SeriesColumns - simulator.SeriesPromptTokens + simulator.SeriesArrived]int64

// seriesCounts has the columns from SeriesArrived to SeriesUnfinished of a bin. Those are
// written out of the order of time: the smaller they are, the more of them stay in a cache.
type seriesCounts [simulator.SeriesPromptTokens - simulator.SeriesArrived]uint32

func newSeriesBins(n int) *seriesBins {
	return &seriesBins{rows: make([]seriesRow, n), counts: make([]seriesCounts, n)}
}

// widen makes each two bins one.
func (b *seriesBins) widen() {
	n := len(b.rows)
	for i := range n / 2 {
		row, counts := &b.rows[i], &b.counts[i]
		*row, *counts = b.rows[2*i], b.counts[2*i]
		for k, x := range &b.rows[2*i+1] {
			row[k] += x
		}
		for k, x := range &b.counts[2*i+1] {
			counts[k] += x
		}
	}
	if n%2 == 1 {
		b.rows[n/2], b.counts[n/2] = b.rows[n-1], b.counts[n-1]
	}
	clear(b.rows[(n+1)/2:])
	clear(b.counts[(n+1)/2:])
}

// get returns a column of a bin.
func (b *seriesBins) get(bin int, k simulator.SeriesColumn) int64 {
	switch {
	case k < simulator.SeriesArrived:
		return b.rows[bin][k]
	case k < simulator.SeriesPromptTokens:
		return int64(b.counts[bin][k-simulator.SeriesArrived])
	}
	return b.rows[bin][k-simulator.SeriesPromptTokens+simulator.SeriesArrived]
}

// column returns a column of the first bins; nil where all are 0.
func (b *seriesBins) column(k simulator.SeriesColumn, bins int) []int64 {
	for i := range bins {
		if b.get(i, k) != 0 {
			column := make([]int64, bins)
			for ; i < bins; i++ {
				column[i] = b.get(i, k)
			}
			return column
		}
	}
	return nil
}
