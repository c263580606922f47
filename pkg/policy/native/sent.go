// SPDX-License-Identifier: Apache-2.0

package native

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// sent remembers which prompts were sent to which endpoint, a bounded number of blocks of each. It
// learns of no eviction. What was not used for longest goes first, and of a prompt its end.
type sent struct {
	blockTokens int
	// rest says that the last block counts though it is not full.
	rest     bool
	memories []memory // by endpoint
	chain    []prompt.Stretch
	blocks   []int // by endpoint: those of the prompt that are remembered, without a gap
}

func newSent(b *builder, blockTokens, blocksPerEndpoint int) sent {
	s := sent{blockTokens: blockTokens, blocks: make([]int, b.endpoints)}
	for range b.endpoints {
		m := newMemory(blocksPerEndpoint)
		m.leavesFirst = true
		s.memories = append(s.memories, m)
	}
	return s
}

// look cuts the request's prompt into blocks, counts what each candidate was sent of it,
// and returns the greatest count.
func (s *sent) look(r *round) int {
	if s.rest {
		s.chain = r.request.Prompt.AllStretches(s.chain[:0], s.blockTokens)
	} else {
		s.chain = r.request.Prompt.FullStretches(s.chain[:0], s.blockTokens)
	}
	clear(s.blocks)
	most := 0
	for _, e := range r.candidates {
		s.blocks[e] = s.memories[e].match(s.chain)
		most = max(most, s.blocks[e])
	}
	return most
}

// of is for stages: the blocks of an endpoint.
func (s *sent) of(endpoint int) int { return s.blocks[endpoint] }

// routed notes where the prompt of the last look was sent.
func (s *sent) routed(_ *round, endpoint int) { s.memories[endpoint].touch(s.chain) }

func (*sent) remembersPrompts() {}

func (s *sent) signal(policy string, r *round) Signal {
	all := r.request.Tokens / s.blockTokens
	if s.rest {
		all = (r.request.Tokens + s.blockTokens - 1) / s.blockTokens
	}
	return Signal{
		Name: policy, Freshness: "the requests sent there, without delay; does not see evictions",
		BlockTokens: s.blockTokens, TotalBlocks: all, Blocks: slices.Clone(s.blocks),
	}
}
