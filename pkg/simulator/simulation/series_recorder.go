// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// seriesRecorder gathers the series of a run. How long the run is it does not know: when
// something happens after its last bin, the bins become twice as wide. The width is a
// function of the end of the run alone, as nothing happens later.
type seriesRecorder struct {
	config simulator.SeriesConfig
	width  time.Duration
	// end is that of the last bin.
	end simtime.Time
	// last is the bin that was asked for last, from when it begins.
	last int
	from simtime.Time
	// perWidth and perUnit are what to multiply by: a division takes several times as long.
	perWidth, perUnit float64
	// all are the bins that become wider.
	all []*seriesBins
	// The tracks of endpoints are those of replicas or, of too many, of their pools.
	gateway          seriesTrack
	pools, endpoints []*seriesTrack
	// kept integrates the requests at the gateway, which keeps so many now.
	kept  gauge
	keeps int64
	// weights integrate the weights of routers.
	weights []gauge
}

// seriesTrack is a SeriesTrack as it grows.
type seriesTrack struct {
	bins *seriesBins

	peakWaiting, peakRunning, peakBlocks int64
}

// recordSeries begins the series of a run that asks for some.
func (s *simulation) recordSeries(c *simulator.Config) {
	if c.Series.Bins == 0 {
		return
	}
	r := &seriesRecorder{config: c.Series, perUnit: 1 / float64(c.Series.Unit)}
	r.setWidth(c.Series.Width)
	r.gateway = *r.newTrack()
	r.kept = newGauge(r, r.gateway.bins, simulator.SeriesWaiting)
	for range s.pools {
		r.pools = append(r.pools, r.newTrack())
	}
	replicas := s.cluster.replicas
	for i := range replicas {
		track := r.pools[replicas[i].pool]
		if len(replicas) <= simulator.MaxSeriesReplicas {
			track = r.newTrack()
		}
		r.endpoints = append(r.endpoints, track)
		replicas[i].gauges = &replicaGauges{queue: newGauge(r, track.bins, simulator.SeriesWaiting), blocks: newGauge(r, track.bins, simulator.SeriesBlocks)}
		replicas[i].use.blocks = &replicas[i].gauges.blocks
	}
	for i, a := range c.Policies.Adaptations {
		r.weights = append(r.weights, newGauge(r, r.newBins(), 0))
		a.Told = func(e *policy.WeightEpoch) { r.passed(i, e) }
	}
	s.series = r
	s.metrics.ended = r.ended
}

func (s *seriesRecorder) newTrack() *seriesTrack {
	return &seriesTrack{bins: s.newBins()}
}

func (s *seriesRecorder) newBins() *seriesBins {
	b := newSeriesBins(s.config.Bins)
	s.all = append(s.all, b)
	return b
}

func (s *seriesRecorder) setWidth(width time.Duration) {
	s.width, s.perWidth = width, 1/float64(width)
	s.end = simtime.Time(width) * simtime.Time(s.config.Bins)
	s.last, s.from = 0, 0
}

// bin returns the bin of a time, after the bins have been made wide enough.
func (s *seriesRecorder) bin(at simtime.Time) int {
	if uint64(at-s.from) >= uint64(s.width) {
		s.find(at)
	}
	return s.last
}

// find is bin where it is not the one of the time before.
func (s *seriesRecorder) find(at simtime.Time) {
	s.fit(at)
	s.last = s.place(at)
	s.from = simtime.Time(s.last) * simtime.Time(s.width)
}

// fit makes the bins wide enough for a time.
func (s *seriesRecorder) fit(at simtime.Time) {
	for at >= s.end {
		s.setWidth(2 * s.width)
		for _, b := range s.all {
			b.widen()
		}
	}
}

// place returns the bin of a time before the end of the last one. The product of floating
// point is off by one at most.
func (s *seriesRecorder) place(at simtime.Time) int {
	bin := int(float64(at) * s.perWidth)
	switch into := at - simtime.Time(bin)*simtime.Time(s.width); {
	case into < 0:
		return bin - 1
	case into >= simtime.Time(s.width):
		return bin + 1
	}
	return bin
}

// units divides an integral by the unit. The quotient of floating point is off by one at most.
func (s *seriesRecorder) units(sum int64) (whole, rest int64) {
	unit := int64(s.config.Unit)
	whole = int64(float64(sum) * s.perUnit)
	rest = sum - whole*unit
	switch {
	case rest < 0:
		return whole - 1, rest + unit
	case rest >= unit:
		return whole + 1, rest - unit
	}
	return whole, rest
}

// ended counts a request that has ended, and its arrival.
func (s *seriesRecorder) ended(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
	bins := s.gateway.bins
	if q.Accepted() {
		bins = s.endpoints[q.Replica].bins
	}
	bins.counts[s.bin(at)][how-simulator.SeriesArrived]++
	bins.counts[s.place(q.Info.Arrival)][0]++
}

// keep counts the requests that wait at the gateway.
func (s *seriesRecorder) keep(now simtime.Time, n int64) {
	if s != nil {
		s.kept.settle(now, s.keeps, 0, 0)
		s.keeps += n
	}
}

// passed adds an epoch of an adaptation that has ended.
func (s *seriesRecorder) passed(i int, e *policy.WeightEpoch) {
	s.weights[i].settle(e.Begin, 0, 0, 0)
	s.weights[i].settle(e.End, 1, thousandths(e.Prefix), thousandths(e.Load))
}

// thousandths of a weight.
func thousandths(weight float64) int64 { return int64(1000*weight + 0.5) }
