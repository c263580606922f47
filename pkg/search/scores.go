// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// scores are what a model sees of trials, less being better: of the better half
// by how much they differ, of the others their ranks alone, so that losses far
// off do not hide what tells the best apart (the half-rank warping of Song et
// al.: The Vizier Gaussian Process Bandit Algorithm, 2024, with logistic in
// place of normal scores). Trials that are infeasible or failed count among the
// others, in the order of [order]. Scores have mean 0 and deviation 1; all are
// 0 where all trials are equal.
func scores(trials []Trial) []float64 {
	ranked := order(trials)
	good := betterHalf(trials, ranked)
	s := make([]float64, len(trials))
	n := float64(len(trials))
	base := 0.
	if good > 0 && good < len(ranked) {
		base = logit(float64(good) / n)
	}
	for place := good; place < len(ranked); place++ {
		i := ranked[place]
		s[i] = logit((float64(place)+0.5)/n) - base
		if place > good && compare(&trials[ranked[place-1]], &trials[i]) == 0 {
			s[i] = s[ranked[place-1]]
		}
	}
	belowMiddle(s, trials, ranked[:good])
	standardise(s)
	return s
}

// betterHalf counts the trials of the better half that succeeded and are
// feasible, and those that are as good as the last of them.
func betterHalf(trials []Trial, ranked []int) int {
	good := 0
	for place, i := range ranked {
		t := &trials[i]
		if t.Failed() || t.Excess > 0 {
			break
		}
		if place >= (len(ranked)+1)/2 && compare(&trials[ranked[place-1]], t) != 0 {
			break
		}
		good++
	}
	return good
}

// belowMiddle scores the better half by the distance to its worst, which is 0,
// in units of their root mean square.
func belowMiddle(s []float64, trials []Trial, good []int) {
	largest := 0. // keeps squares from overflowing
	for _, i := range good {
		s[i] = trials[i].Losses()[0]
		largest = math.Max(largest, math.Abs(s[i]))
	}
	if largest == 0 {
		return
	}
	middle, squares := s[good[len(good)-1]]/largest, 0.
	for _, i := range good {
		s[i] = s[i]/largest - middle
		squares += float64(s[i] * s[i])
	}
	if unit := math.Sqrt(squares / float64(len(good))); unit > 0 {
		for _, i := range good {
			s[i] /= unit
		}
	}
}

// logit is the quantile of the logistic distribution of deviation 1.
func logit(p float64) float64 {
	const unit = math.Pi / 1.7320508075688772
	return stats.Log(p/(1-p)) / unit
}

func standardise(xs []float64) {
	if slices.Min(xs) == slices.Max(xs) {
		clear(xs)
		return
	}
	mean, squares, n := 0., 0., float64(len(xs))
	for _, x := range xs {
		mean += x / n
	}
	for i, x := range xs {
		xs[i] = x - mean
		squares += float64(xs[i] * xs[i])
	}
	unit := math.Sqrt(squares / n)
	for i := range xs {
		xs[i] /= unit
	}
}
