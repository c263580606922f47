// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const loadAwareScorerType = "load-aware-scorer"

// loadAwareScorer prefers short queues on an absolute scale, never above 0.5:
// 0.5·(1 − min(q, threshold)/threshold), q being the scraped number of waiting
// requests.
var loadAwareScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         loadAwareScorerType,
		Registration: version.LLMD("scheduler-v0.2.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &loadAwareParameters{Threshold: defaultLoadThreshold} },
	},
	NewScorer: func(_ *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		return loadAware{threshold: p.Parameters.(*loadAwareParameters).Threshold}
	},
}

const defaultLoadThreshold = 128

type loadAwareParameters struct {
	// Threshold is the number of waiting requests that scores 0.
	Threshold int `json:"threshold"`
}

func (p *loadAwareParameters) Check(l *config.Loader, path *field.Path) {
	if p.Threshold <= 0 {
		l.Notice(path.Child("threshold"), "replaced-value", "%d is replaced by the default %d", p.Threshold, defaultLoadThreshold)
		p.Threshold = defaultLoadThreshold
	}
}

type loadAware struct{ threshold int }

func (s loadAware) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	for i, e := range candidates {
		scores[i] = w.Of(s.raw(&c.Scrapes[e]))
	}
}

func (s loadAware) Rescore(c *scheduler.Cycle, changed, indexOf []int32, w scheduler.Weight, scores []float64) (rescored []int32, ok bool) {
	for _, e := range changed {
		scores[indexOf[e]] = w.Of(s.raw(&c.Scrapes[e]))
	}
	return changed, true
}

func (s loadAware) raw(scrape *policy.Scrape) float64 {
	waiting := min(scrape.Waiting, s.threshold)
	return 0.5 * (1 - float64(waiting)/float64(s.threshold))
}
