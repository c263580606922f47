// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// Recorder gathers the series of a run. How long the run is it does not know: when
// something happens after its last bin, the bins become twice as wide. The width is a
// function of the end of the run alone, as nothing happens later.
type Recorder struct {
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
	// poolOf has the pool of each endpoint.
	poolOf []int
	// The tracks of endpoints are those of replicas or, of too many, of their pools.
	gateway          seriesTrack
	pools, endpoints []*seriesTrack
	// kept integrates the number of requests at the gateway.
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

// NewRecorder follows a number of pools, and an endpoint of the pool of each of poolOf.
func NewRecorder(c *simulator.SeriesConfig, pools int, poolOf []int) *Recorder {
	s := &Recorder{config: *c, poolOf: poolOf, perUnit: 1 / float64(c.Unit)}
	s.setWidth(c.Width)
	s.gateway = *s.newTrack()
	s.kept = newGauge(s, s.gateway.bins, simulator.SeriesWaiting)
	for range pools {
		s.pools = append(s.pools, s.newTrack())
	}
	for _, pool := range poolOf {
		track := s.pools[pool]
		if len(poolOf) <= simulator.MaxSeriesReplicas {
			track = s.newTrack()
		}
		s.endpoints = append(s.endpoints, track)
	}
	return s
}

// Gauges returns those of an endpoint.
func (s *Recorder) Gauges(endpoint int) *ReplicaGauges {
	track := s.endpoints[endpoint]
	return &ReplicaGauges{track: track, queue: newGauge(s, track.bins, simulator.SeriesWaiting), Blocks: newGauge(s, track.bins, simulator.SeriesBlocks)}
}

// AddWeights follows the weights of one more router.
func (s *Recorder) AddWeights() { s.weights = append(s.weights, newGauge(s, s.newBins(), 0)) }

func (s *Recorder) newTrack() *seriesTrack {
	return &seriesTrack{bins: s.newBins()}
}

func (s *Recorder) newBins() *seriesBins {
	b := newSeriesBins(s.config.Bins)
	s.all = append(s.all, b)
	return b
}

func (s *Recorder) setWidth(width time.Duration) {
	s.width, s.perWidth = width, 1/float64(width)
	s.end = simtime.Time(width) * simtime.Time(s.config.Bins)
	s.last, s.from = 0, 0
}

// bin returns the bin of a time, after the bins have been made wide enough.
func (s *Recorder) bin(at simtime.Time) int {
	if uint64(at-s.from) >= uint64(s.width) {
		s.find(at)
	}
	return s.last
}

// find is bin where it is not the one of the time before.
func (s *Recorder) find(at simtime.Time) {
	s.Fit(at)
	s.last = s.place(at)
	s.from = simtime.Time(s.last) * simtime.Time(s.width)
}

// Fit makes the bins wide enough for a time.
func (s *Recorder) Fit(at simtime.Time) {
	for at >= s.end {
		s.setWidth(2 * s.width)
		for _, b := range s.all {
			b.widen()
		}
	}
}

// place returns the bin of a time before the end of the last one. The product of floating
// point is off by one at most.
func (s *Recorder) place(at simtime.Time) int {
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
func (s *Recorder) units(sum int64) (whole, rest int64) {
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

// Ended counts a request that has ended, and its arrival.
func (s *Recorder) Ended(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
	bins := s.gateway.bins
	if q.Accepted() {
		bins = s.endpoints[q.Replica].bins
	}
	bins.counts[s.bin(at)][how-simulator.SeriesArrived]++
	bins.counts[s.place(q.Info.Arrival)][0]++
}

// Keep counts the requests that wait at the gateway.
func (s *Recorder) Keep(now simtime.Time, n int64) {
	if s != nil {
		s.kept.settle(now, s.keeps, 0, 0)
		s.keeps += n
	}
}

// Passed adds an epoch of an adaptation that has ended.
func (s *Recorder) Passed(i int, e *policy.WeightEpoch) {
	s.weights[i].settle(e.Begin, 0, 0, 0)
	s.weights[i].settle(e.End, 1, thousandths(e.Prefix), thousandths(e.Load))
}

// thousandths of a weight.
func thousandths(weight float64) int64 { return int64(float64(1000*weight) + 0.5) }
