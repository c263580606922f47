// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A Scaler states how many replicas the pools of a unit are to have: of one pool, or of
// a prefill pool and a decode pool, in this order. One simulation owns it; it is not
// called concurrently.
type Scaler interface {
	// Scale writes the replicas wanted of each pool into wanted, which holds those that
	// were wanted before, and returns why. The caller keeps to the bounds of the pools.
	// The view is only valid during the call.
	Scale(view *View, wanted []int) Reason
}

// Reason says in a sentence why a scaler wants what it wants, or why it wants no change.
type Reason string

// View is what a scaler may see.
type View struct {
	Now simtime.Time
	// Pools are those of the unit, in its order.
	Pools []Pool
	// Monitor has what was scraped of the gateway and of the pools' replicas.
	Monitor *Monitor
	// Notes collects the values that a decision rests on; nil if they are not needed.
	Notes *[]Note
	// Gaps collects what a decision lacked; nil if it is not needed.
	Gaps *Gaps
}

// Gaps are the values that a decision lacked.
type Gaps struct {
	// Metrics have no value. Each is here once.
	Metrics []string
	// Blind says that there was no decision without them.
	Blind bool
}

// Pool is a pool of the unit.
type Pool struct {
	// First is the place of the pool's first endpoint in a [Sample]; Endpoints is how
	// many there are.
	First, Endpoints int
	// Min and Max bound the replicas.
	Min, Max int
	// Wanted is what was last asked for, within the bounds. Replicas that drain do not
	// count, and those that start do, as for a Deployment.
	Wanted int
	// Replicas are those that exist and do not drain, in order of endpoints.
	Replicas []Replica
}

// Ready counts the replicas that serve.
func (p *Pool) Ready() int {
	n := 0
	for i := range p.Replicas {
		if p.Replicas[i].Stage.Serves() {
			n++
		}
	}
	return n
}

// Replica is one replica.
type Replica struct {
	// Endpoint is its place in a [Sample].
	Endpoint int
	Stage    Stage
	// Created is when it was asked for, Ready when it began to serve; Never before that.
	Created, Ready simtime.Time
}

// Note is a value that a decision rests on.
type Note struct {
	Name  string
	Value float64
}

// Note notes a value that the decision rests on.
func (v *View) Note(name string, value float64) {
	if v.Notes != nil {
		*v.Notes = append(*v.Notes, Note{name, value})
	}
}

// Lacks notes that a metric has no value.
func (v *View) Lacks(metric string) {
	if v.Gaps != nil && !slices.Contains(v.Gaps.Metrics, metric) {
		v.Gaps.Metrics = append(v.Gaps.Metrics, metric)
	}
}

// Blind notes that there is no decision for want of values.
func (v *View) Blind() {
	if v.Gaps != nil {
		v.Gaps.Blind = true
	}
}
