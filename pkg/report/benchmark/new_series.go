// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/result"
)

// mostPoints is how many points a figure over time has at most.
const mostPoints = 120

// timeline makes figures over time of lines. The points are the bins of the measured window, each
// with the mean over its time and over the runs.
type timeline struct {
	*result.Lines
	warmUp time.Duration
}

// timeline is nil where there are no series.
func (in *Input) timeline() *timeline {
	if in.Series == nil {
		return nil
	}
	s, err := result.MergeSeries(in.Series) // a copy
	if err != nil {
		return nil
	}
	for len(s.Lasted) > mostPoints {
		s.Widen()
	}
	return &timeline{s.Lines(), time.Duration(math.Round(in.WarmUpSeconds * 1e9))}
}

// series is a line; nil where nothing of it is known.
func (t *timeline) series(values result.LineValues, units string) *Series {
	s := &Series{Units: units}
	width := time.Duration(math.Round(t.BinSeconds * 1e9))
	for i, value := range values {
		if at := time.Duration(i)*width - t.warmUp; at >= 0 && !math.IsNaN(value) {
			s.Series = append(s.Series, Sample{TS: Epoch.Add(at).Format(time.RFC3339Nano), Mean: &value})
		}
	}
	if len(s.Series) == 0 {
		return nil
	}
	return s
}

// rate is a count of all pools for each second of a run.
func (t *timeline) rate(line string) result.LineValues {
	values := make(result.LineValues, len(t.BinsSeconds))
	for _, p := range t.Pools {
		for i, n := range p.Lines[line] {
			values[i] += n / t.BinsSeconds[i]
		}
	}
	return values
}

// requests are what requests got over time; nil where there are no series.
func (t *timeline) requests() *RequestTimeSeries {
	if t == nil {
		return nil
	}
	rates := &ThroughputSeries{RequestRate: t.series(t.rate("completed"), "queries/s"), InputTokenRate: t.series(t.rate("promptTokens"), "tokens/s")}
	if *rates == (ThroughputSeries{}) {
		return nil
	}
	return &RequestTimeSeries{Throughput: rates}
}

// resources are what a pool showed over time; nil where there are no series.
func (t *timeline) resources(pool string) *ResourceSeries {
	if t == nil {
		return nil
	}
	for i := range t.Pools {
		if lines := t.Pools[i].Lines; t.Pools[i].Name == pool {
			return &ResourceSeries{
				KVCacheUsage: t.series(lines["kvUsage"], "fraction"), PrefixCacheHitRate: t.series(lines["hitShare"], "fraction"),
				NumRequestsRunning: t.series(lines["running"], "count"), NumRequestsWaiting: t.series(lines["waiting"], "count"),
			}
		}
	}
	return nil
}
