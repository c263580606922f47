// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"encoding/json"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/inspect"
)

// Validate says which fault a candidate has when it is read or decides about the first
// request; nil is none. An error is none of the policy.
func (e *Evaluator) Validate(ctx context.Context, c *Case, seed int64) (*Fault, error) {
	if c.plan == nil {
		return c.Policy.fault, nil
	}
	short, err := experiment.DecodePlan(c.plan.Encode())
	if err != nil {
		return nil, err
	}
	horizon := short.Scenario["horizon"].(experiment.Tree)
	horizon["requests"] = json.Number("1")
	for _, name := range []string{"duration", "warmup", "warmupRule"} {
		delete(horizon, name)
	}
	round := short.NewRound(0, []experiment.Trial{{Share: 1, Seeds: []int64{seed}}})
	_, err = inspect.Ask(ctx, short, c.Scenario.traces, round.At(0), inspect.Question{}, e.Fence)
	if fault := faultOf(err); fault != nil && ctx.Err() == nil {
		return fault, nil
	}
	return nil, err
}
