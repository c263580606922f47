// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/fleet"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// simulation is a run: what comes next, to its end. The gateway and the cluster do
// the rest.
type simulation struct {
	*run.State
	gateway *gateway.Gateway
	cluster *engine.Cluster

	source workload.Source
	// arriving is the request that was taken last: here, so that none is allocated for each.
	arriving workload.Request
	horizon  simulator.Horizon
	// disruptions are Config.Disruptions.
	disruptions []simulator.Disruption
	// scaling is nil where no scaler is.
	scaling *fleet.Scaling
	// events are those above the replicas that are known of.
	events *events.Queue
	pools  []string
	labels workload.Labels
	// arrivalsEnd is when arrivals ended.
	arrivalsEnd simtime.Time
}
