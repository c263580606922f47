// SPDX-License-Identifier: Apache-2.0

package epp

import "k8s.io/apimachinery/pkg/util/validation/field"

const headerLabelAffinityScorerType = "header-label-affinity-scorer"

// headerLabelAffinityScorer prefers endpoints whose label says what a header of
// the request says.
var headerLabelAffinityScorer = pluginType{
	name:       headerLabelAffinityScorerType,
	roles:      scorerRole,
	since:      router10,
	alpha:      true,
	parameters: func() any { return &headerLabelParameters{} },
	treatment:  unsupported("it needs headers of requests"),
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
