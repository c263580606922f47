// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
)

// Apply applies an event that concerns scaling, now.
func (x *Scaling) Apply(e *events.Event) {
	switch e.Kind {
	case events.MonitorReads:
		u := &x.Units[e.Sequence]
		x.read(u)
		x.events.Move(&u.reads, e.At.Add(u.Monitor.Interval))
		if u.Trigger != nil && u.Trigger.Fires(x.show(u)) {
			x.ask(u, true)
		}
	case events.ScalerTicks:
		u := &x.Units[e.Sequence]
		x.events.Move(&u.Tick, e.At.Add(u.Interval))
		x.ask(u, false)
	case events.NodeChanges:
		x.Nodes.change(e.Sequence)
		x.place()
	case events.StageEnds:
		x.endStage(e.Sequence)
	}
}

// show returns the view of a unit as it is to be seen now.
func (x *Scaling) show(u *Unit) *autoscaling.View {
	v := &u.view
	v.Now = x.Now
	for k := range v.Pools {
		p := &v.Pools[k]
		p.Wanted, p.Replicas = u.Wanted[k], p.Replicas[:0]
		for endpoint := range x.Of(u, k) {
			if l := &x.Lives[endpoint]; l.Stage.Exists() {
				p.Replicas = append(p.Replicas, autoscaling.Replica{
					Endpoint: p.First + endpoint - u.first[k], Stage: l.Stage, Created: l.created, Ready: l.ready,
				})
			}
		}
	}
	return v
}

// ask asks the scaler of a unit, and does what it says.
func (x *Scaling) ask(u *Unit, triggered bool) {
	v := x.show(u)
	u.notes = u.notes[:0]
	var gaps autoscaling.Gaps
	v.Notes, v.Gaps = nil, nil
	if x.onScaled != nil {
		v.Notes, v.Gaps = &u.notes, &gaps
	}
	copy(u.next, u.Wanted)
	reason := u.Scaler.Scale(v, u.next)
	d := simulator.ScalerCall{At: x.Now, Unit: u.index, Triggered: triggered, Reason: reason, Gaps: gaps}
	if x.onScaled != nil {
		d.Was, d.Stated, d.Notes = slices.Clone(u.Wanted), slices.Clone(u.next), slices.Clone(u.notes)
	}
	for k := range u.next {
		u.next[k] = min(max(u.next[k], u.Min[k]), u.Max[k])
	}
	if x.onScaled != nil {
		d.Wanted = slices.Clone(u.next)
		x.onScaled(d)
	}
	u.figures.decided(u.Wanted, u.next)
	copy(u.Wanted, u.next)
	x.resize(u)
}
