// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const activeRequestScorerType = "active-request-scorer"

// activeRequestScorer prefers endpoints with few requests in flight, by the
// EPP's own count: 1 up to idleThreshold, else (max − count)/max · maxBusyScore
// with the greatest count of the candidates.
var activeRequestScorer = pluginType{
	name:       activeRequestScorerType,
	roles:      scorerRole,
	parameters: func() any { return &activeRequestParameters{MaxBusyScore: 1} },
	needs: func(p *plugin) []dataKey {
		return []dataKey{{inFlightLoadData, p.Parameters.(*activeRequestParameters).InFlightLoadProducerName}}
	},
	newScorer: func(b *builder, p *plugin) scorer {
		parameters := p.Parameters.(*activeRequestParameters)
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

func (p *activeRequestParameters) check(l *loader, path *field.Path) {
	if p.RequestTimeout != "" {
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
		raw := 1.0
		if count := s.load.requests[e]; count > s.idleThreshold {
			raw = float64(greatest-count) / float64(greatest) * s.maxBusyScore
		}
		scores[i] = w.of(raw)
	}
}
