// SPDX-License-Identifier: Apache-2.0

package simulator

import "windtunnel.dev/windtunnel/pkg/simtime"

// kind is what an event is about. At one nanosecond events happen in the order
// of their kinds, so the order below decides results; a test pins it. Scrapes
// come before every kind and need no event of their own, see scrape.go.
type kind uint8

const (
	// kindWarmUpEnd restarts the figures of the replicas.
	kindWarmUpEnd kind = iota
	// kindHorizon ends the arrivals and starts the drain. It comes before
	// arrivals because those at the horizon are not taken.
	kindHorizon
	// kindArrival brings a request to the gateway, which routes it.
	kindArrival
	// kindEntry puts a request that was held up on its way to the engine
	// into the wait queue. The target is a request.
	kindEntry
	// kindStepEnd makes the results of a step take hold and forms the next
	// one. The target is a replica.
	kindStepEnd
	// kindWake forms the first step of an idle replica, once every arrival
	// of the nanosecond is in its queue. The target is a replica.
	kindWake
	// kindFirstToken and kindLastToken are tokens that reach the gateway
	// later than they leave the engine. The target is a request.
	kindFirstToken
	kindLastToken
	// kindDrainEnd ends the run. What else happens at that nanosecond counts.
	kindDrainEnd

	kinds
)

var kindNames = [kinds]string{
	"warm-up end", "horizon", "arrival", "entry", "step end", "wake",
	"first token", "last token", "drain end",
}

// String returns the kind's name.
func (k kind) String() string { return kindNames[k] }

// kindShift leaves 56 bits for the sequence number below the kind.
const kindShift = 56

// event is something that happens at a time. Events compare by (at, order),
// where order is the kind above the number that pushing gave: what was
// scheduled first happens first.
type event struct {
	at     simtime.Time
	order  uint64
	target int32
}

func (e *event) kind() kind { return kind(e.order >> kindShift) }

func (e *event) before(f *event) bool {
	if e.at != f.at {
		return e.at < f.at
	}
	return e.order < f.order
}

// agenda is the events to come: a binary heap, written out so that no event
// is boxed. The zero value is empty.
type agenda struct {
	heap   []event
	pushed uint64
}

func (a *agenda) push(at simtime.Time, k kind, target int32) {
	e := event{at: at, order: uint64(k)<<kindShift | a.pushed, target: target}
	a.pushed++
	a.heap = append(a.heap, e)
	h := a.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
}

// pop takes the earliest event. The agenda must not be empty.
func (a *agenda) pop() event {
	h := a.heap
	first := h[0]
	last := h[len(h)-1]
	h = h[:len(h)-1]
	a.heap = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
	return first
}
