// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const loadAwareScorerType = "load-aware-scorer"

// loadAwareScorer prefers short queues on an absolute scale, never above 0.5:
// 0.5·(1 − min(q, threshold)/threshold), q being the scraped number of waiting
// requests.
var loadAwareScorer = pluginType{
	name:       loadAwareScorerType,
	roles:      scorerRole,
	parameters: func() any { return &loadAwareParameters{Threshold: defaultLoadThreshold} },
	newScorer: func(_ *builder, p *plugin) scorer {
		return loadAware{threshold: p.Parameters.(*loadAwareParameters).Threshold}
	},
}

const defaultLoadThreshold = 128

type loadAwareParameters struct {
	// Threshold is the number of waiting requests that scores 0.
	Threshold int `json:"threshold"`
}

func (p *loadAwareParameters) check(l *loader, path *field.Path) {
	if p.Threshold <= 0 {
		l.warn(path.Child("threshold"), "%d is replaced by the default %d", p.Threshold, defaultLoadThreshold)
		p.Threshold = defaultLoadThreshold
	}
}

type loadAware struct{ threshold int }

func (s loadAware) score(c *cycle, candidates []int, raw []float64) {
	for i, e := range candidates {
		waiting := min(c.scrapes[e].Waiting, s.threshold)
		raw[i] = 0.5 * (1 - float64(waiting)/float64(s.threshold))
	}
}
