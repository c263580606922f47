// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// An exporter shows the metrics of a simulation as vLLM and the EPP do. Events come in an order of
// their own: each goes to the scrape after it, and the counters add up at the end.
type exporter struct {
	stage   *Stage
	scrapes int
	engines []*engine
	// shown are the engines whose counters are shown: one has those of all unless the stage wants
	// them apart.
	shown []*engine
	// arrived counts the requests that came to the EPP, by scrape.
	arrived []float64
}

// engine is a replica as its metrics show it, by scrape. Counters have what was counted since the
// scrape before.
type engine struct {
	pool  string
	place int
	// there says at which scrapes it answers.
	there                                     []bool
	running, waiting, kvUsage                 []float64
	finished, lookups, hits, computed, given  []float64
	prompts, answers                          *histogram
	firstTokens, gaps, tokenTimes, wholeTimes *histogram
}

// histogram counts values by bucket and scrape.
type histogram struct {
	bounds []float64
	counts [][]float64 // one more than there are bounds
	sums   []float64
}

func newExporter(s *Stage, c *simulator.Config) *exporter {
	x := &exporter{stage: s, scrapes: int(time.Duration(s.Window.Hours)*s.Window.Every/s.Window.Interval) + 1}
	x.arrived = x.column()
	for i := range c.Pools {
		for place := range c.Pools[i].Places() {
			e := &engine{pool: c.Pools[i].Name, place: place, there: make([]bool, x.scrapes)}
			e.running, e.waiting, e.kvUsage = x.column(), x.column(), x.column()
			for k := range e.there {
				e.there[k] = place < c.Pools[i].Replicas
			}
			x.engines = append(x.engines, e)
			if s.ByReplica || len(x.shown) == 0 {
				x.show(e)
			}
		}
	}
	return x
}

// show makes the counters of an engine.
func (x *exporter) show(e *engine) {
	x.shown = append(x.shown, e)
	e.finished, e.lookups, e.hits, e.computed, e.given = x.column(), x.column(), x.column(), x.column(), x.column()
	for _, h := range e.histograms() {
		bounds, ok := x.stage.Bounds[h.name]
		if !ok {
			bounds = h.bounds
		}
		made := &histogram{bounds: bounds, sums: x.column()}
		for range len(bounds) + 1 {
			made.counts = append(made.counts, x.column())
		}
		*h.of = made
	}
}

// namedHistogram is a histogram of an engine, with the bounds that it has in vLLM.
type namedHistogram struct {
	name   string
	of     **histogram
	bounds []float64
}

func (e *engine) histograms() []namedHistogram {
	return []namedHistogram{
		{prompts.names[0], &e.prompts, lengthBounds},
		{answers.names[0], &e.answers, lengthBounds},
		{firstTokens.names[0], &e.firstTokens, firstTokenBounds},
		{tokenGaps.names[0], &e.gaps, gapBounds},
		{tokenTimes.names[0], &e.tokenTimes, gapBounds},
		{wholeTimes.names[0], &e.wholeTimes, wholeBounds},
	}
}

func (x *exporter) column() []float64 { return make([]float64, x.scrapes) }

// attach lets the exporter hear of what goes on.
func (x *exporter) attach(c *simulator.Config) {
	c.Ended, c.Stepped, c.Staged = both(c.Ended, x.ended), both(c.Stepped, x.stepped), both(c.Staged, x.staged)
}

func both[T any](first, second func(T)) func(T) {
	if first == nil {
		return second
	}
	return func(v T) {
		first(v)
		second(v)
	}
}

// scrape is the first scrape at a time or after it.
func (x *exporter) scrape(at simtime.Time) int {
	since, interval := at.Sub(simtime.Time(x.stage.WarmUp)), x.stage.Window.Interval
	if since <= 0 {
		return 0
	}
	return int((since + interval - 1) / interval)
}

// counts returns where a replica counts what happens at a time; ok is false after the last scrape.
func (x *exporter) counts(replica int, at simtime.Time) (e *engine, scrape int, ok bool) {
	if !x.stage.ByReplica {
		replica = 0
	}
	k := x.scrape(at)
	return x.shown[replica], k, k < x.scrapes
}

// ended tells of a request.
func (x *exporter) ended(r simulator.RequestEnd) {
	if k := x.scrape(r.Arrival); k < x.scrapes {
		x.arrived[k]++
	}
	if r.FirstToken < 0 || r.Replica == simulator.NoReplica {
		return
	}
	if e, k, ok := x.counts(r.Replica, r.FirstToken); ok {
		e.firstTokens.observe(k, r.FirstToken.Sub(began(&r)).Seconds(), 1)
		e.computed[k] += float64(r.PromptTokens)
		e.lookups[k] += float64(r.PromptTokens)
		e.hits[k] += float64(r.CachedTokens)
		e.given[k]++
	}
	if r.Ended != "completed" {
		return
	}
	if e, k, ok := x.counts(r.Replica, r.LastToken); ok {
		e.finished[k]++
		e.prompts.observe(k, float64(r.PromptTokens), 1)
		e.answers.observe(k, float64(r.OutputTokens), 1)
		e.wholeTimes.observe(k, r.LastToken.Sub(began(&r)).Seconds(), 1)
		if gaps := r.OutputTokens - 1; gaps > 0 {
			e.tokenTimes.observe(k, r.LastToken.Sub(r.FirstToken).Seconds()/float64(gaps), 1)
		}
	}
}

// began is when an engine begins to measure a request: when it comes to the wait queue. One that
// came again after its first token, because its replica failed, counts from its arrival.
func began(r *simulator.RequestEnd) simtime.Time {
	if r.Entered > r.FirstToken {
		return r.Arrival
	}
	return r.Entered
}

// stepped tells of a step of an engine, at whose end each sequence that decodes has a token.
func (x *exporter) stepped(s simulator.EngineStep) {
	end := s.At.Add(s.Duration)
	if e, k, ok := x.counts(s.Replica, end); ok {
		e.gaps.observe(k, s.Duration.Seconds(), float64(s.DecodeTokens))
		e.given[k] += float64(s.DecodeTokens)
	}
	if s.At < simtime.Time(x.stage.WarmUp) {
		return
	}
	e := x.engines[s.Replica]
	for k := x.scrape(s.At); k < min(x.scrape(end), x.scrapes); k++ {
		e.running[k], e.waiting[k], e.kvUsage[k] = float64(s.Running), float64(s.Waiting), s.KVUsage
	}
}

// staged tells of a replica that comes or goes.
func (x *exporter) staged(s simulator.StageChange) {
	there := x.engines[s.Endpoint].there
	for k := x.scrape(s.At); k < x.scrapes; k++ {
		there[k] = s.Stage.Serves()
	}
}

// observe counts n values.
func (h *histogram) observe(scrape int, value, n float64) {
	place, _ := slices.BinarySearch(h.bounds, value)
	h.counts[place][scrape] += n
	h.sums[scrape] += n * value
}
