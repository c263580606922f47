// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
)

const loadAwareScorerType = "load-aware-scorer"

// loadAwareScorer prefers short queues on an absolute scale, never above 0.5:
// 0.5·(1 − min(q, threshold)/threshold), q being the scraped number of waiting
// requests.
var loadAwareScorer = factory{
	pluginType: pluginType{
		name:         loadAwareScorerType,
		registration: llmd("scheduler-v0.2.."),
		category:     LoadCategory,
		roles:        scorerRole,
		parameters:   func() any { return &loadAwareParameters{Threshold: defaultLoadThreshold} },
	},
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
		l.notice(path.Child("threshold"), "replaced-value", "%d is replaced by the default %d", p.Threshold, defaultLoadThreshold)
		p.Threshold = defaultLoadThreshold
	}
}

type loadAware struct{ threshold int }

func (s loadAware) score(c *cycle, candidates []int, w weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.of(s.raw(&c.scrapes[e]))
	}
}

func (s loadAware) rescore(c *cycle, changed []int32, w weight, scores []float64) bool {
	for _, e := range changed {
		scores[e] = w.of(s.raw(&c.scrapes[e]))
	}
	return true
}

func (s loadAware) raw(scrape *policy.Scrape) float64 {
	waiting := min(scrape.Waiting, s.threshold)
	return 0.5 * (1 - float64(waiting)/float64(s.threshold))
}
