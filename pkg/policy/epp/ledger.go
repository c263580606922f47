// SPDX-License-Identifier: Apache-2.0

package epp

import "fmt"

// A ledger holds the tokens of requests in flight, by request ID.
type ledger struct {
	index table // ID → place in tokens
	// tokens and free reuse places, so that memory follows what is in flight.
	tokens []int64
	free   []int32
}

func (l *ledger) put(request int, tokens int64) {
	place := int32(len(l.tokens))
	if n := len(l.free); n > 0 {
		place = l.free[n-1]
	}
	if _, added := l.index.findOrPut(uint64(request), place); !added {
		panic(fmt.Sprintf("epp: request %d routed while it is in flight", request))
	}
	if n := len(l.free); n > 0 {
		l.free = l.free[:n-1]
		l.tokens[place] = tokens
	} else {
		l.tokens = append(l.tokens, tokens)
	}
}

// release returns a request's tokens and holds none for it from then on.
func (l *ledger) release(request int) int64 {
	place, ok := l.index.find(uint64(request))
	if !ok {
		return 0
	}
	tokens := l.tokens[place]
	l.tokens[place] = 0
	return tokens
}

// remove forgets a request and returns the tokens still held. It reports false
// for a request that is not there.
func (l *ledger) remove(request int) (int64, bool) {
	place, ok := l.index.find(uint64(request))
	if !ok {
		return 0, false
	}
	l.index.remove(uint64(request))
	l.free = append(l.free, place)
	return l.tokens[place], true
}
