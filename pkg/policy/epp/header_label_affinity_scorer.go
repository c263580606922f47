// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const headerLabelAffinityScorerType = "header-label-affinity-scorer"

// headerLabelAffinityScorer prefers endpoints whose label says what a header of
// the request says: 1, else 0. Where no request carries the header that may be a
// constant of the endpoint, pinned by the instance's name.
var headerLabelAffinityScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         headerLabelAffinityScorerType,
		Registration: version.GIE("router-v0.10.."),
		Category:     config.AffinityCategory,
		Roles:        config.ScorerRole,
		Alpha:        true,
		Parameters:   func() any { return &headerLabelParameters{} },
		Treatment: func(_ *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
			header := p.Parameters.(*headerLabelParameters).HeaderName
			if cluster.States(header) {
				return config.Exact, ""
			}
			if isPinned(cluster, attributeName{name: p.Name}) {
				return config.Approximated, fmt.Sprintf("scores are what is pinned as %s, whatever the header %q of a request would say", p.Name, header)
			}
			return config.Unsupported, fmt.Sprintf("no client of the workload states the header %q: state it, or pin what it scores as %q in the attributes of a pool", header, p.Name)
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*headerLabelParameters)
		if b.Cluster.States(parameters.HeaderName) {
			return newHeaderLabel(b, parameters)
		}
		return pinnedScorer{pinnedOf(b, attributeName{name: p.Name})}
	},
}

// A headerLabel knows whose label says what a header says.
type headerLabel struct {
	labels []string // by endpoint
	values []string // by set of headers
}

func newHeaderLabel(b *scheduler.Builder, parameters *headerLabelParameters) headerLabel {
	s := headerLabel{values: b.Cluster.Header(parameters.HeaderName)}
	for e := range b.Endpoints {
		s.labels = append(s.labels, b.LabelsOf(e)[parameters.LabelKey])
	}
	return s
}

func (s headerLabel) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	value := s.values[c.Headers]
	for i, e := range candidates {
		raw := 0.0
		if value != "" && s.labels[e] == value {
			raw = 1
		}
		scores[i] = w.Of(raw)
	}
}

type headerLabelParameters struct {
	HeaderName string `json:"headerName"`
	LabelKey   string `json:"labelKey"`
}

func (p *headerLabelParameters) Check(l *config.Loader, path *field.Path) {
	if p.HeaderName == "" {
		l.Add(field.Required(path.Child("headerName"), "must name a header"))
	}
	if p.LabelKey == "" {
		l.Add(field.Required(path.Child("labelKey"), "must name a label"))
	}
}
