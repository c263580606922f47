// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/engine"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/events"
	"windtunnel.dev/windtunnel/pkg/stats"
)

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

// Life is where a replica stands between its creation and its end.
type Life struct {
	Endpoint int
	Unit     *Unit
	Stage    autoscaling.Stage
	// since is when the stage began; created and ready are of the replica that exists.
	since, created, ready simtime.Time
	// Node is the node that it has a place on; noNode if it has none.
	Node int
	// Event ends the stage; endBy is when one that drains ends at the latest.
	Event events.Event
	endBy simtime.Time
	// chance draws how long the stages take.
	chance *stats.Stream
	// spent is the time in each stage.
	spent [autoscaling.Stages]time.Duration
}

// newLives returns the lives of all endpoints at the start.
func newLives(c *simulator.Config, cluster *engine.Cluster) []Life {
	lives := make([]Life, len(cluster.Replicas))
	for i := range lives {
		l := &lives[i]
		*l = Life{Endpoint: i, Node: NoNode, ready: simtime.Never}
		l.Event = events.Idle(events.StageEnds, i)
		l.chance = stats.NewStream(c.Seed, "scaling/replica/"+strconv.Itoa(i))
		if cluster.Replicas[i].Lifetimes.Present() {
			l.Stage, l.ready = autoscaling.Serving, 0
		}
	}
	return lives
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
