// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// plainSeries is the log of a run that series are made from: how long each value stood, and
// when everything happened that is counted.
type plainSeries struct {
	spans  []plainSpan
	counts []plainCount
	epochs [][]policy.WeightEpoch // by adaptation
}

// gatewayTrack is the number of the gateway among the replicas.
const gatewayTrack = -1

// plainSpan is a time without events, and what a replica shows in it.
type plainSpan struct {
	track    int
	from, to simtime.Time
	values   [simulator.SeriesArrived]int64
}

type plainCount struct {
	track int
	at    simtime.Time
	what  simulator.SeriesColumn
	n     int64
}

// follow begins the log.
func (p *plain) follow() {
	p.metrics.Ended = func(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
		track := gatewayTrack
		if q.Accepted() {
			track = int(q.Replica)
		}
		p.series.counts = append(p.series.counts, plainCount{track, at, how, 1}, plainCount{track, q.Info.Arrival, simulator.SeriesArrived, 1})
	}
	p.series.epochs = make([][]policy.WeightEpoch, len(p.Policies.Adaptations))
	for i, a := range p.Policies.Adaptations {
		a.Told = func(e *policy.WeightEpoch) { p.series.epochs[i] = append(p.series.epochs[i], *e) }
	}
}

// pass logs the time up to the next event.
func (p *plain) pass(to simtime.Time) {
	if to == p.now || p.Series.Bins == 0 {
		return
	}
	gateway := plainSpan{track: gatewayTrack, from: p.now, to: to}
	gateway.values[simulator.SeriesWaiting] = int64(len(p.plainGate.waiting) + len(p.delayed))
	p.series.spans = append(p.series.spans, gateway)
	for i, r := range p.replicas {
		s := plainSpan{track: i, from: p.now, to: to}
		s.values[simulator.SeriesWaiting] = int64(len(r.waiting) + len(r.loading))
		s.values[simulator.SeriesRunning] = int64(len(r.running))
		s.values[simulator.SeriesBlocks] = int64(r.cache.Used())
		if r.stepping {
			s.values[simulator.SeriesBusy] = 1
		}
		if len(r.lives) > 0 && r.lives[len(r.lives)-1].To == simtime.Never {
			s.values[simulator.SeriesPresent] = 1
		}
		p.series.spans = append(p.series.spans, s)
	}
}

// noteFound logs the prompt of a request that a replica begins to compute.
func (p *plain) noteFound(r *plainReplica, q *plainRequest) {
	p.series.counts = append(p.series.counts,
		plainCount{r.index, p.now, simulator.SeriesPromptTokens, int64(q.Prompt)}, plainCount{r.index, p.now, simulator.SeriesCachedTokens, int64(q.Cached)})
}

// reportSeries makes the series of the log.
func (p *plain) reportSeries() *simulator.Series {
	if p.Series.Bins == 0 {
		return nil
	}
	s := &simulator.Series{Unit: p.Series.Unit, Width: p.Series.Width}
	for int64(p.now)/int64(s.Width) >= int64(p.Series.Bins) {
		s.Width *= 2
	}
	s.Bins = int(int64(p.now)/int64(s.Width)) + 1
	run := []plainSpan{{to: p.now, values: [simulator.SeriesArrived]int64{1}}}
	s.Lasted = p.integrate(s, run, simulator.SeriesWaiting)
	s.Gateway = p.track(s, gatewayTrack)
	s.Pools = make([]simulator.SeriesTrack, len(p.pools))
	for i := range s.Pools {
		for k := range s.Pools[i].Columns {
			s.Pools[i].Columns[k] = make([]int64, s.Bins)
		}
	}
	for i, r := range p.replicas {
		t := p.track(s, i)
		for k := range t.Columns {
			for bin, n := range t.Columns[k] {
				s.Pools[r.pool].Columns[k][bin] += n
			}
		}
		pool := &s.Pools[r.pool]
		pool.PeakWaiting, pool.PeakRunning, pool.PeakBlocks = max(pool.PeakWaiting, t.PeakWaiting), max(pool.PeakRunning, t.PeakRunning), max(pool.PeakBlocks, t.PeakBlocks)
		if len(p.replicas) <= simulator.MaxSeriesReplicas {
			s.Replicas = append(s.Replicas, t)
		}
	}
	for _, epochs := range p.series.epochs {
		s.Weights = append(s.Weights, p.weights(s, epochs))
	}
	leaveOutZeros(s)
	return s
}

// leaveOutZeros makes columns nil that are 0 throughout.
func leaveOutZeros(s *simulator.Series) {
	leaveOut := func(columns ...*[]int64) {
		for _, c := range columns {
			if !slices.ContainsFunc(*c, func(n int64) bool { return n != 0 }) {
				*c = nil
			}
		}
	}
	tracks := []*simulator.SeriesTrack{&s.Gateway}
	for _, all := range [][]simulator.SeriesTrack{s.Pools, s.Replicas} {
		for i := range all {
			tracks = append(tracks, &all[i])
		}
	}
	for _, t := range tracks {
		for k := range t.Columns {
			leaveOut(&t.Columns[k])
		}
	}
	for i := range s.Weights {
		w := &s.Weights[i]
		leaveOut(&w.Known, &w.Prefix, &w.Load)
	}
	leaveOut(&s.Lasted)
}

func (p *plain) track(s *simulator.Series, number int) simulator.SeriesTrack {
	var t simulator.SeriesTrack
	var spans []plainSpan
	for _, span := range p.series.spans {
		if span.track == number {
			spans = append(spans, span)
		}
	}
	for k := range simulator.SeriesArrived {
		t.Columns[k] = p.integrate(s, spans, k)
	}
	for _, span := range spans {
		t.PeakWaiting = max(t.PeakWaiting, span.values[simulator.SeriesWaiting])
		t.PeakRunning = max(t.PeakRunning, span.values[simulator.SeriesRunning])
		t.PeakBlocks = max(t.PeakBlocks, span.values[simulator.SeriesBlocks])
	}
	for k := simulator.SeriesArrived; k < simulator.SeriesColumns; k++ {
		t.Columns[k] = make([]int64, s.Bins)
	}
	for _, c := range p.series.counts {
		if c.track == number {
			t.Columns[c.what][int64(c.at)/int64(s.Width)] += c.n
		}
	}
	return t
}

// integrate sums a value over each bin: the integral up to its end in whole units, less that
// up to its beginning.
func (p *plain) integrate(s *simulator.Series, spans []plainSpan, k simulator.SeriesColumn) []int64 {
	upTo := func(at simtime.Time) int64 {
		sum := int64(0)
		for _, span := range spans {
			if span.from < at {
				sum += span.values[k] * int64(min(span.to, at)-span.from)
			}
		}
		return sum / int64(s.Unit)
	}
	bins := make([]int64, int64(p.now)/int64(s.Width)+1)
	for i := range bins {
		from := simtime.Time(i) * simtime.Time(s.Width)
		bins[i] = upTo(min(from.Add(s.Width), p.now)) - upTo(from)
	}
	return bins
}

func (p *plain) weights(s *simulator.Series, epochs []policy.WeightEpoch) simulator.SeriesWeights {
	var spans []plainSpan
	for _, e := range epochs {
		spans = append(spans, plainSpan{from: e.Begin, to: e.End, values: [simulator.SeriesArrived]int64{1, int64(1000*e.Prefix + 0.5), int64(1000*e.Load + 0.5)}})
	}
	return simulator.SeriesWeights{Known: p.integrate(s, spans, 0), Prefix: p.integrate(s, spans, 1), Load: p.integrate(s, spans, 2)}
}

// randomSeries are bins so few that they become wider again and again, and units that do not
// divide the times of events.
func randomSeries(data []byte) simulator.SeriesConfig {
	c := choices(data)
	unit := time.Duration(1 + c.pick(7))
	return simulator.SeriesConfig{Bins: 2 + c.pick(9), Unit: unit, Width: unit * time.Duration(1+c.pick(3))}
}
