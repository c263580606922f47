// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/epp/internal/hashtable"
)

// A Ledger holds something for each request in flight, by request ID.
type Ledger[T any] struct {
	Index hashtable.Table // ID → place in entries
	// Entries and free reuse places, so that memory follows what is in flight.
	Entries []ledgerEntry[T]
	free    []int32
}

type ledgerEntry[T any] struct {
	request int
	held    T
}

// NewLedger returns an empty ledger.
func NewLedger[T any]() *Ledger[T] {
	l := &Ledger[T]{}
	l.Index.KeyOf = func(place int32) uint64 { return uint64(l.Entries[place].request) }
	return l
}

// Put adds a request that is not there.
func (l *Ledger[T]) Put(request int, held T) {
	if _, ok := l.Index.Find(uint64(request)); ok {
		panic(fmt.Sprintf("epp: request %d routed while it is in flight", request))
	}
	place := int32(len(l.Entries))
	if n := len(l.free); n > 0 {
		place, l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.Entries = append(l.Entries, ledgerEntry[T]{})
	}
	l.Entries[place] = ledgerEntry[T]{request, held}
	l.Index.Put(uint64(request), place)
}

// Of returns what is held for a request, for the next call only; nil for one
// that is not there.
func (l *Ledger[T]) Of(request int) *T {
	place, ok := l.Index.Find(uint64(request))
	if !ok {
		return nil
	}
	return &l.Entries[place].held
}

// Remove forgets a request and returns what was held for it. It reports false
// for one that is not there.
func (l *Ledger[T]) Remove(request int) (held T, ok bool) {
	place, ok := l.Index.Find(uint64(request))
	if !ok {
		return held, false
	}
	l.Index.Remove(uint64(request), place)
	l.free = append(l.free, place)
	return l.Entries[place].held, true
}
