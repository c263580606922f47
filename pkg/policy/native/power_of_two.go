// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// powerOfTwo draws a few different endpoints and takes the least loaded of them (Azar,
// Broder, Karlin, Upfal: Balanced Allocations, 1994; Mitzenmacher: The Power of Two Choices
// in Randomized Load Balancing, 2001). The papers draw with replacement, which makes no
// difference among many endpoints; routers such as Envoy and SGLang's draw different ones.
//
// Parameters: choices, 2, is how many are drawn, and all if there are fewer; load.
type powerOfTwo struct {
	choices int
	load    loadSignal
	stream  *stats.Stream
	drawn   []int // endpoints
	list    shortlist
}

func readPowerOfTwo(r *reader) func(*builder) chooser {
	choices, load := r.Count("choices", 2, "replicas to draw"), readLoadSignal(r)
	return func(b *builder) chooser {
		load.build(b)
		return &powerOfTwo{
			choices: choices, load: load, stream: stats.NewStream(b.seed, "native/power-of-two"),
			drawn: make([]int, 0, min(choices, b.endpoints)), list: newShortlist(b),
		}
	}
}

func (c *powerOfTwo) choose(r *round) int {
	c.draw(r)
	c.list.begin(r)
	c.list.keep(r, "drawn", func(e int) bool { return slices.Contains(c.drawn, e) })
	c.list.least(r, "least-loaded", func(e int) int { return c.load.of(r, e) })
	return c.list.pick()
}

// draw draws a set of endpoints, each as likely (Floyd's algorithm: Bentley, Floyd: A Sample
// of Brilliance, 1987).
func (c *powerOfTwo) draw(r *round) {
	c.drawn = c.drawn[:0]
	n := len(r.candidates)
	for last := max(n-c.choices, 0); last < n; last++ {
		e := r.candidates[c.stream.IntN(last+1)]
		if slices.Contains(c.drawn, e) {
			e = r.candidates[last]
		}
		c.drawn = append(c.drawn, e)
	}
}

func (c *powerOfTwo) explain(_ *round, x *Explanation) { c.list.explain(x) }
