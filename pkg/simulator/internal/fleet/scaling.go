// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"
	"time"

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

// New returns the units of a Config; nil without units.
func New(state *run.State, g *gateway.Gateway, cluster *engine.Cluster, queue *events.Queue, c *simulator.Config) *Scaling {
	if len(c.Scaling) == 0 {
		return nil
	}
	x := &Scaling{State: state, gateway: g, cluster: cluster, events: queue, onScaled: c.Scaled, onStaged: c.Staged}
	x.Nodes = newNodes(state, cluster, queue, c.NodePools)
	x.Lives = newLives(c, cluster)
	g.CountFlows(c.Routers(), c.AwaitReplicas)
	for i := range c.Scaling {
		x.Units = append(x.Units, x.newUnit(i, &c.Scaling[i]))
	}
	for i := range x.Units {
		x.start(&x.Units[i])
	}
	return x
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
	u.figures.start(u.Pools, x.serving(u))
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

// serving counts the replicas of a unit that serve: those of its first pool, and the others.
func (x *Scaling) serving(u *Unit) (n [2]int) {
	for k := range u.Pools {
		for endpoint := range x.Of(u, k) {
			if x.Lives[endpoint].Stage.Serves() {
				n[min(k, 1)]++
			}
		}
	}
	return n
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

// Restart begins the figures anew.
func (x *Scaling) Restart(at simtime.Time) {
	if x == nil {
		return
	}
	x.Now = at
	for i := range x.Units {
		u := &x.Units[i]
		u.figures.settle(x.Now, x.measuredFrom)
		u.figures.restart(at)
	}
	x.measuredFrom = x.Now
	for i := range x.Lives {
		x.Lives[i].spent = [autoscaling.Stages]time.Duration{}
	}
}

// Report settles the figures at the end of the run.
func (x *Scaling) Report(o *simulator.Result, end simtime.Time) {
	if x == nil {
		return
	}
	x.Now = end
	for i := range x.Units {
		u := &x.Units[i]
		u.figures.settle(x.Now, x.measuredFrom)
		o.Units = append(o.Units, u.figures.report())
	}
	for i := range x.Lives {
		if l := &x.Lives[i]; l.Unit != nil {
			l.spent[l.Stage] += end.Sub(max(l.since, x.measuredFrom))
			o.Replicas[i].Stages = l.spent
		}
	}
}
