// SPDX-License-Identifier: Apache-2.0

package native

import "windtunnel.dev/windtunnel/pkg/prompt"

// prefixAffinity prefers endpoints that it has sent the prompt's beginning to: the
// share of the prompt's full blocks that it remembers of an endpoint. It learns of
// no eviction, and remembers the blocks of each endpoint that it sent there last.
//
// Parameters: blockTokens, 16; blocksPerEndpoint, 31250; and match: strict, the
// default, counts blocks without a gap from the first one on, and forgets the end of the
// oldest prompt first, as an engine does; loose counts all up to the first one that is
// remembered of no endpoint, and forgets the oldest prompt's beginning first, as the
// EPP's index does.
type prefixAffinity struct {
	blockTokens int
	loose       bool
	memories    []memory // by endpoint
	chain       []prompt.Stretch
	blocks      []int // by endpoint
}

func readPrefixAffinity(r *reader) func(*builder) scorer {
	blockTokens, capacity := readBlocks(r)
	loose := r.Choice("match", "the blocks of a replica that count: those without a gap from the first one on, of an index that forgets the end of the oldest prompt first; or all up to the first that no replica has, of one that forgets its beginning first, as the EPP's", "strict", "loose") == "loose"
	return func(b *builder) scorer { return newPrefixAffinity(b, blockTokens, capacity, loose) }
}

func newPrefixAffinity(b *builder, blockTokens, capacity int, loose bool) *prefixAffinity {
	s := &prefixAffinity{blockTokens: blockTokens, loose: loose, blocks: make([]int, b.endpoints)}
	for range b.endpoints {
		m := newMemory(capacity)
		m.leavesFirst = !loose
		s.memories = append(s.memories, m)
	}
	return s
}

func (s *prefixAffinity) score(r *round, scores []float64) {
	s.chain = r.request.Prompt.FullStretches(s.chain[:0], s.blockTokens)
	if s.loose {
		s.matchLoosely(r)
	} else {
		for _, e := range r.candidates {
			s.blocks[e] = s.memories[e].match(s.chain)
		}
	}
	all := r.request.Tokens / s.blockTokens
	for i, e := range r.candidates {
		scores[i] = 0
		if all > 0 {
			scores[i] = float64(s.blocks[e]) / float64(all)
		}
	}
}

// matchLoosely counts each endpoint's blocks up to the first that none has.
func (s *prefixAffinity) matchLoosely(r *round) {
	clear(s.blocks)
	for _, stretch := range s.chain {
		covered := int32(0)
		for grown := true; grown && covered < stretch.Blocks; {
			grown = false
			for _, e := range r.candidates {
				if to := s.memories[e].covers(stretch.ID, covered, stretch.Blocks); to > covered {
					covered, grown = to, true
				}
			}
		}
		for _, e := range r.candidates {
			s.blocks[e] += s.memories[e].count(stretch.ID, covered)
		}
		if covered < stretch.Blocks {
			return
		}
	}
}

func (s *prefixAffinity) believed(_ *round, endpoint int) int {
	return s.blocks[endpoint] * s.blockTokens
}

func (s *prefixAffinity) routed(_ *round, endpoint int) { s.memories[endpoint].touch(s.chain) }

func (*prefixAffinity) remembersPrompts() {}
