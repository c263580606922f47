// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// Decisions are what was decided on requests in a run, and what came of it. Two runs of
// the same requests with equal digests sent each request to the same place and served it
// at the same times: what tells their configurations apart changed nothing.
type Decisions struct {
	// Requests counts those that ended, measured or not: each was routed, refused or kept
	// back.
	Requests int64
	// Digest is a sum over requests, so that it does not depend on the order of their ends.
	Digest uint64
	// Shown are the properties that some of the requests had.
	Shown Shown
}

// Shown is a set of properties of requests on which only some policies act.
type Shown uint8

// The properties.
const (
	// ShownSessions: a request belongs to a session.
	ShownSessions Shown = 1 << iota
	// ShownAdapters: a request asks for a LoRA adapter.
	ShownAdapters
	// ShownHeaders: a request has headers.
	ShownHeaders
	// ShownPriorities: two requests have other priorities.
	ShownPriorities
	// ShownLengths: the prompts of two requests have other lengths.
	ShownLengths
)

// A decisionTally gathers them.
type decisionTally struct {
	Decisions
	// priority and prompt are those of the first request that ended.
	priority int
	prompt   int32
	// firsts are the first replicas of the pools, after that of the first pool.
	firsts []int32
}

// newDecisionTally is of the replicas of pools.
func newDecisionTally(pools []Pool) decisionTally {
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
func (d *decisionTally) ended(at simtime.Time, q *request, how SeriesColumn) {
	if d.Requests == 0 {
		d.priority, d.prompt = q.info.Priority, q.prompt
	}
	d.Requests++
	place := uint64(how) << 32
	if q.accepted {
		place |= d.place(q.replica)
	}
	d.Digest += Mix(Mix(Mix(Mix(0, uint64(q.info.ID)), place), uint64(q.firstToken)), uint64(at))
	d.see(q)
}

// see takes note of the properties of a request.
func (d *decisionTally) see(q *request) {
	if q.info.Session != 0 {
		d.Shown |= ShownSessions
	}
	if q.info.Adapter != 0 {
		d.Shown |= ShownAdapters
	}
	if q.info.Headers != 0 {
		d.Shown |= ShownHeaders
	}
	if q.info.Priority != d.priority {
		d.Shown |= ShownPriorities
	}
	if q.prompt != d.prompt {
		d.Shown |= ShownLengths
	}
}

// Mix takes a number into a digest: a step of splitmix64 (Steele, Lea and Flood: Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014).
func Mix(digest, x uint64) uint64 {
	z := (digest ^ x) + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
