// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// Convert returns the autoscaler of a ScaledObject, and the trigger that each of its metrics is
// from. KEDA orders metrics by their source. The one metric of modifiers is from no trigger.
func Convert(spec Spec) (made hpa.Spec, triggers []int) {
	spec = defaults(spec)
	made = hpa.Spec{Min: max(spec.Min, 1), Max: spec.Max, Behavior: spec.Annotations.pause(spec.Behavior)}
	if spec.Modifiers != nil {
		made.Metrics = []hpa.Metric{{Source: hpa.External, Target: spec.Modifiers.Target}}
		return made, nil
	}
	for i := range spec.Triggers {
		triggers = append(triggers, i)
	}
	slices.SortStableFunc(triggers, func(a, b int) int {
		return cmp.Compare(spec.Triggers[a].Metric.Source, spec.Triggers[b].Metric.Source)
	})
	for _, i := range triggers {
		made.Metrics = append(made.Metrics, spec.Triggers[i].Metric)
	}
	return made, triggers
}

// pause returns a behaviour that allows no change in the directions that are paused.
func (a *Annotations) pause(behavior *hpa.Behavior) *hpa.Behavior {
	if !a.PausedIn && !a.PausedOut {
		return behavior
	}
	var paused hpa.Behavior
	if behavior != nil {
		paused = *behavior
	}
	if a.PausedIn {
		paused.ScaleDown = disabled(paused.ScaleDown)
	}
	if a.PausedOut {
		paused.ScaleUp = disabled(paused.ScaleUp)
	}
	return &paused
}

func disabled(rules *hpa.Rules) *hpa.Rules {
	var none hpa.Rules
	if rules != nil {
		none = *rules
	}
	none.Select = hpa.Disabled
	return &none
}
