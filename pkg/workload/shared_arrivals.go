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

// clientPicker chooses which copy of a client sends the next request.
type clientPicker struct {
	stream     *stats.Stream
	round      []int32 // copies, for Cycle
	next       int
	cumulative []float64 // sums of shares, for Random
}

// newClientPicker returns the picker of a client's copies; nil where they have no arrivals.
func newClientPicker(c *Client, seed int64) *clientPicker {
	if c.ClosedLoop != nil {
		return nil
	}
	p := &clientPicker{stream: stats.NewStream(seed, "workload/dealt/"+c.Name)}
	if c.Copies.SharedArrivals == Random {
		sum := 0.0
		for _, share := range c.Copies.Shares() {
			sum += share
			p.cumulative = append(p.cumulative, sum)
		}
		return p
	}
	inRound := 1
	if c.Prompts != nil && c.Prompts.Order != Random {
		inRound = c.Prompts.Count
	}
	p.round = make([]int32, 0, c.Copies.Count*inRound)
	for member := range c.Copies.Count {
		for range inRound {
			p.round = append(p.round, int32(member))
		}
	}
	for i := len(p.round) - 1; i > 0; i-- {
		j := p.stream.IntN(i + 1)
		p.round[i], p.round[j] = p.round[j], p.round[i]
	}
	return p
}

// pick returns the copy that sends the next request, from 0.
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
