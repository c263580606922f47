// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerLabelAffinityScorerType = "header-label-affinity-scorer"

// headerLabelAffinityScorer prefers endpoints whose label says what a header of
// the request says: 1, else 0. Where no request carries the header that may be a
// constant of the endpoint, pinned by the instance's name.
var headerLabelAffinityScorer = factory{
	pluginType: pluginType{
		name:         headerLabelAffinityScorerType,
		registration: gie("router-v0.10.."),
		category:     AffinityCategory,
		roles:        scorerRole,
		alpha:        true,
		parameters:   func() any { return &headerLabelParameters{} },
		treatment: func(_ *Config, cluster *Cluster, p *plugin) (Treatment, string) {
			header := p.Parameters.(*headerLabelParameters).HeaderName
			if cluster.states(header) {
				return Exact, ""
			}
			if pins(cluster, attributeName{name: p.Name}) {
				return Approximated, fmt.Sprintf("scores are what is pinned as %s, whatever the header %q of a request would say", p.Name, header)
			}
			return Unsupported, fmt.Sprintf("no client of the workload states the header %q: state it, or pin what it scores as %q in the attributes of a pool", header, p.Name)
		},
	},
	newScorer: func(b *builder, p *plugin) scorer {
		parameters := p.Parameters.(*headerLabelParameters)
		if b.Cluster.states(parameters.HeaderName) {
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

func newHeaderLabel(b *builder, parameters *headerLabelParameters) headerLabel {
	s := headerLabel{values: b.Cluster.header(parameters.HeaderName)}
	for e := range b.Endpoints {
		s.labels = append(s.labels, b.labelsOf(e)[parameters.LabelKey])
	}
	return s
}

func (s headerLabel) score(c *cycle, candidates []int, w weight, scores []float64) {
	value := s.values[c.headers]
	for i, e := range candidates {
		raw := 0.0
		if value != "" && s.labels[e] == value {
			raw = 1
		}
		scores[i] = w.of(raw)
	}
}

type headerLabelParameters struct {
	HeaderName string `json:"headerName"`
	LabelKey   string `json:"labelKey"`
}

func (p *headerLabelParameters) check(l *loader, path *field.Path) {
	if p.HeaderName == "" {
		l.add(field.Required(path.Child("headerName"), "must name a header"))
	}
	if p.LabelKey == "" {
		l.add(field.Required(path.Child("labelKey"), "must name a label"))
	}
}
