// SPDX-License-Identifier: Apache-2.0

package study

import (
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// steps judges the gates at each step of a rollout, in order; nil of other sweeps.
func (c *changes) steps() []result.Step {
	rollout := c.Plan.Rollout()
	if rollout == nil {
		return nil
	}
	var steps []result.Step
	for _, value := range rollout.Values {
		percent, _ := strconv.Atoi(value) // the schema has numbers
		at := slices.IndexFunc(c.points, func(p experiment.Point) bool {
			return p.Is([]v1alpha1.Assignment{{Name: rollout.Name, Value: value}})
		})
		point := c.points[at]
		var gates []result.GateResult
		for _, g := range c.criteria.Gates {
			one := c.contender(&g, point.String(), point.ID, c.evidence(point.ID))
			judged := g.JudgeOne(&one, c.standard(&g))
			judged.Message = one.Name + ": " + judged.Message
			gates = append(gates, judged)
		}
		steps = append(steps, result.NewStep(percent, point.ID, gates))
	}
	return steps
}

// FillSteps fills in what came of the steps of a rollout.
func FillSteps(status *v1alpha1.PolicySweepStatus, v *Judged) {
	status.Steps = nil
	if v == nil {
		return
	}
	for _, s := range v.Steps {
		status.Steps = append(status.Steps, v1alpha1.StepStatus{
			Percent: int32(s.Percent), Verdict: v1alpha1.GateOutcome(s.Verdict), Reason: string(s.Reason), //nolint:gosec // from 1 to 100
			Message: clip.Text(s.Message, maxGateMessageBytes),
		})
	}
}
