// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const headerLabelAffinityScorerType = "header-label-affinity-scorer"

// headerLabelAffinityScorer prefers endpoints whose label says what a header of
// the request says: 1, else 0.
var headerLabelAffinityScorer = pluginType{
	name:       headerLabelAffinityScorerType,
	roles:      scorerRole,
	alpha:      true,
	parameters: func() any { return &headerLabelParameters{} },
	treatment: func(_ *Config, _ *Cluster, p *plugin) (Treatment, string) {
		return Unsupported, fmt.Sprintf("requests carry no headers here: what the header %q of each says would have to be pinned", p.Parameters.(*headerLabelParameters).HeaderName)
	},
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
