// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/prompt"

// readPrefixIndexRoom reads a scorer that prefers endpoints whose estimated cache has room: the share of blocks that
// the index of prefix-affinity has free for the endpoint, which is 1 less its estimated use.
//
// Parameters: blockTokens, 16; blocksPerEndpoint, 31250.
func readPrefixIndexRoom(r *reader) func(*builder) scorer {
	return readIndexState(r, func(m *memory, _ []prompt.Stretch) int { return m.capacity - m.length })
}

// readPrefixIndexLifetime reads one that prefers endpoints that are estimated to keep what they have of the
// prompt for long: the new blocks that the index of prefix-affinity takes for the endpoint
// before it evicts one of them, ÷ the blocks that it has room for. It is 0 where the endpoint
// has none. It walks the index in the order of eviction.
//
// Parameters: blockTokens, 16; blocksPerEndpoint, 31250.
func readPrefixIndexLifetime(r *reader) func(*builder) scorer {
	return readIndexState(r, (*memory).keeps)
}

// prefixIndexState scores what the index of a strict prefix-affinity has for an endpoint: a
// number of its blocks, ÷ all.
type prefixIndexState struct {
	index *prefixAffinity
	of    func(*memory, []prompt.Stretch) int
}

func readIndexState(r *reader, of func(*memory, []prompt.Stretch) int) func(*builder) scorer {
	blockTokens, capacity := readBlocks(r)
	return func(b *builder) scorer {
		return &prefixIndexState{newPrefixAffinity(b, blockTokens, capacity, false), of}
	}
}

func (s *prefixIndexState) score(r *round, scores []float64) {
	x := s.index
	x.chain = r.request.Prompt.FullStretches(x.chain[:0], x.blockTokens)
	for i, e := range r.candidates {
		m := &x.memories[e]
		scores[i] = float64(s.of(m, x.chain)) / float64(m.capacity)
	}
}

func (s *prefixIndexState) routed(r *round, endpoint int) { s.index.routed(r, endpoint) }

func (*prefixIndexState) remembersPrompts() {}

// keeps returns how many new blocks a tree takes before it loses one of those that it has of
// a chain without a gap, from the first one on; 0 where it has none.
func (m *memory) keeps(chain []prompt.Stretch) int {
	if m.match(chain) == 0 {
		return 0
	}
	blocks := m.capacity - m.length
	for i := m.oldest; i != none; i = m.all[i].newer {
		r := &m.all[i]
		for _, s := range chain {
			if s.ID != r.stretch {
				continue
			}
			if held := m.covers(s.ID, 0, s.Blocks); r.from < held {
				return blocks + int(r.to-min(r.to, held))
			}
		}
		blocks += int(r.to - r.from)
	}
	return blocks
}
