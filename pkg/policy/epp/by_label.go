// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const byLabelType = "by-label"

// byLabel keeps endpoints whose label has one of validValues, and with
// allowsNoLabel those without the label.
var byLabel = factory{
	pluginType: pluginType{
		name:         byLabelType,
		registration: llmd("scheduler-v0.2..router-main"),
		roles:        filterRole,
		successor:    labelSelectorFilterType,
		parameters:   func() any { return &byLabelParameters{} },
		treatment:    treatLabels,
		obstacles:    dropsUnlabelled,
		passes: func(p *plugin, labels map[string]string) bool {
			parameters := p.Parameters.(*byLabelParameters)
			value, labelled := labels[parameters.Label]
			return !labelled && parameters.AllowsNoLabel || slices.Contains(parameters.ValidValues, value)
		},
	},
	newFilter: newLabelFilter,
}

type byLabelParameters struct {
	Label         string   `json:"label"`
	ValidValues   []string `json:"validValues"`
	AllowsNoLabel bool     `json:"allowsNoLabel"`
}

func (p *byLabelParameters) check(l *loader, path *field.Path) {
	if l.clock < scheduler04 {
		return
	}
	if p.Label == "" {
		l.add(field.Required(path.Child("label"), "must name a label"))
	}
	if len(p.ValidValues) == 0 && !p.AllowsNoLabel {
		l.add(field.Required(path.Child("validValues"), "must not be empty unless allowsNoLabel is true"))
	}
}
