// SPDX-License-Identifier: Apache-2.0

package keda

import (
	"cmp"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
)

// Convert returns the autoscaler of a ScaledObject, and the trigger that each of its metrics is
// from. KEDA orders metrics by their source.
func Convert(spec Spec) (made hpa.Spec, triggers []int) {
	spec = Defaults(spec)
	for i := range spec.Triggers {
		triggers = append(triggers, i)
	}
	slices.SortStableFunc(triggers, func(a, b int) int {
		return cmp.Compare(spec.Triggers[a].Metric.Source, spec.Triggers[b].Metric.Source)
	})
	made = hpa.Spec{Min: max(spec.Min, 1), Max: spec.Max, Behavior: spec.Behavior}
	for _, i := range triggers {
		made.Metrics = append(made.Metrics, spec.Triggers[i].Metric)
	}
	return made, triggers
}
