// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/epp/internal/hashtable"
)

// A ledger holds something for each request in flight, by request ID.
type ledger[T any] struct {
	index hashtable.Table // ID → place in entries
	// entries and free reuse places, so that memory follows what is in flight.
	entries []ledgerEntry[T]
	free    []int32
}

type ledgerEntry[T any] struct {
	request int
	held    T
}

func newLedger[T any]() *ledger[T] {
	l := &ledger[T]{}
	l.index.KeyOf = func(place int32) uint64 { return uint64(l.entries[place].request) }
	return l
}

func (l *ledger[T]) put(request int, held T) {
	if _, ok := l.index.Find(uint64(request)); ok {
		panic(fmt.Sprintf("epp: request %d routed while it is in flight", request))
	}
	place := int32(len(l.entries))
	if n := len(l.free); n > 0 {
		place, l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.entries = append(l.entries, ledgerEntry[T]{})
	}
	l.entries[place] = ledgerEntry[T]{request, held}
	l.index.Put(uint64(request), place)
}

// of returns what is held for a request, for the next call only; nil for one
// that is not there.
func (l *ledger[T]) of(request int) *T {
	place, ok := l.index.Find(uint64(request))
	if !ok {
		return nil
	}
	return &l.entries[place].held
}

// remove forgets a request and returns what was held for it. It reports false
// for one that is not there.
func (l *ledger[T]) remove(request int) (held T, ok bool) {
	place, ok := l.index.Find(uint64(request))
	if !ok {
		return held, false
	}
	l.index.Remove(uint64(request), place)
	l.free = append(l.free, place)
	return l.entries[place].held, true
}
