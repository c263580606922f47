// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// blockTable knows the token ids of the blocks that caches hold or may soon hold. It turns what engines
// tell of stretches into events of blocks.
type blockTable struct {
	tell func(BlockEvent)
	// fail is called where an engine tells of a block that the table does not know.
	fail      func(error)
	stretches map[uint64]*stretch
	// idle are stretches that no request and no cache had when they came in, the oldest first, as a
	// step or a transfer that is under way may still store them. Those that have idleSince
	// of their turn are idle still; idleTokens counts the tokens of all, and most bounds it.
	idle       []idleStretch
	turn       int64
	idleTokens int
	most       int
}

// stretch is consecutive blocks of texts, as a [prompt.Stretch].
type stretch struct {
	id          uint64
	blockTokens int
	// parent is the hash of the block before the first one.
	parent  uint64
	adapter string
	// tokens are those of all blocks. They are replaced, and do not change.
	tokens []uint32
	// requests counts those in flight that have the stretch, stored its blocks in caches.
	requests, stored int
	idleSince        int64
}

type idleStretch struct {
	*stretch
	turn   int64
	tokens int
}

func newBlockTable(tell func(BlockEvent), fail func(error), most int) *blockTable {
	return &blockTable{tell: tell, fail: fail, stretches: map[uint64]*stretch{}, most: most}
}

// begin notes that a request with a text is in flight. It returns the stretches of the text, which
// end gives back.
func (t *blockTable) begin(extents []prompt.Extent, text []uint32, blockTokens int, adapter int32, name string) []*stretch {
	chain := prompt.Prompt{Extents: extents}.FullStretches(nil, blockTokens)
	prompt.ForAdapter(chain, adapter)
	held := make([]*stretch, len(chain))
	parent := uint64(0)
	for i, c := range chain {
		tokens := int(c.Blocks) * blockTokens
		s := t.stretches[c.ID]
		if s == nil {
			s = &stretch{id: c.ID, blockTokens: blockTokens, parent: parent, adapter: name}
			t.stretches[c.ID] = s
		}
		if tokens > len(s.tokens) {
			s.tokens = slices.Clone(text[:tokens])
		}
		s.requests++
		held[i], text, parent = s, text[tokens:], s.hash(c.Blocks-1)
	}
	return held
}

// end notes that a request is no longer in flight.
func (t *blockTable) end(held []*stretch) {
	for _, s := range held {
		s.requests--
		t.settle(s)
	}
}

// settle notes that a stretch is idle, if it is, and forgets those that have been for longest.
func (t *blockTable) settle(s *stretch) {
	if s.requests > 0 || s.stored > 0 {
		return
	}
	t.turn++
	s.idleSince = t.turn
	t.idle = append(t.idle, idleStretch{stretch: s, turn: t.turn, tokens: len(s.tokens)})
	t.idleTokens += len(s.tokens)
	for t.idleTokens > t.most {
		oldest := t.idle[0]
		t.idle = t.idle[1:]
		t.idleTokens -= oldest.tokens
		if s := oldest.stretch; s.idleSince == oldest.turn && s.requests == 0 && s.stored == 0 {
			delete(t.stretches, s.id)
		}
	}
}

// hash is that of a block of the stretch.
func (s *stretch) hash(block int32) uint64 { return max(stats.Hash64(s.id, uint64(block)), 1) }

// block returns the hash of a block, and that of the one before it.
func (s *stretch) block(block int32) (hash, parent uint64) {
	if block == 0 {
		return s.hash(0), s.parent
	}
	return s.hash(block), s.hash(block - 1)
}

// Stored implements [policy.KVEventListener].
func (t *blockTable) Stored(at simtime.Time, replica int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s := t.stretches[blocks.Stretch]
	if s == nil || int(blocks.To)*s.blockTokens > len(s.tokens) {
		t.fail(fmt.Errorf("replica %d stores blocks %+v at %v, whose tokens are not known", replica, blocks, at))
		return
	}
	s.stored += int(blocks.To - blocks.From)
	for i := blocks.From; i < blocks.To; i++ {
		hash, parent := s.block(i)
		from, to := int(i)*s.blockTokens, int(i+1)*s.blockTokens
		t.tell(BlockEvent{
			At: at, Replica: replica, Kind: BlockStored, Tier: tier, Hash: hash, Parent: parent,
			Tokens: s.tokens[from:to:to], Adapter: s.adapter,
		})
	}
}

// Removed implements [policy.KVEventListener].
func (t *blockTable) Removed(at simtime.Time, replica int, blocks policy.CachedBlocks, tier policy.CacheTier) {
	s := t.stretches[blocks.Stretch]
	if s == nil {
		t.fail(fmt.Errorf("replica %d removes blocks %+v at %v, which are not known", replica, blocks, at))
		return
	}
	for i := blocks.From; i < blocks.To; i++ {
		hash, parent := s.block(i)
		t.tell(BlockEvent{At: at, Replica: replica, Kind: BlockRemoved, Tier: tier, Hash: hash, Parent: parent, Adapter: s.adapter})
	}
	s.stored -= int(blocks.To - blocks.From)
	t.settle(s)
}

// Cleared implements [policy.KVEventListener]. The table remembers what the replica had: replicas of a
// pool do not fail.
func (t *blockTable) Cleared(at simtime.Time, replica int) {
	t.tell(BlockEvent{At: at, Replica: replica, Kind: BlocksCleared})
}
