// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// The make-up of a generated trace. The values were chosen by trial for the
// figures that WriteMooncake states.
const (
	generatedMaxInput  = 32768
	generatedMaxOutput = 2000
	// Batches come every batchGapMs to batchGapMs + batchJitterMs, with 1 to
	// maxBatch requests.
	batchGapMs, batchJitterMs = 2997, 6
	maxBatch                  = 19
	// continueProbability is the probability that a request continues one of the open
	// conversations. It does not if that was active less than minSilenceMs to
	// minSilenceMs + silenceJitterMs ago or has grown too long.
	continueProbability           = 0.17
	minSilenceMs, silenceJitterMs = 10_000, 50_000
	// maxOpen conversations are remembered; a new one takes the place of any.
	maxOpen = 256
)

// systemPromptTokens are the lengths of the shared beginnings; the i-th is
// chosen with a probability in proportion to 1/(i+1).
var systemPromptTokens = []int{1100, 700, 1800, 600, 1300}

// conversation is a text that grows.
type conversation struct {
	tokens int      // all that was said
	ids    []uint64 // of the full blocks that prompts have had so far
	ready  uint64   // ms; not before
}

// generator makes up the rows of a trace.
type generator struct {
	stream                 *stats.Stream
	opening, reply, answer stats.LogNormal // tokens
	system                 []conversation
	open                   []conversation
	ids                    uint64 // given out so far
	now                    uint64 // ms
	left                   int    // rows of this batch to come
	row                    []uint64
}

func newGenerator(seed int64) *generator {
	g := &generator{
		stream:  stats.NewStream(seed, "workload/mooncake"),
		opening: stats.LogNormal{Mu: stats.Log(1500), Sigma: 1.15},
		reply:   stats.LogNormal{Mu: stats.Log(120), Sigma: 1},
		answer:  stats.LogNormal{Mu: stats.Log(160), Sigma: 0.7},
	}
	for _, tokens := range systemPromptTokens {
		c := conversation{tokens: tokens}
		g.name(&c)
		g.system = append(g.system, c)
	}
	g.left = 1 + g.stream.IntN(maxBatch)
	return g
}

// next returns the next row, whose ids are valid until the call after it.
func (g *generator) next() mooncakeRow {
	if g.left == 0 {
		g.now += uint64(batchGapMs + g.stream.IntN(batchJitterMs+1))
		g.left = 1 + g.stream.IntN(maxBatch)
	}
	g.left--
	c := g.conversation()
	g.name(c)
	input, output := c.tokens, g.draw(g.answer, generatedMaxOutput)
	g.row = append(g.row[:0], c.ids...)
	if input%MooncakeBlockTokens != 0 {
		g.row = append(g.row, g.newID())
	}
	c.tokens += output
	c.ready = g.now + uint64(minSilenceMs+g.stream.IntN(silenceJitterMs+1))
	return mooncakeRow{timestamp: g.now, input: uint64(input), output: uint64(output), ids: g.row}
}

// conversation returns a conversation with the text of its next prompt.
func (g *generator) conversation() *conversation {
	if len(g.open) > 0 && g.stream.Float64() < continueProbability {
		c := &g.open[g.stream.IntN(len(g.open))]
		reply := g.draw(g.reply, generatedMaxInput)
		if c.ready <= g.now && c.tokens+reply <= generatedMaxInput {
			c.tokens += reply
			return c
		}
	}
	system := &g.system[g.systemPrompt()]
	c := conversation{
		tokens: system.tokens + g.draw(g.opening, generatedMaxInput-system.tokens),
		ids:    append([]uint64(nil), system.ids...),
	}
	if len(g.open) < maxOpen {
		g.open = append(g.open, c)
		return &g.open[len(g.open)-1]
	}
	place := &g.open[g.stream.IntN(len(g.open))]
	*place = c
	return place
}

// systemPrompt draws a system prompt's index.
func (g *generator) systemPrompt() int {
	total := 0.0
	for i := range g.system {
		total += 1 / float64(i+1)
	}
	at := g.stream.Float64() * total
	for i := range g.system {
		if at -= 1 / float64(i+1); at < 0 {
			return i
		}
	}
	return len(g.system) - 1
}

// name gives an id to each full block of c that has none. Blocks are named in
// order, so an id stands for all that comes before it, too.
func (g *generator) name(c *conversation) {
	for len(c.ids) < c.tokens/MooncakeBlockTokens {
		c.ids = append(c.ids, g.newID())
	}
}

func (g *generator) newID() uint64 {
	g.ids++
	return g.ids - 1
}

// draw returns a length from 1 to greatest.
func (g *generator) draw(law stats.LogNormal, greatest int) int {
	return int(max(1, min(math.Round(law.Sample(g.stream)), float64(greatest))))
}
