// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const activeRequestScorerType = "active-request-scorer"

// activeRequestScorer prefers endpoints with few requests in flight, by the
// EPP's own count: 1 up to idleThreshold, else (max − count)/max · maxBusyScore
// with the greatest count of the candidates. Up to scheduler-v0.8 it counts for
// itself: see [activeRequestCounts].
var activeRequestScorer = factory{
	pluginType: pluginType{
		name:         activeRequestScorerType,
		neededInMay:  []dataKind{inFlightLoadData},
		registration: llmd("scheduler-v0.3.."),
		category:     LoadCategory,
		roles:        scorerRole,
		parameters:   func() any { return &activeRequestParameters{} },
		needs: func(p *plugin) []dataKey {
			return []dataKey{{inFlightLoadData, p.Parameters.(*activeRequestParameters).InFlightLoadProducerName}}
		},
		treatment: func(c *Config, _ *Cluster, _ *plugin) (Treatment, string) {
			if c.dialect.own == scheduler03 {
				return Approximated, "a request counts until the headers of its answer, which are taken to come with the first token; an engine that streams may send them sooner"
			}
			return Exact, ""
		},
	},
	newScorer: func(b *builder, p *plugin) scorer {
		parameters := p.Parameters.(*activeRequestParameters)
		if b.dialect.own < schedulerMay {
			return shared(b, p, func() *activeRequestCounts { return newActiveRequestCounts(b, parameters) })
		}
		return &activeRequest{
			load:          b.load(parameters.InFlightLoadProducerName),
			idleThreshold: int64(parameters.IdleThreshold),
			maxBusyScore:  parameters.MaxBusyScore,
		}
	},
}

type activeRequestParameters struct {
	RequestTimeout           string  `json:"requestTimeout,omitempty"`
	IdleThreshold            int     `json:"idleThreshold" versions:"scheduler-v0.7.."`
	MaxBusyScore             float64 `json:"maxBusyScore" versions:"scheduler-v0.7.."`
	InFlightLoadProducerName string  `json:"inFlightLoadProducerName" versions:"router-v0.9.."`
}

// defaults has busy endpoints score 0, which is what the EPP took an unset
// maxBusyScore for up to scheduler-520af478.
func (p *activeRequestParameters) defaults(at release) {
	if at < scheduler07 || at >= router09 {
		p.MaxBusyScore = 1
	}
	if at < schedulerMay {
		p.RequestTimeout = defaultRequestTimeout.String()
	}
}

const defaultRequestTimeout = 2 * time.Minute

// timeout is positive in versions that read it.
func (p *activeRequestParameters) timeout() time.Duration {
	timeout, err := time.ParseDuration(p.RequestTimeout)
	if err != nil {
		return 0
	}
	return timeout
}

func (p *activeRequestParameters) check(l *loader, path *field.Path) {
	switch {
	case l.clock < schedulerMay:
		if p.timeout() <= 0 {
			if p.RequestTimeout != "" {
				l.notice(path.Child("requestTimeout"), "replaced-value", "%q is no positive duration and is replaced by %s", p.RequestTimeout, defaultRequestTimeout)
			}
			p.RequestTimeout = defaultRequestTimeout.String()
		}
	case p.RequestTimeout != "":
		l.notice(path.Child("requestTimeout"), "deprecated", "deprecated, no effect")
		p.RequestTimeout = ""
	}
	if p.IdleThreshold < 0 {
		l.notice(path.Child("idleThreshold"), "replaced-value", "%d is replaced by 0", p.IdleThreshold)
		p.IdleThreshold = 0
	}
	if p.MaxBusyScore < 0 || p.MaxBusyScore > 1 {
		l.notice(path.Child("maxBusyScore"), "replaced-value", "%v is not between 0 and 1 and is replaced by 1", p.MaxBusyScore)
		p.MaxBusyScore = 1
	}
	p.InFlightLoadProducerName = orDefault(p.InFlightLoadProducerName, inFlightLoadData)
}

type activeRequest struct {
	load          *inFlightLoad
	idleThreshold int64
	maxBusyScore  float64
}

func (s *activeRequest) score(_ *cycle, candidates []int, w weight, scores []float64) {
	greatest := int64(0)
	for _, e := range candidates {
		greatest = max(greatest, s.load.requests[e])
	}
	for i, e := range candidates {
		scores[i] = w.of(busyScore(s.load.requests[e], greatest, s.idleThreshold, s.maxBusyScore))
	}
}

// busyScore is the raw score of an endpoint with so many requests.
func busyScore(count, greatest, idleThreshold int64, maxBusyScore float64) float64 {
	if count <= idleThreshold {
		return 1
	}
	return float64(greatest-count) / float64(greatest) * maxBusyScore
}
