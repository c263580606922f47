// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"cmp"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// endingPoll is how often a replica that drains is looked at.
const endingPoll = time.Second

// life is where a replica stands between its creation and its end.
type life struct {
	endpoint int
	unit     *unit
	stage    autoscaling.Stage
	// since is when the stage began; created and ready are of the replica that exists.
	since, created, ready simtime.Time
	// node is the node that it has a place on; noNode if it has none.
	node int
	// event ends the stage; endBy is when one that drains ends at the latest.
	event events.Event
	endBy simtime.Time
	// chance draws how long the stages take.
	chance *stats.Stream
	// spent is the time in each stage.
	spent [autoscaling.Stages]time.Duration
}

// newLives returns the lives of all endpoints at the start.
func newLives(c *simulator.Config, cluster *engine.Cluster) []life {
	lives := make([]life, len(cluster.Replicas))
	for i := range lives {
		l := &lives[i]
		*l = life{endpoint: i, node: noNode, ready: simtime.Never}
		l.event = events.Idle(events.StageEnds, i)
		l.chance = stats.NewStream(c.Seed, "scaling/replica/"+strconv.Itoa(i))
		if cluster.Replicas[i].Lifetimes.Present() {
			l.stage, l.ready = autoscaling.Serving, 0
		}
	}
	return lives
}

// enter puts a replica into another stage, now.
func (x *scaling) enter(l *life, to autoscaling.Stage) {
	l.unit.figures.settle(x, l.unit)
	l.spent[l.stage] += x.Now.Sub(max(l.since, x.measuredFrom))
	r := &x.cluster.Replicas[l.endpoint]
	switch {
	case to.Holds() && !l.stage.Holds():
		r.Lifetimes.Begin(x.Now)
	case l.stage.Holds() && !to.Holds():
		r.Lifetimes.End(x.Now)
	}
	if to.Serves() != l.stage.Serves() {
		x.gateway.SetDown(l.endpoint, !to.Serves())
	}
	l.stage, l.since = to, x.Now
	l.unit.figures.entered(x, l.unit)
	if x.onStaged != nil {
		x.onStaged(simulator.StageChange{At: x.Now, Endpoint: l.endpoint, Stage: to})
	}
}

// create begins the life of a replica.
func (x *scaling) create(endpoint int) {
	l := &x.lives[endpoint]
	l.created, l.ready = x.Now, simtime.Never
	if x.cluster.Replicas[endpoint].Config.NodePool > 0 {
		x.enter(l, autoscaling.Pending)
		return
	}
	x.provision(l)
}

// provision has a machine made ready for a replica, where that takes time.
func (x *scaling) provision(l *life) {
	machine := x.startup(l).Provisioning
	if machine.Mean == 0 {
		x.load(l)
		return
	}
	x.enter(l, autoscaling.Provisioning)
	x.endIn(l, machine.Draw(l.chance))
}

// load has the image pulled and the model loaded.
func (x *scaling) load(l *life) {
	x.enter(l, autoscaling.Loading)
	s := x.startup(l)
	x.endIn(l, s.ImagePull.Draw(l.chance)+s.ModelLoad.Draw(l.chance))
}

func (x *scaling) startup(l *life) *simulator.Startup {
	return &x.cluster.Replicas[l.endpoint].Config.Startup
}

// endIn lets the stage end after a time.
func (x *scaling) endIn(l *life, after time.Duration) { x.events.Move(&l.event, x.Now.Add(after)) }

// endStage ends the stage of a replica: its time is over.
func (x *scaling) endStage(endpoint int) {
	l := &x.lives[endpoint]
	switch l.stage {
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
func (x *scaling) startAgain(l *life) {
	l.unit.figures.FailedStarts++
	if l.node != noNode {
		x.load(l)
		return
	}
	x.provision(l)
}

// serve lets the router choose a replica from now on.
func (x *scaling) serve(l *life) {
	l.ready = x.Now
	warmUp := &x.startup(l).WarmUp
	r := &x.cluster.Replicas[l.endpoint]
	r.Ready, r.WarmUntil = x.Now, x.Now.Add(warmUp.Duration)
	if warmUp.Duration > 0 {
		x.enter(l, autoscaling.Warming)
		x.endIn(l, warmUp.Duration)
	} else {
		x.enter(l, autoscaling.Serving)
	}
	x.gateway.EndAwaiting(l.unit.Router)
}

// end takes a replica away: at once if it does not serve yet.
func (x *scaling) end(endpoint int) {
	l := &x.lives[endpoint]
	x.events.Move(&l.event, simtime.Never)
	if l.stage.Starts() {
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
func (x *scaling) drain(l *life) {
	r := &x.cluster.Replicas[l.endpoint]
	if x.Now < l.endBy && len(x.cluster.Dependents(r)) > 0 {
		poll := cmp.Or(r.Config.Ending.Poll, endingPoll)
		x.events.Move(&l.event, min(x.Now.Add(poll), l.endBy))
		return
	}
	x.lose(l)
	x.gone(l)
}

// lose empties a replica. The requests that it still has fail.
func (x *scaling) lose(l *life) {
	r := &x.cluster.Replicas[l.endpoint]
	lost := x.cluster.Stop(r)
	l.unit.figures.Lost += int64(len(lost))
	for _, id := range lost {
		x.gateway.Lose(id)
	}
	x.gateway.EvictRequested()
}

// gone ends the life of a replica that holds nothing more. Another one may take its place.
func (x *scaling) gone(l *life) {
	x.nodes.leave(l)
	x.enter(l, autoscaling.Absent)
	l.ready = simtime.Never
	x.resize(l.unit)
}
