// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
	"windtunnel.dev/windtunnel/studies/study"
)

// counts are how many seeds are drawn.
var counts = []int{3, 5, 10, 30}

// resamples are those of a bootstrap.
const resamples = 1000

// pairing tells what common seeds are worth: how much the spread of a difference
// shrinks.
func (p *pool) pairing() string {
	spread := func(xs []float64) float64 { return stats.MeanInterval(xs, 0.95).StdDev }
	a, b := p.values[p.best], p.values[p.base]
	paired := spread(stats.Differences(a, b))
	apart := math.Hypot(spread(a), spread(b))
	return fmt.Sprintf("Best %.4g s, baseline %.4g s under all seeds, standard deviation over seeds %.3g and %.3g s; of the difference %.3g s paired, %.3g s apart: %.2f times the seeds for the same precision.",
		p.truth(p.best), p.truth(p.base), spread(a), spread(b), paired, apart, apart*apart/(paired*paired))
}

// coverage tells how often intervals at 95 % of a few seeds hold the truth.
func (p *pool) coverage() string {
	t := study.Table{Titles: []string{"seeds", "t, baseline", "BCa, baseline", "t, difference", "BCa, difference"}}
	difference := stats.Differences(p.values[p.best], p.values[p.base])
	truth := [2]float64{p.truth(p.base), stats.MeanInterval(difference, 0.95).Mean}
	for _, n := range counts {
		var held [4]int
		stream := stats.NewStream(1, fmt.Sprintf("statistics/bootstrap/%d", n))
		p.draw("coverage", n, func(seeds []int) {
			base := p.at(p.base, seeds)
			for i, xs := range [][]float64{base, stats.Differences(p.at(p.best, seeds), base)} {
				of := func(in stats.Interval) int {
					if in.Low <= truth[i] && truth[i] <= in.High {
						return 1
					}
					return 0
				}
				held[2*i] += of(stats.MeanInterval(xs, 0.95))
				held[2*i+1] += of(bootstrapInterval(xs, average, 0.95, resamples, stream))
			}
		})
		t.Add(fmt.Sprint(n), p.percent(held[0]), p.percent(held[1]), p.percent(held[2]), p.percent(held[3]))
	}
	return "Intervals at 95 % that hold the truth:\n\n" + t.String()
}

func average(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// gates tells how often claims at 95 % are judged wrongly that are false by a
// hair: the bound is the truth itself.
func (p *pool) gates() string {
	t := study.Table{Titles: []string{"seeds", "at most, passes", "at least, passes", "at most the baseline's share, passes", "not decided"}}
	ratio := p.truth(p.best)/p.truth(p.base) - 1
	measure := result.Of(result.MustParseMetric("ttft.mean")) // whatever the values are of
	for _, n := range counts {
		var passed [3]int
		undecided := 0
		p.draw("gates", n, func(seeds []int) {
			best, base := rows(p.at(p.best, seeds)), rows(p.at(p.base, seeds))
			for i, g := range []result.Gate{
				{Measure: measure, Operator: result.AtMost, Bound: p.truth(p.best), Confidence: 0.95},
				{Measure: measure, Operator: result.AtLeast, Bound: p.truth(p.best), Confidence: 0.95},
				{Measure: measure, Operator: result.AtMost, Bound: ratio, Relative: true, Confidence: 0.95},
			} {
				switch g.Judge(best, base).Verdict {
				case verdict.Pass:
					passed[i]++
				case verdict.Undecided:
					if i == 0 {
						undecided++
					}
				}
			}
		})
		t.Add(fmt.Sprint(n), p.percent(passed[0]), p.percent(passed[1]), p.percent(passed[2]), p.percent(undecided))
	}
	return "Gates at 95 % whose bound is the truth:\n\n" + t.String()
}

func rows(xs []float64) []result.Row {
	all := make([]result.Row, len(xs))
	for i, x := range xs {
		all[i] = result.Row{Key: "k", Seed: int64(i), Share: 1, Metrics: result.NewMetrics(map[string]float64{"ttft.mean": x})}
	}
	return all
}

// winners tells how much better the best of all points looks than it is.
func (p *pool) winners() string {
	t := study.Table{Titles: []string{"seeds", "as it was chosen", "under fresh seeds", "best indeed"}}
	for _, n := range counts {
		chosen, fresh, right := 0.0, 0.0, 0
		p.draw("winners", 2*n, func(seeds []int) {
			winner := 0
			mean := func(point int) float64 { return average(p.at(point, seeds[:n])) }
			for point := range p.values {
				if mean(point) < mean(winner) {
					winner = point
				}
			}
			truth := p.truth(winner)
			chosen += mean(winner)/truth - 1
			fresh += average(p.at(winner, seeds[n:]))/truth - 1
			if winner == p.best {
				right++
			}
		})
		t.Add(fmt.Sprint(n), change(chosen/float64(p.draws)), change(fresh/float64(p.draws)), p.percent(right))
	}
	return fmt.Sprintf("The best of %d points by a few seeds, against what it is under all:\n\n%s", len(p.values), t.String())
}

func (p *pool) percent(n int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(p.draws)) }

func change(x float64) string { return fmt.Sprintf("%+.2f %%", 100*x) }
