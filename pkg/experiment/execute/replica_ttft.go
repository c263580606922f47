// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// replicaTTFT are the times to first token of the measured requests, in ns, by the
// replica that had the request last.
type replicaTTFT []stats.Histogram

// watchReplicas returns what sees them in a simulation, if a metric asks for that; else
// nil.
func watchReplicas(c *simulator.Config, metrics []result.Metric) replicaTTFT {
	if !slices.ContainsFunc(metrics, func(m result.Metric) bool { return m.Name == result.MaxReplica }) {
		return nil
	}
	replicas := 0
	for i := range c.Pools {
		replicas += c.Pools[i].Places()
	}
	seen, next := make(replicaTTFT, replicas), c.Ended
	c.Ended = func(e simulator.RequestEnd) {
		if e.Measured && e.FirstToken >= 0 && e.Replica != simulator.NoReplica {
			seen[e.Replica].Record(int64(e.FirstToken.Sub(e.Arrival)))
		}
		if next != nil {
			next(e)
		}
	}
	return seen
}
