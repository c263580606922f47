// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"context"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A Maker makes the input of a simulation, anew for each call and always the same. Calls may
// overlap.
type Maker func() (simulator.Config, error)

// Of returns the maker of a simulation of a plan. The traces must be the plan's.
func Of(p *experiment.Plan, traces trace.Set, of experiment.Case) Maker {
	return func() (simulator.Config, error) { return execute.TrustingConfig(p, traces, of) }
}

// A forced pick sends a request to an endpoint.
type forced struct{ request, endpoint int }

// simulateForced simulates with one forced pick until the requests of a watch have ended.
func (m Maker) simulateForced(ctx context.Context, f forced, w *watch) error {
	config, err := m()
	if err != nil {
		return err
	}
	applied := false
	config.Policies.Routing.Router.(policy.Forcible).Force(func(request int, candidates []int, chosen int) int {
		if applied || request != f.request || !slices.Contains(candidates, f.endpoint) {
			return chosen
		}
		applied = true
		return f.endpoint
	})
	if err := w.simulate(ctx, config); err != nil {
		return err
	}
	if !applied {
		return fmt.Errorf("request %d has no pick of endpoint %d in a second simulation: the simulation does not repeat itself", f.request, f.endpoint)
	}
	return nil
}
