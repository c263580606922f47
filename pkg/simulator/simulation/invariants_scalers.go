// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/fleet"
)

// scaled checks that
//
//   - a unit wants replicas within its bounds, and as many exist as it wants, or as there
//     are places for;
//   - a replica holds requests only if it serves or drains, and the router may choose it
//     only if it serves;
//   - a replica that starts, warms up or drains goes on some time;
//   - a replica is paid for while it holds accelerators, and those of a node suffice for its
//     replicas.
func (v *invariants) scaled(s *simulation) {
	x := s.scaling
	if x == nil {
		return
	}
	for i := range x.Units {
		v.bounded(s, &x.Units[i])
	}
	taken := make([]int, len(x.Nodes.All))
	for i := range x.Lives {
		if l := &x.Lives[i]; l.Unit != nil {
			v.alive(s, l)
			if l.Node != fleet.NoNode {
				taken[l.Node] += x.Nodes.Of(l).Accelerators
			}
		}
	}
	for i, n := range taken {
		m := &x.Nodes.All[i]
		if has := x.Nodes.Pools[m.Pool].Accelerators; n != has-m.Free || n > has || n > 0 && m.State != fleet.NodeThere {
			broken(s, "node %d in state %d has %d accelerators, of which %d are free and %d are taken", i, m.State, has, m.Free, n)
		}
	}
}

// bounded checks how many replicas a unit wants and has.
func (v *invariants) bounded(s *simulation, u *fleet.Unit) {
	for k := range u.Pools {
		exist, vacant := 0, 0
		for endpoint := range s.scaling.Of(u, k) {
			switch l := &s.scaling.Lives[endpoint]; {
			case l.Stage.Exists():
				exist++
			case l.Stage == autoscaling.Absent:
				vacant++
			}
		}
		asked := u.Tick.At > simtime.Time(u.Interval)
		switch {
		case asked && (u.Wanted[k] < u.Min[k] || u.Wanted[k] > u.Max[k]):
			broken(s, "unit %q wants %d replicas of pool %d, within %d and %d", u.Name, u.Wanted[k], k, u.Min[k], u.Max[k])
		case exist > u.Wanted[k] || exist < u.Wanted[k] && vacant > 0:
			broken(s, "unit %q wants %d replicas of pool %d: %d exist, and %d places are free", u.Name, u.Wanted[k], k, exist, vacant)
		}
	}
}

// alive checks one replica.
func (v *invariants) alive(s *simulation, l *fleet.Life) {
	r := &s.cluster.Replicas[l.Endpoint]
	down := s.gateway.View.Down != nil && s.gateway.View.Down[l.Endpoint]
	goes := l.Event.Queued() && l.Event.At >= s.Now
	moves := l.Stage == autoscaling.Provisioning || l.Stage == autoscaling.Loading || l.Stage == autoscaling.Warming || l.Stage == autoscaling.Draining
	switch {
	case down == l.Stage.Serves():
		broken(s, "replica %d is %v, and down: %t", l.Endpoint, l.Stage, down)
	case !l.Stage.Serves() && l.Stage != autoscaling.Draining && len(s.cluster.Dependents(r)) > 0:
		broken(s, "replica %d is %v, with %d requests", l.Endpoint, l.Stage, len(s.cluster.Dependents(r)))
	case goes != moves:
		broken(s, "replica %d is %v, and goes on at %v", l.Endpoint, l.Stage, l.Event.At)
	case r.Lifetimes.Present() != l.Stage.Holds():
		broken(s, "replica %d is %v, and paid for: %t", l.Endpoint, l.Stage, r.Lifetimes.Present())
	}
}
