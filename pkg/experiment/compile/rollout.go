// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"fmt"
	"strconv"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// spellRollout writes into a sweep's spec what its rollout stands for: one parameter, whose values are the
// shares of the backend, and the share 0 as the baseline. Objectives are derived of the gates, and are about
// all requests, since the backend serves none at the baseline.
func spellRollout(spec *v1alpha1.PolicySweepSpec) {
	rollout := spec.Rollout
	share := v1alpha1.Parameter{Name: rollout.Backend, Path: experiment.Render(experiment.SharePath(rollout.Backend))}
	for _, percent := range rollout.Steps {
		share.Values = append(share.Values, strconv.Itoa(int(percent)))
	}
	spec.Parameters = []v1alpha1.Parameter{share}
	spec.Baseline = &v1alpha1.Baseline{Parameters: []v1alpha1.Assignment{{Name: rollout.Backend, Value: experiment.NoShare}}}
	if len(spec.Objectives) == 0 {
		for _, g := range spec.Gates {
			spec.Objectives = withObjective(spec.Objectives, ofAllPools(g.Metric), g.Operator)
		}
	}
}

// ofAllPools is a metric without its pool. The share of a pool stays, since all requests have none.
func ofAllPools(metric string) string {
	m, errs := result.ParseMetric(metric, nil)
	if len(errs) > 0 || m.Needs() == result.NeedsRoute {
		return metric
	}
	return result.Of(m).OfAllPools().String()
}

// rolloutFields are the fields of a rollout that spelled out ones stand for.
func rolloutFields(rollout *v1alpha1.Rollout) []spelledField {
	fields := []spelledField{{"spec.parameters[0].path", "spec.rollout.backend"}}
	for i := range rollout.Steps {
		fields = append(fields, spelledField{fmt.Sprintf("spec.parameters[0].values[%d]", i), fmt.Sprintf("spec.rollout.steps[%d]", i)})
	}
	return append(fields, spelledField{"spec.parameters", "spec.rollout"}, spelledField{"spec.baseline.parameters", "spec.rollout.backend"})
}
