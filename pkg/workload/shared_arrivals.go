// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"sort"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Order says in which order one of several is taken.
type Order string

const (
	// Cycle goes round.
	Cycle Order = "Cycle"
	// Random takes any, each time.
	Random Order = "Random"
)

// SharedArrivals is one arrival process whose requests are distributed among several clients.
// They have the same Arrivals and the same pointer.
type SharedArrivals struct {
	// Name names the random streams of the arrivals and of the choice of clients.
	Name string
	// Order is Random, by the clients' shares, or Cycle: in rounds in which each
	// client gets as many requests as it has Prompts to go round, else one, in
	// an order that is drawn once. So where a benchmark shuffles its prompts and
	// sends them again and again, a round is those prompts.
	Order Order
	// Shares are what part of the requests each client gets, in order; they sum
	// up to 1. A Cycle does not use them.
	Shares []float64
}

// clientPicker chooses which of several clients sends the next request.
type clientPicker struct {
	stream     *stats.Stream
	round      []int32 // members, for Cycle
	next       int
	cumulative []float64 // sums of shares, for Random
}

// newClientPicker returns the picker of clients of which client i has prompts[i].
func newClientPicker(d *SharedArrivals, prompts []int, seed int64) *clientPicker {
	r := &clientPicker{stream: stats.NewStream(seed, "workload/dealt/"+d.Name)}
	if d.Order == Random {
		sum := 0.0
		for _, share := range d.Shares {
			sum += share
			r.cumulative = append(r.cumulative, sum)
		}
		return r
	}
	for member, n := range prompts {
		for range n {
			r.round = append(r.round, int32(member))
		}
	}
	for i := len(r.round) - 1; i > 0; i-- {
		j := r.stream.IntN(i + 1)
		r.round[i], r.round[j] = r.round[j], r.round[i]
	}
	return r
}

// pick returns the member that sends the next request.
func (r *clientPicker) pick() int {
	if r.round == nil {
		u := r.stream.Float64()
		at := sort.Search(len(r.cumulative), func(i int) bool { return u < r.cumulative[i] })
		return min(at, len(r.cumulative)-1)
	}
	member := r.round[r.next]
	if r.next++; r.next == len(r.round) {
		r.next = 0
	}
	return int(member)
}
