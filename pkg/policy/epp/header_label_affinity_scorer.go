// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerLabelAffinityScorerType = "header-label-affinity-scorer"

// headerLabelAffinityScorer prefers endpoints whose label says what a header of
// the request says: 1, else 0. Here that is a constant of the endpoint, pinned by
// the instance's name.
var headerLabelAffinityScorer = pluginType{
	name:       headerLabelAffinityScorerType,
	roles:      scorerRole,
	alpha:      true,
	parameters: func() any { return &headerLabelParameters{} },
	treatment: func(_ *Config, cluster *Cluster, p *plugin) (Treatment, string) {
		header := p.Parameters.(*headerLabelParameters).HeaderName
		if cluster.pins(attributeName{name: p.Name}) {
			return Approximated, fmt.Sprintf("scores are what is pinned as %s, whatever the header %q of a request would say", p.Name, header)
		}
		return Unsupported, fmt.Sprintf("requests carry no headers here, so none says %q: pin what it scores as %q in the attributes of a pool", header, p.Name)
	},
	newScorer: func(b *builder, p *plugin) scorer { return pinnedScorer{b.pinned(attributeName{name: p.Name})} },
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
