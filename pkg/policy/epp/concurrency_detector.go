// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// concurrencyDetector goes by the EPP's own counts. As a filter it keeps
// endpoints with fewer requests in flight than maxConcurrency·(1 + headroom),
// or tokens than maxTokenConcurrency·(1 + headroom), or both where
// concurrencyMode is hybrid; it may leave none.
//
// As the saturation detector it has requests of negative priority shed while
// what is in flight everywhere ÷ what may be is 1 or more; in mode hybrid, the
// mean over endpoints of the greater of the two ratios.
//
// Before router-v0.9 the detector does not know what is in flight: the producer only
// does so for the request that it counts for, and so the filter knows. While there
// are endpoints the saturation is 0.
var concurrencyDetector = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         config.ConcurrencyDetectorType,
		NeededInMay:  []config.DataKind{config.InFlightLoadData},
		Registration: version.GIE("gie-v1.5.."),
		Roles:        config.FilterRole | config.SaturationDetectorRole,
		Parameters: func() any {
			return &concurrencyParameters{MaxConcurrency: 100, ConcurrencyMode: countRequests, MaxTokenConcurrency: 1000000}
		},
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.InFlightLoadData, Producer: p.Parameters.(*concurrencyParameters).InFlightLoadProducerName}}
		},
		Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			if c.Dialect.Framework < version.Router09 && c.Document.FlowControl.SaturationDetector.PluginRef == p.Name {
				return config.Exact, "never finds the pool saturated: in " + c.Dialect.Name + " it is only told what is in flight as a filter"
			}
			return treatDetector(c, cluster, p)
		},
	},
	NewFilter:   func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter { return newConcurrency(b, p) },
	NewDetector: func(b *scheduler.Builder, p *config.Plugin) scheduler.SaturationDetector { return newConcurrency(b, p) },
}

const (
	countRequests = "requests"
	countTokens   = "tokens"
	countBoth     = "hybrid"
)

type concurrencyParameters struct {
	MaxConcurrency           int     `json:"maxConcurrency"`
	Headroom                 float64 `json:"headroom"`
	ConcurrencyMode          string  `json:"concurrencyMode"`
	MaxTokenConcurrency      int     `json:"maxTokenConcurrency"`
	InFlightLoadProducerName string  `json:"inFlightLoadProducerName" versions:"router-v0.9.."`
}

func (p *concurrencyParameters) Check(l *config.Loader, path *field.Path) {
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
	if p.MaxConcurrency <= 0 {
		l.Add(field.Invalid(path.Child("maxConcurrency"), p.MaxConcurrency, "must be greater than 0"))
	}
	if p.Headroom < 0 {
		l.Add(field.Invalid(path.Child("headroom"), p.Headroom, "must not be negative"))
	}
	if p.MaxTokenConcurrency <= 0 {
		l.Add(field.Invalid(path.Child("maxTokenConcurrency"), p.MaxTokenConcurrency, "must be greater than 0"))
	}
	switch p.ConcurrencyMode {
	case countRequests, countTokens:
	case countBoth:
		if l.Clock < version.Router10 {
			l.Add(field.NotSupported(path.Child("concurrencyMode"), p.ConcurrencyMode, []string{countRequests, countTokens}))
		}
	default:
		l.Add(field.NotSupported(path.Child("concurrencyMode"), p.ConcurrencyMode, []string{countBoth, countRequests, countTokens}))
	}
}

func newConcurrency(b *scheduler.Builder, p *config.Plugin) *concurrency {
	parameters := p.Parameters.(*concurrencyParameters)
	return &concurrency{
		onlyAsFilter: b.Dialect.Framework < version.Router09,
		load:         b.Load(parameters.InFlightLoadProducerName),
		byRequests:   parameters.ConcurrencyMode != countTokens,
		byTokens:     parameters.ConcurrencyMode != countRequests,
		requests:     float64(parameters.MaxConcurrency),
		tokens:       float64(parameters.MaxTokenConcurrency),
		requestLimit: limitOf(parameters.MaxConcurrency, parameters.Headroom),
		tokenLimit:   limitOf(parameters.MaxTokenConcurrency, parameters.Headroom),
	}
}

// limitOf rounds down.
func limitOf(capacity int, headroom float64) float64 {
	return float64(int64(float64(capacity) * (1 + headroom)))
}

type concurrency struct {
	// onlyAsFilter is whether the load in flight reaches the detector only as a filter.
	onlyAsFilter         bool
	load                 *scheduler.InFlightLoad
	byRequests, byTokens bool
	// requests and tokens are what one endpoint is meant for; with headroom, what
	// it may have.
	requests, tokens         float64
	requestLimit, tokenLimit float64
}

func (d *concurrency) Filter(_ *scheduler.Cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if d.byRequests && float64(d.load.Requests[e]) >= d.requestLimit || d.byTokens && float64(d.load.Tokens[e]) >= d.tokenLimit {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

func (d *concurrency) Saturation(c *scheduler.Cycle) float64 {
	endpoints := float64(c.Present)
	switch {
	case endpoints == 0:
		return 1
	case d.onlyAsFilter:
		return 0
	}
	var requests, tokens int64
	greater := 0.0
	for e := range d.load.Requests {
		if c.Gone(e) {
			continue
		}
		requests += d.load.Requests[e]
		tokens += d.load.Tokens[e]
		greater += max(float64(d.load.Requests[e])/d.requests, float64(d.load.Tokens[e])/d.tokens)
	}
	switch {
	case d.byRequests && d.byTokens:
		return greater / endpoints
	case d.byTokens:
		return float64(tokens) / (endpoints * d.tokens)
	default:
		return float64(requests) / (endpoints * d.requests)
	}
}
