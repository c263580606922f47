// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"context"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// Reflect simulates a case of a plan, and returns the simulation and what went wrong in it.
// The traces must be the plan's. The report is nil where a point of a sweep is invalid.
func Reflect(ctx context.Context, p *experiment.Plan, traces trace.Set, of experiment.Case, metrics []result.Metric, by insight.Thresholds, check bool) (experiment.Simulation, *insight.Report, error) {
	var c *insight.Collector
	s, err := simulateOne(ctx, p, traces, of, metrics, observers{check: check, watch: func(config *simulator.Config) func() {
		c = insight.NewCollector(config, by)
		return c.Attach(config)
	}})
	if err != nil || c == nil {
		return s, nil, err
	}
	return s, c.Report(), nil
}
