// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"math"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// pickByTurns is strategy turn-priority of program-aware-fairness: the flow goes next that has the
// greatest
//
//	turn + turnPriorityTimeWeight · seconds that its head has waited
//
// and of equal ones the one whose head has waited longer; what is equal then is left to chance. A wait
// ends at the TTL of requests, by default 60 s, which bounds what it adds.
//
// Source: llm-d-router pull request 2116 with the README and the tests that followed it in September
// 2026. router-v0.11 was cut later than the pull request was merged; the fork that the version is
// read from lacks it.
func (a *programAwareFair) pickByTurns(now simtime.Time, flows []*flow) *flow {
	var best *flow
	highest, longest, ties := math.Inf(-1), time.Duration(0), 0
	for _, f := range flows {
		head := f.head()
		if head == nil {
			continue
		}
		wait := now.Sub(head.since)
		score := float64(a.turnOf(f.tenant, head.since, now)) + float64(a.parameters.TurnPriorityTimeWeight*wait.Seconds())
		switch {
		case score > highest, score == highest && wait > longest:
			best, highest, longest, ties = f, score, wait, 1
		case score == highest && wait == longest:
			ties++
			if a.random.IntN(ties) == 0 {
				best = f
			}
		}
	}
	return best
}

// turnOf is the number of the turn that a flow's head is: one more than those that have left. It is 1
// if the program was idle, with no request in flight, for more than turnPriorityInactivitySeconds
// between its last answer and the arrival of the head. It is always 1 in the flow of requests that name
// no program, as they belong to many.
func (a *programAwareFair) turnOf(flow int, since, now simtime.Time) int {
	if flow == a.unnamed {
		return 1
	}
	p, idle := a.program(flow, now), a.parameters.TurnPriorityInactivitySeconds
	if idle > 0 && p.inFlight == 0 && since.Sub(p.last).Seconds() > idle {
		return 1
	}
	return p.dispatched + 1
}
