// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const concurrencyDetectorType = "concurrency-detector"

// concurrencyDetector goes by the EPP's own counts. As a filter it keeps
// endpoints with fewer requests in flight than maxConcurrency·(1 + headroom),
// or tokens than maxTokenConcurrency·(1 + headroom), or both where
// concurrencyMode is hybrid; it may leave none.
//
// As the saturation detector it has requests of negative priority shed while
// what is in flight everywhere ÷ what may be is 1 or more; in mode hybrid, the
// mean over endpoints of the greater of the two ratios.
//
// Before router-v0.9 nobody tells the detector what is in flight: the producer only
// does so for the request that it counts for, and so the filter knows. While there
// are endpoints the saturation is 0.
var concurrencyDetector = factory{
	pluginType: pluginType{
		name:         concurrencyDetectorType,
		neededInMay:  []dataKind{inFlightLoadData},
		registration: gie("gie-v1.5.."),
		roles:        filterRole | saturationDetectorRole,
		parameters: func() any {
			return &concurrencyParameters{MaxConcurrency: 100, ConcurrencyMode: countRequests, MaxTokenConcurrency: 1000000}
		},
		needs: func(p *plugin) []dataKey {
			return []dataKey{{inFlightLoadData, p.Parameters.(*concurrencyParameters).InFlightLoadProducerName}}
		},
		treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			if c.dialect.framework < router09 && c.document.FlowControl.SaturationDetector.PluginRef == p.Name {
				return Exact, "never finds the pool saturated: in " + c.dialect.name + " it is only told what is in flight as a filter"
			}
			return treatDetector(c, cluster, p)
		},
	},
	newFilter:   func(b *builder, p *plugin) filter { return newConcurrency(b, p) },
	newDetector: func(b *builder, p *plugin) saturationDetector { return newConcurrency(b, p) },
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

func (p *concurrencyParameters) check(l *loader, path *field.Path) {
	p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
	if p.MaxConcurrency <= 0 {
		l.add(field.Invalid(path.Child("maxConcurrency"), p.MaxConcurrency, "must be greater than 0"))
	}
	if p.Headroom < 0 {
		l.add(field.Invalid(path.Child("headroom"), p.Headroom, "must not be negative"))
	}
	if p.MaxTokenConcurrency <= 0 {
		l.add(field.Invalid(path.Child("maxTokenConcurrency"), p.MaxTokenConcurrency, "must be greater than 0"))
	}
	switch p.ConcurrencyMode {
	case countRequests, countTokens:
	case countBoth:
		if l.clock < router10 {
			l.add(field.NotSupported(path.Child("concurrencyMode"), p.ConcurrencyMode, []string{countRequests, countTokens}))
		}
	default:
		l.add(field.NotSupported(path.Child("concurrencyMode"), p.ConcurrencyMode, []string{countBoth, countRequests, countTokens}))
	}
}

func newConcurrency(b *builder, p *plugin) *concurrency {
	parameters := p.Parameters.(*concurrencyParameters)
	return &concurrency{
		untold:       b.dialect.framework < router09,
		load:         b.load(parameters.InFlightLoadProducerName),
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
	// untold is whether it is only told of what is in flight as a filter.
	untold               bool
	load                 *inFlightLoad
	byRequests, byTokens bool
	// requests and tokens are what one endpoint is meant for; with headroom, what
	// it may have.
	requests, tokens         float64
	requestLimit, tokenLimit float64
}

func (d *concurrency) filter(_ *cycle, candidates []int) []int {
	kept := candidates[:0]
	for _, e := range candidates {
		if d.byRequests && float64(d.load.requests[e]) >= d.requestLimit || d.byTokens && float64(d.load.tokens[e]) >= d.tokenLimit {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

func (d *concurrency) saturation(c *cycle) float64 {
	endpoints := float64(c.there)
	switch {
	case endpoints == 0:
		return 1
	case d.untold:
		return 0
	}
	var requests, tokens int64
	greater := 0.0
	for e := range d.load.requests {
		if c.gone(e) {
			continue
		}
		requests += d.load.requests[e]
		tokens += d.load.tokens[e]
		greater += max(float64(d.load.requests[e])/d.requests, float64(d.load.tokens[e])/d.tokens)
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
