// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// latencyObserverProducer observes how long each endpoint takes to the first token, from the pick on, and
// how many requests were in flight there before. At each multiple of intervalDuration it publishes of each
// endpoint what [observedEndpoint] has, if it is among dataLayer.sources; else it publishes nothing, and
// its readers know no endpoint.
//
// Answers are streams: the EPP observes no others. The EPP rounds intervalDuration to its own intervals,
// which is not simulated.
//
// Source: pkg/epp/framework/plugins/requestcontrol/dataproducer/latencyobserver of llm-d-router pull
// request 2371.
var latencyObserverProducer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.LatencyObserverProducerType,
		Registration: version.GIE("router-v0.11.."),
		Roles:        config.ProducerRole | config.DataSourceRole,
		Payload:      config.NoPayload,
		Alpha:        true,
		Parameters:   func() any { return newLatencyObserverParameters() },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.InFlightLoadData, Producer: p.Parameters.(*latencyObserverParameters).InFlightLoadProducerName}}
		},
		Produces: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.ObservedLatencyData, Producer: p.Name}}
		},
		Treatment: func(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			if !c.HasSource(p.Name) {
				return config.NoEffect, "publishes nothing, as it is not among dataLayer.sources"
			}
			return config.Exact, "all answers are streams"
		},
	},
	NewProducer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Producer { return observerOf(b, p) },
}

type latencyObserverParameters struct {
	IntervalDuration  string `json:"intervalDuration"`
	MaxObservationAge string `json:"maxObservationAge"`
	BucketDuration    string `json:"bucketDuration"`
	// WindowSize bounds what is kept of an endpoint, MaxRequests what of it are recent observations.
	WindowSize  int `json:"windowSize"`
	MaxRequests int `json:"maxRequests"`
	// MinRequests is the number of observations from which they count.
	MinRequests int `json:"minRequests"`
	// The percentiles are those of low and of typical load.
	LowPercentile            int    `json:"lowPercentile"`
	TypicalPercentile        int    `json:"typicalPercentile"`
	BucketHistorySize        int    `json:"bucketHistorySize"`
	InFlightLoadProducerName string `json:"inFlightLoadProducerName"`

	interval, maxAge, bucket time.Duration
}

func newLatencyObserverParameters() *latencyObserverParameters {
	return &latencyObserverParameters{
		IntervalDuration: "1s", MaxObservationAge: "3m", BucketDuration: "1m",
		WindowSize: 5000, MaxRequests: 100, MinRequests: 10, LowPercentile: 25, TypicalPercentile: 50, BucketHistorySize: 1000,
	}
}

func (p *latencyObserverParameters) Check(l *config.Loader, path *field.Path) {
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	p.interval = positiveDuration(l, path.Child("intervalDuration"), p.IntervalDuration)
	p.maxAge = positiveDuration(l, path.Child("maxObservationAge"), p.MaxObservationAge)
	p.bucket = positiveDuration(l, path.Child("bucketDuration"), p.BucketDuration)
	for _, number := range []struct {
		name  string
		value int
	}{{"windowSize", p.WindowSize}, {"maxRequests", p.MaxRequests}, {"minRequests", p.MinRequests}} {
		if number.value <= 0 {
			l.Add(field.Invalid(path.Child(number.name), number.value, "must be greater than 0"))
		}
	}
	if p.WindowSize > 0 && p.MaxRequests > p.WindowSize {
		l.Add(field.Invalid(path.Child("maxRequests"), p.MaxRequests, "must be at most windowSize"))
	}
	if p.BucketHistorySize < 2 {
		l.Add(field.Invalid(path.Child("bucketHistorySize"), p.BucketHistorySize, "must be at least 2"))
	}
	if p.LowPercentile <= 0 || p.LowPercentile >= p.TypicalPercentile {
		l.Add(field.Invalid(path.Child("lowPercentile"), p.LowPercentile, "must be greater than 0 and less than typicalPercentile"))
	}
	if p.TypicalPercentile >= 100 {
		l.Add(field.Invalid(path.Child("typicalPercentile"), p.TypicalPercentile, "must be less than 100"))
	}
}

// positiveDuration returns 0 for what it reports.
func positiveDuration(l *config.Loader, at *field.Path, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		l.Add(field.Invalid(at, text, "must be a duration greater than 0, such as 1s"))
		return 0
	}
	return d
}

// observerOf is the one observer of a name, which its readers have in common.
func observerOf(b *scheduler.Builder, p *config.Plugin) *latencyObserver {
	return scheduler.Shared(b, p, func() *latencyObserver {
		parameters := p.Parameters.(*latencyObserverParameters)
		o := &latencyObserver{
			latencyObserverParameters: parameters,
			publishes:                 b.Config.HasSource(p.Name),
			load:                      b.Load(parameters.InFlightLoadProducerName),
			before:                    make([]int64, b.Endpoints),
			dispatched:                scheduler.NewLedger[observedDispatch](),
			endpoints:                 make([]observedEndpoint, b.Endpoints),
		}
		return o
	})
}

type latencyObserver struct {
	*latencyObserverParameters
	publishes bool
	load      *scheduler.InFlightLoad
	// before is, by endpoint, what was in flight before the request under way.
	before     []int64
	dispatched *scheduler.Ledger[observedDispatch]
	endpoints  []observedEndpoint
}

// An observedDispatch is a request that has left for an endpoint.
type observedDispatch struct {
	endpoint int32
	inFlight int64
	at       simtime.Time
}

func (o *latencyObserver) Produce(c *scheduler.Cycle) {
	copy(o.before, o.load.Requests)
	for e := range o.endpoints {
		o.advance(&o.endpoints[e], c.Now)
	}
}

// advance brings what is published of an endpoint up to date, if anything is.
func (o *latencyObserver) advance(e *observedEndpoint, now simtime.Time) {
	if o.publishes {
		e.advance(o.latencyObserverParameters, now)
	}
}

// ForgetGone forgets what was observed of endpoints that are gone.
func (o *latencyObserver) ForgetGone(c *scheduler.Cycle) {
	for e, gone := range c.Down {
		if gone {
			o.endpoints[e] = observedEndpoint{}
		}
	}
}

func (o *latencyObserver) Routed(c *scheduler.Cycle, p scheduler.Picks) {
	o.dispatched.Put(c.Request, observedDispatch{int32(p.Primary), o.before[p.Primary], c.Now})
}

func (o *latencyObserver) FirstTokenAt(at simtime.Time, request *policy.Request) {
	d := o.dispatched.Of(request.ID)
	if d == nil {
		return
	}
	e := &o.endpoints[d.endpoint]
	o.advance(e, at)
	e.observe(observation{at: at, ttft: at.Sub(d.at).Seconds(), inFlight: d.inFlight}, o.WindowSize)
}

func (o *latencyObserver) FirstToken(*policy.Request, int) {}

func (o *latencyObserver) Finished(request *policy.Request, _ int) { o.dispatched.Remove(request.ID) }
