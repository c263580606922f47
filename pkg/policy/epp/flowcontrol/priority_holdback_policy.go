// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// priorityHoldback lets the highest of N priorities fill the pool up to
// maxCeiling, the lowest up to minCeiling, and those between up to a ceiling on
// the line from one to the other: by rank,
// cᵢ = maxCeiling − i·(maxCeiling − minCeiling)/(N − 1), or by value,
// c(p) = minCeiling + (p − pₘᵢₙ)/(pₘₐₓ − pₘᵢₙ)·(maxCeiling − minCeiling). A single
// priority has the greatest ceiling.
var priorityHoldback = flowFactory{
	PluginType: config.PluginType{
		Name:         "priority-holdback-policy",
		Registration: version.GIE("router-v0.10.."),
		Roles:        config.FlowControlRole | config.UsageLimitRole,
		Alpha:        true,
		Parameters: func() any {
			return &holdbackParameters{Shape: "linear", Domain: "rank", MaxCeiling: 1}
		},
		Treatment: treatFlowControl(config.Exact, ""),
	},
	newLimit: func(p *config.Plugin) usageLimit { return newPriorityHoldback(p.Parameters.(*holdbackParameters)) },
}

// holdbackParameters say from which saturation on requests of lower priorities
// wait.
type holdbackParameters struct {
	Shape      string   `json:"shape"`
	Domain     string   `json:"domain"`
	MinCeiling *float64 `json:"minCeiling"`
	MaxCeiling float64  `json:"maxCeiling"`
}

const holdbackByValue = "value"

func (p *holdbackParameters) Check(l *config.Loader, path *field.Path) {
	if p.Shape != "linear" {
		l.Add(field.NotSupported(path.Child("shape"), p.Shape, []string{"linear"}))
	}
	if p.Domain != "rank" && p.Domain != holdbackByValue {
		l.Add(field.NotSupported(path.Child("domain"), p.Domain, []string{"rank", holdbackByValue}))
	}
	if p.MaxCeiling <= 0 || p.MaxCeiling > 1 {
		l.Add(field.Invalid(path.Child("maxCeiling"), p.MaxCeiling, "must be greater than 0 and at most 1"))
	}
	switch at := path.Child("minCeiling"); {
	case p.MinCeiling == nil:
		l.Add(field.Required(at, "must be at least 0 and less than maxCeiling"))
	case *p.MinCeiling < 0 || *p.MinCeiling >= min(p.MaxCeiling, 1):
		l.Add(field.Invalid(at, *p.MinCeiling, "must be at least 0 and less than maxCeiling"))
	}
}

type priorityHoldbackLimit struct {
	least, greatest float64
	byValue         bool
}

func newPriorityHoldback(p *holdbackParameters) priorityHoldbackLimit {
	return priorityHoldbackLimit{least: *p.MinCeiling, greatest: p.MaxCeiling, byValue: p.Domain == holdbackByValue}
}

func (l priorityHoldbackLimit) limit(_ float64, priorities []int, ceilings []float64) {
	last := len(priorities) - 1
	if last <= 0 {
		for i := range ceilings {
			ceilings[i] = l.greatest
		}
		return
	}
	spread := l.greatest - l.least
	highest, lowest := float64(priorities[0]), float64(priorities[last])
	for i, p := range priorities {
		if l.byValue {
			share := (float64(p) - lowest) / (highest - lowest)
			ceilings[i] = l.least + float64(share*spread)
			continue
		}
		ceilings[i] = l.greatest - float64(float64(i)*spread)/float64(last)
	}
}
