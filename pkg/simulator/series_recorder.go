// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// seriesRecorder gathers the series of a run. How long the run is it does not know: when
// something happens after its last bin, the bins become twice as wide. The width is a
// function of the end of the run alone, as nothing happens later.
type seriesRecorder struct {
	config  SeriesConfig
	width   time.Duration
	perUnit float64
	// logged is what is counted and not yet in a bin.
	logged []seriesCount
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
	// place is the bin that begins at a time, the last one that somebody asked for.
	place int
	from  simtime.Time
}

// seriesTrack is a SeriesTrack as it grows: queue has the columns from SeriesWaiting on,
// blocks has SeriesBlocks and counts those from SeriesArrived on. present has
// SeriesPresent: it is nil up to the end of the run.
type seriesTrack struct {
	queue, blocks, present, counts *seriesBins

	peakWaiting, peakRunning, peakBlocks int64
}

// recordSeries begins the series of a run that asks for some.
func (s *simulation) recordSeries(c *Config) {
	if c.Series.Bins == 0 {
		return
	}
	r := &seriesRecorder{config: c.Series, width: c.Series.Width, perUnit: 1 / float64(c.Series.Unit)}
	r.logged = make([]seriesCount, 0, loggedCounts)
	r.gateway = *r.newTrack()
	r.kept = newGauge(r, r.gateway.queue)
	for range s.pools {
		r.pools = append(r.pools, r.newTrack())
	}
	replicas := s.cluster.replicas
	for i := range replicas {
		track := r.pools[replicas[i].pool]
		if len(replicas) <= MaxSeriesReplicas {
			track = r.newTrack()
		}
		r.endpoints = append(r.endpoints, track)
		replicas[i].gauges = &replicaGauges{newGauge(r, track.queue), newGauge(r, track.blocks)}
		replicas[i].use.blocks = &replicas[i].gauges.blocks
	}
	for i, a := range c.Policies.Adaptations {
		r.weights = append(r.weights, newGauge(r, r.newBins(maxGauged)))
		a.Told = func(e *policy.WeightEpoch) { r.passed(i, e) }
	}
	s.series = r
	s.metrics.ended = r.ended
}

func (s *seriesRecorder) newTrack() *seriesTrack {
	return &seriesTrack{
		queue: s.newBins(int(SeriesBlocks)), blocks: s.newBins(1), counts: s.newBins(int(SeriesColumns - SeriesArrived)),
	}
}

func (s *seriesRecorder) newBins(columns int) *seriesBins {
	b := newSeriesBins(s.config.Bins, columns)
	s.all = append(s.all, b)
	return b
}

// bin returns the bin of a time, after the bins have been made wide enough.
func (s *seriesRecorder) bin(at simtime.Time) int {
	if uint64(at-s.from) < uint64(s.width) {
		return s.place
	}
	return s.find(at)
}

// find is bin where it is not the one of the time before.
func (s *seriesRecorder) find(at simtime.Time) int {
	for at.Sub(0) >= s.width*time.Duration(s.config.Bins) {
		s.widen()
	}
	s.place = int(at.Sub(0) / s.width)
	s.from = simtime.Time(s.place) * simtime.Time(s.width)
	return s.place
}

// widen makes each two bins one.
func (s *seriesRecorder) widen() {
	s.width *= 2
	s.place, s.from = 0, 0
	for _, b := range s.all {
		b.widen()
	}
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

// atGateway is the track of the gateway, in place of an endpoint's number.
const atGateway = -1

// seriesCount is the end of a request, with its arrival, or the prompt of one that a replica
// begins to compute. To have some sorted into bins at a time is faster than to look for the place of each.
type seriesCount struct {
	at, arrival    simtime.Time
	track          int32
	prompt, cached int32
	column         SeriesColumn
}

// loggedCounts is how many wait to be sorted.
const loggedCounts = 256

// log notes something that is counted.
func (s *seriesRecorder) log(c seriesCount) {
	if len(s.logged) == cap(s.logged) {
		s.sort()
	}
	s.logged = append(s.logged, c)
}

// sort brings all that was counted into bins.
func (s *seriesRecorder) sort() {
	for i := range s.logged {
		c := &s.logged[i]
		counts := s.gateway.counts
		if c.track != atGateway {
			counts = s.endpoints[c.track].counts
		}
		row := counts.at(s.bin(c.at))
		if c.column == SeriesPromptTokens {
			row[SeriesPromptTokens-SeriesArrived] += int64(c.prompt)
			row[SeriesCachedTokens-SeriesArrived] += int64(c.cached)
			continue
		}
		row[c.column-SeriesArrived]++
		counts.at(s.bin(c.arrival))[0]++
	}
	s.logged = s.logged[:0]
}

// ended counts a request that has ended.
func (s *seriesRecorder) ended(at simtime.Time, q *request, how SeriesColumn) {
	c := seriesCount{at: at, arrival: q.info.Arrival, track: atGateway, column: how}
	if q.accepted {
		c.track = q.replica
	}
	s.log(c)
}

// found counts the prompt of a request that a replica begins to compute.
func (s *seriesRecorder) found(now simtime.Time, r *replica, q *request) {
	if s != nil {
		s.log(seriesCount{at: now, track: r.index, prompt: q.prompt, cached: q.cached, column: SeriesPromptTokens})
	}
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
