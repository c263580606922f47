// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const byLabelType = "by-label"

// byLabel keeps endpoints whose label has one of validValues, and with
// allowsNoLabel those without the label.
var byLabel = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         byLabelType,
		Registration: version.LLMD("scheduler-v0.2..router-main"),
		Roles:        config.FilterRole,
		Successor:    labelSelectorFilterType,
		Parameters:   func() any { return &byLabelParameters{} },
		Treatment:    treatLabels,
		Obstacles:    dropsUnlabelled,
		Passes: func(p *config.Plugin, labels map[string]string) bool {
			parameters := p.Parameters.(*byLabelParameters)
			value, labelled := labels[parameters.Label]
			return !labelled && parameters.AllowsNoLabel || slices.Contains(parameters.ValidValues, value)
		},
	},
	NewFilter: newLabelFilter,
}

type byLabelParameters struct {
	Label         string   `json:"label"`
	ValidValues   []string `json:"validValues"`
	AllowsNoLabel bool     `json:"allowsNoLabel"`
}

func (p *byLabelParameters) Check(l *config.Loader, path *field.Path) {
	if l.Clock < version.Scheduler04 {
		return
	}
	if p.Label == "" {
		l.Add(field.Required(path.Child("label"), "must name a label"))
	}
	if len(p.ValidValues) == 0 && !p.AllowsNoLabel {
		l.Add(field.Required(path.Child("validValues"), "must not be empty unless allowsNoLabel is true"))
	}
}
