// SPDX-License-Identifier: Apache-2.0

package hpa

import "time"

// Defaults returns the spec as the API server stores it. It shares the policies of the author
// with the spec.
//
// A spec without behaviour stays so. The window of scaling down stays open too, because the
// controller fills it in.
func Defaults(spec Spec) Spec {
	if spec.Min == 0 {
		spec.Min = 1
	}
	if len(spec.Metrics) == 0 {
		spec.Metrics = []Metric{{Source: Resource, CPU: true, Target: Target{Type: Utilization, Value: 80}}}
	}
	if spec.Behavior != nil {
		spec.Behavior = &Behavior{
			ScaleUp:   withDefaults(spec.Behavior.ScaleUp, defaultUp()),
			ScaleDown: withDefaults(spec.Behavior.ScaleDown, defaultDown()),
		}
	}
	return spec
}

func defaultUp() *Rules {
	return &Rules{
		Window: new(time.Duration),
		Select: Max,
		Policies: []Policy{
			{Type: PodsPolicy, Value: 4, Period: 15 * time.Second},
			{Type: PercentPolicy, Value: 100, Period: 15 * time.Second},
		},
	}
}

func defaultDown() *Rules {
	return &Rules{
		Select:   Max,
		Policies: []Policy{{Type: PercentPolicy, Value: 100, Period: 15 * time.Second}},
	}
}

// withDefaults writes what the author says over the defaults.
func withDefaults(author, rules *Rules) *Rules {
	if author == nil {
		return rules
	}
	if author.Window != nil {
		rules.Window = author.Window
	}
	if author.Select != "" {
		rules.Select = author.Select
	}
	if author.Policies != nil {
		rules.Policies = author.Policies
	}
	rules.Tolerance = author.Tolerance
	return rules
}
