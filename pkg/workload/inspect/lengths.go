// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// lengths are how many requests have a length in tokens.
type lengths map[int32]int

// describe adds to the statistics of the lengths their mode and their distribution.
func (l lengths) describe(s trace.LengthStatistics) Lengths {
	of := Lengths{Mean: s.Mean, Min: s.Min, P50: s.P50, P90: s.P90, P99: s.P99, Max: s.Max}
	total, up := 0, 0
	for _, n := range l {
		total += n
	}
	power := 1
	for _, length := range slices.Sorted(maps.Keys(l)) {
		for ; int(length) > power; power *= 2 {
			of.CDF = append(of.CDF, LengthShare{Tokens: power, Share: float64(up) / float64(total)})
		}
		up += l[length]
		if share := float64(l[length]) / float64(total); share > of.MostFrequentShare {
			of.MostFrequent, of.MostFrequentShare = int(length), share
		}
	}
	of.CDF = append(of.CDF, LengthShare{Tokens: power, Share: 1})
	for len(of.CDF) > 1 && of.CDF[0].Share == 0 && of.CDF[1].Share == 0 {
		of.CDF = of.CDF[1:]
	}
	return of
}

// correlation is Pearson's of pairs, by the recurrence of Welford (Technometrics 1962).
type correlation struct {
	n                    float64
	meanX, meanY         float64
	squareX, squareY, xy float64
}

func (c *correlation) add(x, y float64) {
	c.n++
	dx, dy := x-c.meanX, y-c.meanY
	c.meanX += dx / c.n
	c.meanY += dy / c.n
	c.squareX += float64(dx * (x - c.meanX))
	c.squareY += float64(dy * (y - c.meanY))
	c.xy += float64(dx * (y - c.meanY))
}

// pearson returns the correlation; 0 where one of the two does not vary.
func (c *correlation) pearson() float64 {
	if !(c.squareX > 0 && c.squareY > 0) {
		return 0
	}
	return c.xy / math.Sqrt(float64(c.squareX*c.squareY))
}

// counts are how many requests have a label, by its index; -1 is none.
type counts map[int]int

const mostShares = 10

// shares returns the most frequent names; none where all requests have the same.
func (c counts) shares(names []string, requests int) []Share {
	if len(c) < 2 {
		return nil
	}
	var all []Share
	for _, index := range slices.Sorted(maps.Keys(c)) {
		name := "(none)"
		if index >= 0 {
			name = names[index]
		}
		all = append(all, Share{Name: name, Requests: c[index], Share: float64(c[index]) / float64(requests)})
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Requests, a.Requests) })
	return all[:min(len(all), mostShares)]
}
