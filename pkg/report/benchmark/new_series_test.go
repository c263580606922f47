// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Figures over time begin with the measured window, and say nothing of what is not known.
func TestAReportHasFiguresOverTime(t *testing.T) {
	in := candidate(t)
	in.WarmUpSeconds = 1
	in.Series = &result.Series{
		SchemaVersion: result.SeriesSchemaVersion, Runs: 2, UnitNanoseconds: 1e6, WidthUnits: 1000, Lasted: []int64{2000, 2000, 1000},
		Pools: []result.SeriesTrack{{Name: "llama", KVBlocks: 10, Columns: map[string][]int64{
			"completed": {1, 4, 3}, "promptTokens": {100, 400, 0}, "cachedTokens": {50, 100, 0},
			"waiting": {2000, 4000, 0}, "running": {2000, 6000, 1000}, "present": {2000, 2000, 1000}, "blocks": {2000, 10000, 1000},
		}}},
	}
	r := mustNew(t, in)
	series := func(units string, values ...float64) *Series {
		s := &Series{Units: units}
		for i, value := range values {
			s.Series = append(s.Series, Sample{TS: []string{"1970-01-01T00:00:00Z", "1970-01-01T00:00:01Z"}[i], Mean: &value})
		}
		return s
	}
	want := &RequestTimeSeries{Throughput: &ThroughputSeries{RequestRate: series("queries/s", 2, 3), InputTokenRate: series("tokens/s", 200, 0)}}
	if diff := cmp.Diff(want, r.Results.RequestPerformance.TimeSeries); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	wantPool := &ResourceSeries{
		KVCacheUsage: series("fraction", 0.5, 0.1), PrefixCacheHitRate: series("fraction", 0.25),
		NumRequestsRunning: series("count", 3, 1), NumRequestsWaiting: series("count", 2, 0),
	}
	if diff := cmp.Diff(wantPool, r.Results.Observability.Components[0].TimeSeries); diff != "" {
		t.Errorf("the pool (-want +got):\n%s", diff)
	}
}

func TestFiguresOverTimeAreBounded(t *testing.T) {
	in := candidate(t)
	lasted := make([]int64, result.MaxSeriesBins)
	for i := range lasted {
		lasted[i] = 1000
	}
	in.Series = &result.Series{Runs: 1, UnitNanoseconds: 1e6, WidthUnits: 1000, Lasted: lasted, Pools: []result.SeriesTrack{{Name: "llama", Columns: map[string][]int64{"completed": lasted}}}}
	r := mustNew(t, in)
	if n := len(r.Results.RequestPerformance.TimeSeries.Throughput.RequestRate.Series); n > mostPoints || n < mostPoints/2 {
		t.Errorf("%d points", n)
	}
	if n := len(in.Series.Lasted); n != result.MaxSeriesBins {
		t.Errorf("the series have %d bins now", n)
	}
}

func TestAReportWithoutSeriesHasNone(t *testing.T) {
	r := mustNew(t, candidate(t))
	if r.Results.RequestPerformance.TimeSeries != nil || r.Results.Observability.Components[0].TimeSeries != nil {
		t.Error("there are figures over time")
	}
}
