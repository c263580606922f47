// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

// A ledger holds the tokens of requests in flight, by request ID.
type ledger struct {
	index table // ID → place in entries
	// entries and free reuse places, so that memory follows what is in flight.
	entries []ledgerEntry
	free    []int32
}

type ledgerEntry struct {
	request int
	tokens  int64
}

func newLedger() *ledger {
	l := &ledger{}
	l.index.keyOf = func(place int32) uint64 { return uint64(l.entries[place].request) }
	return l
}

func (l *ledger) put(request int, tokens int64) {
	if _, ok := l.index.find(uint64(request)); ok {
		panic(fmt.Sprintf("epp: request %d routed while it is in flight", request))
	}
	place := int32(len(l.entries))
	if n := len(l.free); n > 0 {
		place, l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.entries = append(l.entries, ledgerEntry{})
	}
	l.entries[place] = ledgerEntry{request, tokens}
	l.index.put(uint64(request), place)
}

// release returns a request's tokens and holds none for it from then on.
func (l *ledger) release(request int) int64 {
	place, ok := l.index.find(uint64(request))
	if !ok {
		return 0
	}
	tokens := l.entries[place].tokens
	l.entries[place].tokens = 0
	return tokens
}

// remove forgets a request and returns the tokens still held. It reports false
// for a request that is not there.
func (l *ledger) remove(request int) (int64, bool) {
	place, ok := l.index.find(uint64(request))
	if !ok {
		return 0, false
	}
	l.index.remove(uint64(request), place)
	l.free = append(l.free, place)
	return l.entries[place].tokens, true
}
