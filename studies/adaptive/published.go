// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"math"

	"windtunnel.dev/windtunnel/studies/study"
)

// A published figure is of the experiment of inference-sim (2026), at 2000 requests per
// second and with 2000 requests: the greatest P99 of the time to first token of any
// replica, P99 over all requests, both in ms, and the share that completed. What is not
// known is 0.
type published struct {
	configuration
	worst, all, completed float64
	seeds                 int
}

var publishedFigures = []published{
	{fixed("4", "3"), 131.8, 118.1, 0.6927, 2},
	{fixed("4", "3"), 140.9, 117.2, 0.698, 3},
	{fixed("3", "2"), 162.2, 123.3, 0.690, 3},
	{fixed("2", "3"), 143.9, 117.1, 0.702, 3},
	{fixed("5", "3"), 174.4, 148.2, 0.594, 3},
	{fixed("4", "2"), 4556, 4556, 0.327, 2},
	{roundRobin, 462.8, 445.5, 1, 3},
	{admitting(fixed("4", "2")), 14772, 14772, 1, 3},
}

// publishedSweep are the published figures of ratios, by seed, of one replica: ms and
// requests that completed, of 2000.
var publishedSweep = []struct {
	prefix    string // with the load weight 1
	worst     [2]float64
	completed [2]float64
}{
	{"1.3333", [2]float64{120, 144}, [2]float64{1400, 1371}},
	{"1.5", [2]float64{158, 169}, [2]float64{1361, 1385}},
	{"1.6", [2]float64{145, 118}, [2]float64{1385, 1339}},
	{"1.7", [2]float64{334, 164}, [2]float64{1124, 1193}},
	{"1.8", [2]float64{241, 234}, [2]float64{845, 993}},
	{"1.9", [2]float64{351, 479}, [2]float64{670, 730}},
	{"1.95", [2]float64{1925, 1027}, [2]float64{654, 644}},
	{"2", [2]float64{4530, 4582}, [2]float64{654, 644}},
}

// compared is a published figure and what it is here.
type compared struct {
	published
	here *measured
}

// within reports whether the mean of a metric is within a share of a published value.
func (c *compared) within(metric string, value, share float64) bool {
	return math.Abs(c.here.mean(metric)/value-1) <= share
}

func (f *findings) comparePublished(ctx context.Context) error {
	seeds := many(f.publishedSeeds)
	for _, p := range publishedFigures {
		here, err := measure(ctx, f.hot, seeds, p.edit, atRate(2000), after(2000))
		if err != nil {
			return err
		}
		f.published = append(f.published, compared{p, here})
	}
	for _, p := range publishedSweep {
		here, err := measure(ctx, f.hot, seeds, fixed(p.prefix, "1").edit, atRate(2000), after(2000))
		if err != nil {
			return err
		}
		f.publishedRatios = append(f.publishedRatios, here)
	}
	return nil
}

// many is a number of seeds.
func many(n int) []int64 {
	var seeds []int64
	for i := range n {
		seeds = append(seeds, int64(i+1))
	}
	return seeds
}

func (f *findings) publishedTable() *study.Table {
	t := &study.Table{Titles: []string{
		"weights", "worst replica's TTFT P99: published", "here", "P99 over all requests: published", "here", "completed: published", "here",
	}}
	for i := range f.published {
		p := &f.published[i]
		t.Add(p.name, fmt.Sprintf("%s ms, %d seeds", decimal(p.worst), p.seeds), milliseconds(p.here, "maxReplica.ttft.p99"),
			fmt.Sprintf("%s ms", decimal(p.all)), milliseconds(p.here, "ttft.p99"),
			fmt.Sprintf("%.1f %%", 100*p.completed), percent(p.here, "completionRate"))
	}
	return t
}

func (f *findings) ratiosTable() *study.Table {
	t := &study.Table{Titles: []string{"prefix/load", "worst replica's TTFT P99: published, two seeds", "here", "completed: published", "here"}}
	for i, p := range publishedSweep {
		here := f.publishedRatios[i]
		t.Add(p.prefix, fmt.Sprintf("%g, %g ms", p.worst[0], p.worst[1]), milliseconds(here, "maxReplica.ttft.p99"),
			fmt.Sprintf("%.1f, %.1f %%", p.completed[0]/20, p.completed[1]/20), percent(here, "completionRate"))
	}
	return t
}
