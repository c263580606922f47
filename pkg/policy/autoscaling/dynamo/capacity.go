// SPDX-License-Identifier: Apache-2.0

package dynamo

import "math"

// candidates is how many batches a search tries at most.
const candidates = 128

// A pace is the requests per second that an engine serves at a batch, and whether the targets hold.
type pace struct {
	perSecond float64
	eligible  bool
}

// capacity is the greatest pace of an engine at which the targets hold, or without them where they hold at
// none; 0 where there is none.
func (m *model) capacity(t *Traffic, c *Config) float64 {
	if t.Input <= 0 || m.generates && t.Output <= 0 {
		return 0
	}
	input, output := int(math.Ceil(t.Input)), max(1, int(math.Ceil(t.Output)))
	fresh := max(1, int(math.Ceil(float64(float64(input)*(1-discount(t.HitRate))))))
	context, accepted := input+output/2, max(1, t.Accepted)
	at, most := func(batch int) pace { return m.prefillsAt(batch, fresh, c) }, m.prefillBatch(fresh)
	if m.generates {
		most = min(m.Sequences, m.KVTokens/context)
		at = func(batch int) pace { return m.decodesAt(batch, context, output, accepted, c) }
	}
	if m.generates && m.computes {
		most = min(most, m.BatchedTokens-1)
		at = func(batch int) pace { return m.bothAt(batch, context, fresh, output, accepted, c) }
	}
	best := pace{}
	for i := range min(most, candidates) {
		batch := i + 1
		if most > candidates {
			batch = 1 + i*(most-1)/(candidates-1)
		}
		if next := at(batch); next.eligible && !best.eligible || next.eligible == best.eligible && next.perSecond > best.perSecond {
			best = next
		}
	}
	return best.perSecond
}

// prefillBatch is how many prompts one step computes at most.
func (m *model) prefillBatch(fresh int) int {
	if fresh > m.BatchedTokens {
		return 1
	}
	return min(m.Sequences, m.BatchedTokens/fresh)
}

func (m *model) prefillsAt(batch, fresh int, c *Config) pace {
	ttft := m.prompts(fresh*batch, Work{})
	if ttft == 0 {
		return pace{}
	}
	return pace{float64(batch) / ttft, ttft <= c.TTFT/1000}
}

func (m *model) decodesAt(batch, context, output int, accepted float64, c *Config) pace {
	itl := m.seconds(Work{Decodes: batch, DecodeTokens: batch * context}) / accepted
	if itl == 0 {
		return pace{}
	}
	return pace{float64(batch) / float64(float64(output)*itl), itl <= c.ITL/1000}
}

// bothAt is the pace at which each step computes the prompts of as many requests as end in it; none where
// they have no room in a step.
func (m *model) bothAt(batch, context, fresh, output int, accepted float64, c *Config) pace {
	begun := int(math.Ceil(float64(float64(float64(batch)*accepted)*float64(fresh)) / float64(output)))
	if begun > m.BatchedTokens-batch {
		return pace{}
	}
	w := Work{PrefillTokens: begun, Decodes: batch, DecodeTokens: batch * context}
	itl := m.seconds(w) / accepted
	if itl == 0 {
		return pace{}
	}
	ttft := m.prompts(begun+fresh, w)
	return pace{float64(batch) / float64(float64(output)*itl), ttft <= c.TTFT/1000 && itl <= c.ITL/1000}
}
