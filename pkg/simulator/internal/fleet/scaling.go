// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Scaling is the units that scalers scale: what they are asked, and what becomes of the
// replicas.
type Scaling struct {
	*run.State
	gateway *gateway.Gateway
	cluster *engine.Cluster
	events  *events.Queue
	Units   []Unit
	// Lives are those of all endpoints. Endpoints that no unit has live as they did at
	// the start.
	Lives []Life
	Nodes nodes
	// measuredFrom is when the figures started.
	measuredFrom simtime.Time

	onScaled func(simulator.ScalerCall)
	onStaged func(simulator.StageChange)
}

// Unit is a unit with what was wanted last.
type Unit struct {
	*simulator.ScaledUnit
	index int
	// first is the first endpoint of each pool.
	first       []int
	view        autoscaling.View
	Wanted      []int // by pool
	next        []int // scratch
	notes       []autoscaling.Note
	Tick, reads events.Event
	figures     unitFigures
}

// New returns the units of a Config; nil without units.
func New(state *run.State, g *gateway.Gateway, cluster *engine.Cluster, queue *events.Queue, c *simulator.Config) *Scaling {
	if len(c.Scaling) == 0 {
		return nil
	}
	x := &Scaling{State: state, gateway: g, cluster: cluster, events: queue, onScaled: c.Scaled, onStaged: c.Staged}
	x.Nodes = newNodes(x, c.NodePools)
	x.Lives = newLives(c, cluster)
	g.CountFlows(routersOf(c), c.RouterOf, c.AwaitReplicas)
	for i := range c.Scaling {
		x.Units = append(x.Units, x.newUnit(i, &c.Scaling[i]))
	}
	for i := range x.Units {
		x.start(&x.Units[i])
	}
	return x
}

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
	case events.StageEnds:
		x.endStage(e.Sequence)
	}
}

// routersOf is how many routers there are.
func routersOf(c *simulator.Config) int {
	n := 1
	for i := range c.Pools {
		n = max(n, c.Pools[i].Router+1)
	}
	return n
}

func (x *Scaling) newUnit(index int, config *simulator.ScaledUnit) Unit {
	u := Unit{ScaledUnit: config, index: index, next: make([]int, len(config.Pools))}
	u.view.Monitor = config.Monitor
	place := 0
	for k, p := range config.Pools {
		first, endpoints := x.endpointsOf(p)
		pool := x.cluster.Replicas[first].Config
		u.first = append(u.first, first)
		u.Wanted = append(u.Wanted, pool.Replicas)
		u.view.Pools = append(u.view.Pools, autoscaling.Pool{First: place, Endpoints: endpoints, Min: config.Min[k], Max: config.Max[k]})
		place += endpoints
	}
	return u
}

// endpointsOf returns the first endpoint of a pool, and how many there are.
func (x *Scaling) endpointsOf(pool int) (first, endpoints int) {
	first = slices.IndexFunc(x.cluster.Replicas, func(r engine.Replica) bool { return r.Pool == pool })
	return first, x.cluster.Replicas[first].Config.Places()
}

// start begins the life of a unit's replicas, and queues when it is looked at.
func (x *Scaling) start(u *Unit) {
	u.Tick = events.Idle(events.ScalerTicks, u.index)
	u.reads = events.Idle(events.MonitorReads, u.index)
	x.events.Move(&u.Tick, simtime.Time(u.Interval))
	x.events.Move(&u.reads, simtime.Time(u.Monitor.Interval))
	for k := range u.Pools {
		for endpoint := range x.Of(u, k) {
			l := &x.Lives[endpoint]
			l.Unit = u
			x.cluster.Replicas[endpoint].WatchLatencies()
			if l.Stage == autoscaling.Serving {
				x.Nodes.takeAtStart(l)
			}
		}
	}
	u.figures.start(x, u)
}

// Of iterates over the endpoints of a pool of a unit.
func (x *Scaling) Of(u *Unit, pool int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for endpoint := u.first[pool]; endpoint < u.first[pool]+u.view.Pools[pool].Endpoints; endpoint++ {
			if !yield(endpoint) {
				return
			}
		}
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
	v.Notes = nil
	if x.onScaled != nil {
		v.Notes = &u.notes
	}
	copy(u.next, u.Wanted)
	reason := u.Scaler.Scale(v, u.next)
	d := simulator.ScalerCall{At: x.Now, Unit: u.index, Triggered: triggered, Reason: reason}
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

// resize starts and ends replicas until as many exist as are wanted, as far as places are
// free.
func (x *Scaling) resize(u *Unit) {
	for k := range u.Pools {
		for x.existing(u, k) > u.Wanted[k] {
			x.end(x.leastNeeded(u, k))
		}
		for x.existing(u, k) < u.Wanted[k] {
			endpoint, ok := x.vacant(u, k)
			if !ok {
				break // until one that drains has ended
			}
			x.create(endpoint)
		}
	}
	x.Nodes.place()
}

// existing counts the replicas of a pool that do not drain.
func (x *Scaling) existing(u *Unit, pool int) int {
	n := 0
	for endpoint := range x.Of(u, pool) {
		if x.Lives[endpoint].Stage.Exists() {
			n++
		}
	}
	return n
}

// vacant returns the first place of a pool without a replica.
func (x *Scaling) vacant(u *Unit, pool int) (endpoint int, ok bool) {
	for endpoint := range x.Of(u, pool) {
		if x.Lives[endpoint].Stage == autoscaling.Absent {
			return endpoint, true
		}
	}
	return 0, false
}

// leastNeeded returns the replica that a Deployment takes away first: one that does not
// serve yet, the last one created; otherwise the one that began to serve last. Of equal
// ones it is that of the last place.
func (x *Scaling) leastNeeded(u *Unit, pool int) int {
	best := -1
	for endpoint := range x.Of(u, pool) {
		l := &x.Lives[endpoint]
		if l.Stage.Exists() && (best < 0 || !x.Lives[best].neededLess(l)) {
			best = endpoint
		}
	}
	return best
}

// neededLess reports whether a replica is taken away before another one.
func (l *Life) neededLess(other *Life) bool {
	switch {
	case l.Stage.Starts() != other.Stage.Starts():
		return l.Stage.Starts()
	case l.Stage.Starts():
		return l.created > other.created
	default:
		return l.ready > other.ready
	}
}
