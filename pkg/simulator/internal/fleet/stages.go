// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"cmp"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
)

// endingPoll is how often a replica that drains is looked at.
const endingPoll = time.Second

// enter puts a replica into another stage, now.
func (x *Scaling) enter(l *Life, to autoscaling.Stage) {
	l.Unit.figures.settle(x.Now, x.measuredFrom)
	l.spent[l.Stage] += x.Now.Sub(max(l.since, x.measuredFrom))
	r := &x.cluster.Replicas[l.Endpoint]
	switch {
	case to.Holds() && !l.Stage.Holds():
		r.Lifetimes.Begin(x.Now)
	case l.Stage.Holds() && !to.Holds():
		r.Lifetimes.End(x.Now)
	}
	if to.Serves() != l.Stage.Serves() {
		x.gateway.SetDown(l.Endpoint, !to.Serves())
	}
	l.Stage, l.since = to, x.Now
	l.Unit.figures.entered(x.serving(l.Unit))
	if x.onStaged != nil {
		x.onStaged(simulator.StageChange{At: x.Now, Endpoint: l.Endpoint, Stage: to})
	}
}

// create begins the life of a replica.
func (x *Scaling) create(endpoint int) {
	l := &x.Lives[endpoint]
	l.created, l.ready = x.Now, simtime.Never
	if x.cluster.Replicas[endpoint].Config.NodePool > 0 {
		x.enter(l, autoscaling.Pending)
		return
	}
	x.provision(l)
}

// provision has a machine made ready for a replica, where that takes time.
func (x *Scaling) provision(l *Life) {
	machine := x.startup(l).Provisioning
	if machine.Mean == 0 {
		x.load(l)
		return
	}
	x.enter(l, autoscaling.Provisioning)
	x.endIn(l, machine.Draw(l.chance))
}

// load has the image pulled and the model loaded.
func (x *Scaling) load(l *Life) {
	x.enter(l, autoscaling.Loading)
	s := x.startup(l)
	x.endIn(l, s.ImagePull.Draw(l.chance)+s.ModelLoad.Draw(l.chance))
}

func (x *Scaling) startup(l *Life) *simulator.Startup {
	return &x.cluster.Replicas[l.Endpoint].Config.Startup
}

// endIn lets the stage end after a time.
func (x *Scaling) endIn(l *Life, after time.Duration) { x.events.Move(&l.Event, x.Now.Add(after)) }

// endStage ends the stage of a replica: its time is over.
func (x *Scaling) endStage(endpoint int) {
	l := &x.Lives[endpoint]
	switch l.Stage {
	case autoscaling.Provisioning:
		x.load(l)
	case autoscaling.Loading:
		if share := x.startup(l).FailureShare; share > 0 && l.chance.Float64() < share {
			x.startAgain(l)
			return
		}
		x.serve(l)
	case autoscaling.Warming:
		x.enter(l, autoscaling.Serving)
	case autoscaling.Draining:
		x.drain(l)
	}
}

// startAgain begins the start of a replica that has failed.
func (x *Scaling) startAgain(l *Life) {
	l.Unit.figures.FailedStarts++
	if l.Node != NoNode {
		x.load(l)
		return
	}
	x.provision(l)
}

// serve lets the router choose a replica from now on.
func (x *Scaling) serve(l *Life) {
	l.ready = x.Now
	warmUp := &x.startup(l).WarmUp
	r := &x.cluster.Replicas[l.Endpoint]
	r.Ready, r.WarmUntil = x.Now, x.Now.Add(warmUp.Duration)
	if warmUp.Duration > 0 {
		x.enter(l, autoscaling.Warming)
		x.endIn(l, warmUp.Duration)
	} else {
		x.enter(l, autoscaling.Serving)
	}
	x.gateway.EndAwaiting(l.Unit.Router)
}

// end takes a replica away: at once if it does not serve yet.
func (x *Scaling) end(endpoint int) {
	l := &x.Lives[endpoint]
	x.events.Move(&l.Event, simtime.Never)
	if l.Stage.Starts() {
		x.gone(l)
		return
	}
	x.enter(l, autoscaling.Draining)
	ending := &x.cluster.Replicas[endpoint].Config.Ending
	l.endBy = gateway.Deadline(x.Now, ending.Timeout)
	switch ending.Mode {
	case simulator.EndWhenServed:
		x.drain(l)
	case simulator.EndAtOnce:
		x.lose(l)
		x.gone(l)
	case simulator.EndElsewhere:
		x.gateway.Fail(x.cluster.RanksOf(endpoint))
		x.gone(l)
	}
}

// drain looks whether a replica that drains has served its requests, or has had its time.
func (x *Scaling) drain(l *Life) {
	r := &x.cluster.Replicas[l.Endpoint]
	if x.Now < l.endBy && len(x.cluster.Dependents(r)) > 0 {
		poll := cmp.Or(r.Config.Ending.Poll, endingPoll)
		x.events.Move(&l.Event, min(x.Now.Add(poll), l.endBy))
		return
	}
	x.lose(l)
	x.gone(l)
}

// lose empties a replica. The requests that it still has fail.
func (x *Scaling) lose(l *Life) {
	r := &x.cluster.Replicas[l.Endpoint]
	lost := x.cluster.Stop(r)
	l.Unit.figures.Lost += int64(len(lost))
	for _, id := range lost {
		x.gateway.Lose(id)
	}
	x.gateway.EvictRequested()
}

// gone ends the life of a replica that holds nothing more. Another one may take its place.
func (x *Scaling) gone(l *Life) {
	x.Nodes.leave(l)
	x.enter(l, autoscaling.Absent)
	l.ready = simtime.Never
	x.resize(l.Unit)
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
	x.place()
}

// place loads the replicas that find places on nodes.
func (x *Scaling) place() {
	for _, l := range x.Nodes.place(x.Lives) {
		x.load(l)
	}
}
