// SPDX-License-Identifier: Apache-2.0

package simulation

import "fmt"

// phase is where a request in flight stands.
type phase uint8

const (
	phaseNone     phase = iota // the slot is free, or the request is being routed
	phaseDelayed               // the admission makes it wait at the gateway
	phaseAwaiting              // waits at the gateway for a replica to serve
	phaseGateway               // the router holds it
	phaseEntry                 // on its way to the wait queue
	phaseHeld                  // a prefill job that back-pressure keeps out of the wait queue
	phaseRemote                // in no queue yet: its prefill job has not come that far
	phaseWaiting               // in the wait queue, for the first time or preempted
	phaseLoading               // has blocks, whose content is on its way
	phaseReady                 // in the wait queue, with blocks whose content has come
	phaseRunning               // in the batch
	phaseLeaving               // the engine is done with it, its last token is on the way

	phaseCount // how many there are
)

var phaseNames = [phaseCount]string{"none", "delayed", "awaiting", "gateway", "entry", "held", "remote", "waiting", "loading", "ready", "running", "leaving"}

// String returns the phase in a word.
func (p phase) String() string { return phaseNames[p] }

// transitions are the phaseCount that may follow each phase. A slot may be released in
// any of them.
var transitions = [phaseCount][]phase{
	// A request is decided on: it waits at the gateway, or it goes to a replica.
	phaseNone:     {phaseDelayed, phaseAwaiting, phaseGateway, phaseEntry, phaseHeld, phaseRemote, phaseWaiting},
	phaseDelayed:  {phaseNone},
	phaseAwaiting: {phaseNone},
	phaseGateway:  {phaseNone},
	phaseEntry:    {phaseNone, phaseHeld, phaseWaiting},
	phaseHeld:     {phaseNone, phaseWaiting},
	phaseRemote:   {phaseNone, phaseWaiting},
	// A request is admitted, at once or after its KV has come.
	phaseWaiting: {phaseNone, phaseLoading, phaseRunning},
	phaseLoading: {phaseNone, phaseWaiting, phaseReady},
	phaseReady:   {phaseNone, phaseWaiting, phaseRunning},
	// A request is preempted, or gives its last token.
	phaseRunning: {phaseNone, phaseWaiting, phaseLeaving},
	// A request is over.
	phaseLeaving: {},
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

// atReplica reports whether a replica has the request and is not done with it.
func (p phase) atReplica() bool {
	return p >= phaseEntry && p < phaseLeaving
}

// Phase is where the request stands.
func (q *request) Phase() phase { return q.phase }

// moveTo puts the request into another phase.
func (q *request) moveTo(to phase) {
	if legal[q.phase]&(1<<to) == 0 {
		panic(fmt.Sprintf("simulator: request %d goes from phase %v to %v", q.info.ID, q.phase, to))
	}
	q.phase = to
}
