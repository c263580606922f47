// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// Report settles the series at the end of the run, once the gauges of all replicas have
// ended.
func (s *Recorder) Report(end simtime.Time) *simulator.Series {
	lasted := newGauge(s, s.newBins(), 0)
	lasted.end(end, 1)
	s.kept.end(end, s.keeps)
	s.gateway.peakWaiting = s.kept.peaks[0]
	for i := range s.weights {
		s.weights[i].end(end, 0)
	}
	n := s.bin(end) + 1
	out := &simulator.Series{Unit: s.config.Unit, Width: s.width, Lasted: lasted.bins.column(0, n), Bins: n, Gateway: s.gateway.report(n)}
	for i := range s.weights {
		b := s.weights[i].bins
		out.Weights = append(out.Weights, simulator.SeriesWeights{Known: b.column(0, n), Prefix: b.column(1, n), Load: b.column(2, n)})
	}
	for _, t := range s.pools {
		out.Pools = append(out.Pools, t.report(n))
	}
	if len(s.poolOf) > simulator.MaxSeriesReplicas {
		return out
	}
	for i, t := range s.endpoints {
		out.Replicas = append(out.Replicas, t.report(n))
		addTrack(&out.Pools[s.poolOf[i]], &out.Replicas[i])
	}
	return out
}

func (t *seriesTrack) report(n int) simulator.SeriesTrack {
	out := simulator.SeriesTrack{PeakWaiting: t.peakWaiting, PeakRunning: t.peakRunning, PeakBlocks: t.peakBlocks}
	for k := range simulator.SeriesColumns {
		out.Columns[k] = t.bins.column(k, n)
	}
	return out
}

// addTrack adds the series and the peaks of another track.
func addTrack(t, other *simulator.SeriesTrack) {
	for k, bins := range other.Columns {
		if t.Columns[k] == nil {
			t.Columns[k] = slices.Clone(bins)
			continue
		}
		for i, n := range bins {
			t.Columns[k][i] += n
		}
	}
	t.PeakWaiting = max(t.PeakWaiting, other.PeakWaiting)
	t.PeakRunning = max(t.PeakRunning, other.PeakRunning)
	t.PeakBlocks = max(t.PeakBlocks, other.PeakBlocks)
}
