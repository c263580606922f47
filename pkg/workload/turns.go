// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"math"
	"math/bits"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// turns are when streams send their next requests. It is a tournament: a tree over the streams
// in which each node has the earlier one of two, of equal ones that of the stream with the lower
// number.
type turns struct {
	// nodes[1] is the root, the streams' own turns are the leaves, from nodes[leaves] on.
	nodes  []turn
	leaves int
}

type turn struct {
	at     simtime.Time
	stream int32
}

func (t turn) before(u turn) bool { return t.at < u.at || t.at == u.at && t.stream < u.stream }

func newTurns(times []simtime.Time) turns {
	leaves := 1 << bits.Len(uint(len(times)-1))
	t := turns{nodes: make([]turn, 2*leaves), leaves: leaves}
	for i := range t.nodes {
		t.nodes[i] = turn{math.MaxInt64, math.MaxInt32}
	}
	for i, at := range times {
		t.set(int32(i), at)
	}
	return t
}

// first is the turn that comes first.
func (t *turns) first() turn { return t.nodes[1] }

// set moves the turn of a stream.
func (t *turns) set(stream int32, at simtime.Time) {
	nodes := t.nodes
	winner := turn{at, stream}
	i := t.leaves + int(stream)
	nodes[i] = winner
	for i > 1 {
		if other := nodes[i^1]; other.before(winner) {
			winner = other
		}
		i /= 2
		nodes[i] = winner
	}
}
