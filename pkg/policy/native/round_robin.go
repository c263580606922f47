// SPDX-License-Identifier: Apache-2.0

package native

// roundRobin takes the endpoints in turn. Where some are gone, the turn goes on
// over those that are there.
type roundRobin struct{ turn int }

func readRoundRobin(*reader) func(*builder) chooser {
	return func(*builder) chooser { return &roundRobin{} }
}

func (c *roundRobin) choose(r *round) int {
	c.turn++
	return (c.turn - 1) % len(r.candidates)
}
