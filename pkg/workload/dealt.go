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

// Dealt is one arrival process whose requests are dealt out to several clients.
// They have the same Arrivals and the same pointer.
type Dealt struct {
	// Name names the random streams of the arrivals and of the dealing.
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

// dealer chooses who of several clients sends the next request.
type dealer struct {
	stream *stats.Stream
	round  []int32 // members, for Cycle
	next   int
	until  []float64 // sums of shares, for Random
}

// newDealer returns the dealer of clients of which client i has prompts[i].
func newDealer(d *Dealt, prompts []int, seed int64) *dealer {
	r := &dealer{stream: stats.NewStream(seed, "workload/dealt/"+d.Name)}
	if d.Order == Random {
		sum := 0.0
		for _, share := range d.Shares {
			sum += share
			r.until = append(r.until, sum)
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

// deal returns the member that sends the next request.
func (r *dealer) deal() int {
	if r.round == nil {
		u := r.stream.Float64()
		at := sort.Search(len(r.until), func(i int) bool { return u < r.until[i] })
		return min(at, len(r.until)-1)
	}
	member := r.round[r.next]
	if r.next++; r.next == len(r.round) {
		r.next = 0
	}
	return int(member)
}
