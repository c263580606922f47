// SPDX-License-Identifier: Apache-2.0

package request

import "fmt"

// Phase is where a request in flight stands.
type Phase uint8

// The phases.
const (
	None      Phase = iota // the slot is free, or the request is being routed
	Delayed                // the admission makes it wait at the gateway
	Awaiting               // waits at the gateway for a replica to serve
	AtGateway              // the router holds it
	Entering               // on its way to the wait queue
	Held                   // a prefill job that back-pressure keeps out of the wait queue
	Remote                 // in no queue yet: its prefill job has not come that far
	Waiting                // in the wait queue, for the first time or preempted
	Loading                // has blocks, whose content is on its way
	Ready                  // in the wait queue, with blocks whose content has come
	Running                // in the batch
	Leaving                // the engine is done with it, its last token is on the way

	phaseCount // how many there are
)

var phaseNames = [phaseCount]string{"none", "delayed", "awaiting", "gateway", "entry", "held", "remote", "waiting", "loading", "ready", "running", "leaving"}

// String returns the phase in a word.
func (p Phase) String() string { return phaseNames[p] }

// transitions are the phases that may follow each phase. A slot may be released in
// any of them.
var transitions = [phaseCount][]Phase{
	// A request is decided on: it waits at the gateway, or it goes to a replica. A job that keeps
	// blocks begins where it ends.
	None:      {Delayed, Awaiting, AtGateway, Entering, Held, Remote, Waiting, Leaving},
	Delayed:   {None},
	Awaiting:  {None},
	AtGateway: {None},
	Entering:  {None, Held, Waiting},
	Held:      {None, Waiting},
	Remote:    {None, Waiting},
	// A request is admitted, at once or after its KV has come.
	Waiting: {None, Loading, Running},
	Loading: {None, Waiting, Ready},
	Ready:   {None, Waiting, Running},
	// A request is preempted, or gives its last token.
	Running: {None, Waiting, Leaving},
	// A request is over.
	Leaving: {},
}

// legal has a bit for each phase that may follow.
var legal = func() (sets [phaseCount]uint16) {
	for from, all := range transitions {
		for _, to := range all {
			sets[from] |= 1 << to
		}
	}
	return sets
}()

// AtReplica reports whether a replica has the request and is not done with it.
func (p Phase) AtReplica() bool { return p >= Entering && p < Leaving }

// Phase is where the request stands.
func (q *Request) Phase() Phase { return q.phase }

// MoveTo puts the request into another phase.
func (q *Request) MoveTo(to Phase) {
	if legal[q.phase]&(1<<to) == 0 {
		panic(fmt.Sprintf("simulator: request %d goes from phase %v to %v", q.Info.ID, q.phase, to))
	}
	q.phase = to
}
