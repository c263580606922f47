// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
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
	for i := range x.units {
		v.bounded(s, &x.units[i])
	}
	taken := make([]int, len(x.nodes.all))
	for i := range x.lives {
		if l := &x.lives[i]; l.unit != nil {
			v.alive(s, l)
			if l.node != noNode {
				taken[l.node] += x.nodes.of(l).Accelerators
			}
		}
	}
	for i, n := range taken {
		m := &x.nodes.all[i]
		if has := x.nodes.pools[m.pool].Accelerators; n != has-m.free || n > has || n > 0 && m.state != nodeThere {
			broken(s, "node %d in state %d has %d accelerators, of which %d are free and %d are taken", i, m.state, has, m.free, n)
		}
	}
}

// bounded checks how many replicas a unit wants and has.
func (v *invariants) bounded(s *simulation, u *unit) {
	for k := range u.Pools {
		exist, vacant := 0, 0
		for endpoint := range s.scaling.of(u, k) {
			switch l := &s.scaling.lives[endpoint]; {
			case l.stage.Exists():
				exist++
			case l.stage == autoscaling.Absent:
				vacant++
			}
		}
		asked := u.tick.At > simtime.Time(u.Interval)
		switch {
		case asked && (u.wanted[k] < u.Min[k] || u.wanted[k] > u.Max[k]):
			broken(s, "unit %q wants %d replicas of pool %d, within %d and %d", u.Name, u.wanted[k], k, u.Min[k], u.Max[k])
		case exist > u.wanted[k] || exist < u.wanted[k] && vacant > 0:
			broken(s, "unit %q wants %d replicas of pool %d: %d exist, and %d places are free", u.Name, u.wanted[k], k, exist, vacant)
		}
	}
}

// alive checks one replica.
func (v *invariants) alive(s *simulation, l *life) {
	r := &s.cluster.Replicas[l.endpoint]
	down := s.gateway.View.Down != nil && s.gateway.View.Down[l.endpoint]
	goes := l.event.Queued() && l.event.At >= s.Now
	moves := l.stage == autoscaling.Provisioning || l.stage == autoscaling.Loading || l.stage == autoscaling.Warming || l.stage == autoscaling.Draining
	switch {
	case down == l.stage.Serves():
		broken(s, "replica %d is %v, and down: %t", l.endpoint, l.stage, down)
	case !l.stage.Serves() && l.stage != autoscaling.Draining && len(s.cluster.Dependents(r)) > 0:
		broken(s, "replica %d is %v, with %d requests", l.endpoint, l.stage, len(s.cluster.Dependents(r)))
	case goes != moves:
		broken(s, "replica %d is %v, and goes on at %v", l.endpoint, l.stage, l.event.At)
	case r.Lifetimes.Present() != l.stage.Holds():
		broken(s, "replica %d is %v, and paid for: %t", l.endpoint, l.stage, r.Lifetimes.Present())
	}
}
