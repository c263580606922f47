// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// A decisionTally gathers them.
type decisionTally struct {
	simulator.Decisions
	// priority and prompt are those of the first request that ended.
	priority int
	prompt   int32
	// firsts are the first replicas of the pools, after that of the first pool.
	firsts []int32
}

// newDecisionTally is of the replicas of pools.
func newDecisionTally(pools []simulator.Pool) decisionTally {
	var d decisionTally
	var next int32
	for i := range pools[:max(len(pools)-1, 0)] {
		next += int32(pools[i].Places())
		d.firsts = append(d.firsts, next)
	}
	return d
}

// place is a replica by its pool and its number in it, which do not depend on how many
// replicas other pools may have.
func (d *decisionTally) place(replica int32) uint64 {
	pool, first := uint64(0), int32(0)
	for _, next := range d.firsts {
		if replica < next {
			break
		}
		pool, first = pool+1, next
	}
	return pool<<40 | uint64(replica-first) + 1
}

// ended takes in a request that ended.
func (d *decisionTally) ended(at simtime.Time, q *request.Request, how simulator.SeriesColumn) {
	if d.Requests == 0 {
		d.priority, d.prompt = q.Info.Priority, q.Prompt
	}
	d.Requests++
	place := uint64(how) << 32
	if q.Accepted() {
		place |= d.place(q.Replica)
	}
	d.Digest += simulator.Mix(simulator.Mix(simulator.Mix(simulator.Mix(0, uint64(q.Info.ID)), place), uint64(q.FirstToken)), uint64(at))
	d.see(q)
}

// see takes note of the properties of a request.
func (d *decisionTally) see(q *request.Request) {
	if q.Info.Session != 0 {
		d.Shown |= simulator.ShownSessions
	}
	if q.Info.Adapter != 0 {
		d.Shown |= simulator.ShownAdapters
	}
	if q.Info.Headers != 0 {
		d.Shown |= simulator.ShownHeaders
	}
	if q.Info.Priority != d.priority {
		d.Shown |= simulator.ShownPriorities
	}
	if q.Prompt != d.prompt {
		d.Shown |= simulator.ShownLengths
	}
}
