// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// Explain has each decision from now on explained, as soon as it is made; nil
// ends that. Decisions are the same either way. Explaining takes about as long as
// deciding, if explanations are released.
func (s *Scheduler) Explain(tell func(*Explanation)) {
	s.tracer.report = tell
	for _, p := range s.Staged.profiles() {
		p.trace = nil
		if tell != nil {
			p.trace = &profileTrace{}
		}
	}
}

// A tracer explains the decisions of a scheduler.
type tracer struct {
	report   func(*Explanation) // nil while no caller asks
	detector *config.Plugin
	// admitters are those of the scheduler's, in its order.
	admitters []*config.Plugin
	// refusedBy is the one that turned the last request away; nil if none did.
	refusedBy *config.Plugin
	matches   []tracedMatch
	loads     []tracedLoad
	forecasts []tracedForecast
	// explanation is the decision under way.
	explanation *Explanation
	pool        ExplanationPool
}

type tracedMatch struct {
	plugin *config.Plugin
	match  *PrefixMatch
}

type tracedLoad struct {
	plugin *config.Plugin
	load   *InFlightLoad
}

type tracedForecast struct {
	plugin     *config.Plugin
	prediction *LatencyPrediction
}

// newTracer knows who produces what. It is made after all that reads the data.
func (b *Builder) newTracer(c *config.Config) tracer {
	t := tracer{}
	if ref := c.Document.FlowControl.SaturationDetector; ref != nil {
		t.detector = b.Plugins[ref.PluginRef]
	}
	for _, p := range c.Document.Plugins {
		if b.Factory(p).NewAdmitter != nil {
			t.admitters = append(t.admitters, p)
		}
		if p.Freshness() == "" {
			continue // it has no data
		}
		if match := b.matches[p.Name]; match != nil {
			t.matches = append(t.matches, tracedMatch{p, match})
		}
		if load := b.loads[p.Name]; load != nil {
			t.loads = append(t.loads, tracedLoad{p, load})
		}
		if prediction := b.predictions[p.Name]; prediction != nil {
			t.forecasts = append(t.forecasts, tracedForecast{p, prediction})
		}
	}
	return t
}

// Begin notes what changes with the decision: it is called before anything is
// told of it.
func (t *tracer) Begin(c *Cycle, request *policy.Request, detector SaturationDetector) {
	t.refusedBy = nil
	x := t.pool.Get()
	t.explanation = x
	x.AtSeconds = c.Now.Seconds()
	x.Request = ExplainedRequest{
		ID: request.ID, ArrivalSeconds: request.Arrival.Seconds(), PromptTokens: request.Tokens,
		Tenant: request.Tenant, Class: request.Class, Priority: request.Priority,
		Session: request.Session, Adapter: request.Adapter,
	}
	x.Admission = Admission{Detector: t.detectorName(), Saturation: Number(detector.Saturation(c))}
	x.Endpoints = x.EndpointList(len(c.Scrapes))
	for e := range c.Scrapes {
		c.explain(x, e)
	}
	for _, l := range t.loads {
		x.InFlight = append(x.InFlight, InFlightSignal{
			PluginName: nameOf(l.plugin),
			Freshness:  l.plugin.Freshness(),
			Requests:   x.Int64s(l.load.Requests),
			Tokens:     x.Int64s(l.load.Tokens),
		})
	}
}

// end adds what came of it, and tells, unless the request has to wait.
func (t *tracer) end(s *Scheduler, decision policy.Route, err error) {
	x := t.explanation
	t.explanation = nil
	switch {
	case errors.Is(err, policy.ErrHeld):
		return
	case t.refusedBy != nil:
		name := nameOf(t.refusedBy)
		x.Admission.RefusedBy = &name
	case errors.Is(err, policy.ErrShed):
		x.Admission.RefusedBy = &x.Admission.Detector
	case s.Cycle.Present > 0:
		t.data(x, s.Cycle.Number)
		s.Staged.Explain(&s.Cycle, x)
	}
	if err != nil {
		x.Error = err.Error()
	} else {
		x.Endpoint = x.endpointOrNil(decision.Endpoint)
		x.Prefill = x.endpointOrNil(decision.Prefill)
	}
	t.report(x)
}

// refuse tells of a request that comes to no profile.
func (t *tracer) refuse(err error) {
	x := t.explanation
	t.explanation = nil
	if errors.Is(err, policy.ErrShed) {
		x.Admission.RefusedBy = &x.Admission.Detector
	}
	x.Error = err.Error()
	t.report(x)
}

// data is what producers made of the request, and scorers that look for prefixes
// themselves if they did so in this cycle.
func (t *tracer) data(x *Explanation, cycle uint64) {
	for _, m := range t.matches {
		if m.match.Looked != 0 && m.match.Looked != cycle {
			continue
		}
		x.Prefixes = append(x.Prefixes, PrefixSignal{
			PluginName:  nameOf(m.plugin),
			Freshness:   m.plugin.Freshness(),
			BlockTokens: m.match.BlockTokens,
			TotalBlocks: m.match.TotalBlocks,
			Blocks:      x.Ints(m.match.Blocks),
		})
	}
	for i, l := range t.loads {
		x.InFlight[i].Uncached = x.Int64s(l.load.Cached)
		for e, cached := range l.load.Cached {
			x.InFlight[i].Uncached[e] = l.load.Uncached - cached
		}
	}
	for _, f := range t.forecasts {
		x.Predictions = append(x.Predictions, f.signal())
	}
}

func (f *tracedForecast) signal() PredictionSignal {
	seconds := func(milliseconds []float64) []Number {
		list := make([]Number, len(milliseconds))
		for e, known := range f.prediction.Known {
			list[e] = Number(math.NaN())
			if known {
				list[e] = Number(milliseconds[e] / 1000)
			}
		}
		return list
	}
	return PredictionSignal{
		PluginName:          nameOf(f.plugin),
		Freshness:           f.plugin.Freshness(),
		TTFTSeconds:         seconds(f.prediction.Ttft),
		TPOTSeconds:         seconds(f.prediction.Tpot),
		TTFTHeadroomSeconds: seconds(f.prediction.TtftHeadroom),
		TPOTHeadroomSeconds: seconds(f.prediction.TpotHeadroom),
	}
}

// staleAfter is the age from which the EPP's detectors distrust a scrape, unless
// they are configured otherwise. No other plugin looks at it.
const staleAfter = 200 * time.Millisecond

// explain writes what the metrics say of an endpoint into an explanation.
func (c *Cycle) explain(x *Explanation, endpoint int) {
	scrape, s := &c.Scrapes[endpoint], &x.Endpoints[endpoint]
	*s = EndpointSignals{Down: c.Gone(endpoint), Waiting: scrape.Waiting, Running: scrape.Running, KVUsage: Number(scrape.KVUsage)}
	s.Adapters = NewAdapterSignal(c.Adapters, endpoint)
	age := c.Now.Sub(scrape.At)
	if !c.Unscraped {
		s.ScrapeAgeSeconds = x.Float(age.Seconds())
	}
	idle := scrape.Waiting == 0 && scrape.Running == 0 && scrape.KVUsage == 0
	switch {
	case s.Down || !idle:
	case c.Unscraped:
		s.Anomaly = "no metrics reach the EPP: whatever its load, it looks idle"
	case age > staleAfter:
		s.Anomaly = "looks idle by a scrape that is stale"
	}
}

// detectorName is that of the saturation detector, which in old versions is no
// plugin.
func (t *tracer) detectorName() PluginName {
	if t.detector == nil {
		return PluginName{Name: "the saturation detector"}
	}
	return nameOf(t.detector)
}

// nameOf names a plugin; what is none, in versions that have it built in, has no
// name.
func nameOf(p *config.Plugin) PluginName {
	if p == nil {
		return PluginName{}
	}
	return PluginName{p.Name, p.Type}
}

func (x *Explanation) endpointOrNil(endpoint int) *int {
	if endpoint == None {
		return nil
	}
	return x.Int(endpoint)
}
