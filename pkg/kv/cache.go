// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Cache is the block pool of one replica. It is not safe for concurrent use.
//
// A block is held by the sequences that refer to it, or free. Free
// blocks queue up; a new block is taken from the front, and only then loses its content.
// A sequence's blocks are freed last block first, so that the ends of prompts are reused
// before the beginnings that others may share. As every block is freed before those in
// front of it in its prompt, a block that can be found can be reached: its whole prefix
// is cached too.
//
// Where two sequences compute the same block side by side both copies can be found, the
// older one first.
type Cache struct {
	sequences sequences
	match     prefixMatch
}

// none is no number of a record.
const none = -1

// maxBlocks keeps counts of blocks and of tokens within the integers that carry them.
const maxBlocks = 1 << 30

// NewCache returns an empty cache of blocks blocks, at most 2^30, of blockTokens tokens
// each, which evicts free blocks in some order. Without prefix caching the content of
// freed blocks is forgotten at once.
func NewCache(blocks, blockTokens int, prefixCaching bool, order Order) *Cache {
	if blocks < 1 || blocks > maxBlocks || blockTokens < 1 {
		panic(fmt.Sprintf("kv: a cache of %d blocks of %d tokens", blocks, blockTokens))
	}
	c := &Cache{sequences: sequences{
		blockTokens: blockTokens, caching: prefixCaching,
		decodes: decodes{blockTokens: blockTokens, opening: make([]int32, blockTokens)},
	}}
	c.sequences.pool.init(blocks, order)
	c.match.sequences = &c.sequences
	return c
}

// SetWindows says what sequences hold for layers with sliding windows. The cache must be new.
func (c *Cache) SetWindows(w Windows) {
	s := &c.sequences
	s.windows, s.decodes.groups, s.decodes.growing = w, w.Groups, nil
	if w.Groups > 0 {
		s.decodes.growing = make([][]int32, s.blockTokens)
	}
}

// Blocks returns the number of blocks.
func (c *Cache) Blocks() int { return c.sequences.pool.blocks }

// BlockTokens returns the size of a block in tokens.
func (c *Cache) BlockTokens() int { return c.sequences.blockTokens }

// Free returns the number of blocks that a sequence may take: no running one holds them.
func (c *Cache) Free() int { return c.sequences.pool.queue.free }

// Blank returns how many of the free blocks have no content.
func (c *Cache) Blank() int { return c.sequences.pool.queue.blank }

// Used returns the number of blocks that running sequences hold.
func (c *Cache) Used() int { return c.sequences.pool.used() }

// Usage returns the share of blocks that running sequences hold, 0 to 1.
func (c *Cache) Usage() float64 { return float64(c.Used()) / float64(c.Blocks()) }

// Shared returns how many blocks more than one running sequence holds.
func (c *Cache) Shared() int { return c.sequences.pool.shared }

// Held returns how many blocks the sequence has, without those of its windows. It must not be in decode.
func (c *Cache) Held(s Sequence) int { return c.sequences.blocksOf(c.sequences.running(s).tokens) }

// SharedBy returns how many of the sequence's blocks others hold too.
func (c *Cache) SharedBy(s Sequence) int { return c.sequences.sharedBy(c.sequences.running(s)) }

// Evictions returns how many blocks that could be found have lost their content to make
// room.
func (c *Cache) Evictions() int64 { return c.sequences.pool.evictions }

// Match returns how many leading tokens of a prompt are cached, in whole blocks and at
// most maxTokens. chain is the prompt's full blocks. A look-up does not refresh a block.
func (c *Cache) Match(chain []prompt.Stretch, maxTokens int) int {
	if !c.sequences.caching {
		c.match.reset()
		return 0
	}
	return c.match.find(chain, maxTokens/c.BlockTokens()) * c.BlockTokens()
}

// Admission is what a new sequence needs of the cache.
type Admission struct {
	// Chain is the sequence's full blocks, including those of its answer. It must not
	// change before Release.
	Chain []prompt.Stretch
	// Cached is how many of its first tokens it takes from the cache: what Match
	// returned for this chain, right before.
	Cached int
	// Tokens is how many tokens it gets room for. It is not admitted unless Reserve
	// tokens would fit too.
	Tokens, Reserve int
	// Withheld keeps its own blocks from being found before Publish: their content is
	// still being transferred.
	Withheld bool
	// Priority is the request's, for the order Priority of free blocks.
	Priority int
	// Anonymous says that no other sequence asks for the full blocks behind Chain. They
	// queue up to be reused as others do, but cannot be found, unless Name names them. The
	// cache must have the order LRU, no listener, no record of evictions and no Discard.
	Anonymous bool
}

// AdmitNeeds returns what Admit would take of the free blocks: fresh ones, and those
// free blocks that hold cached tokens of the sequence. It is called right after Match.
func (c *Cache) AdmitNeeds(a Admission) (fresh, cached int) {
	hits := a.Cached / c.BlockTokens()
	return c.sequences.admitNeeds(&a, hits), c.match.free(a.Chain, hits)
}

// Admit gives a new sequence room, or changes nothing and returns false where there are
// not enough free blocks. Blocks that its tokens fill can be found by others at once
// unless they are withheld, as in vLLM, whose scheduler registers them before they are
// computed.
func (c *Cache) Admit(a Admission) (Sequence, bool) {
	s := &c.sequences
	hits := a.Cached / c.BlockTokens()
	if a.Anonymous && !s.pool.allowsAnonymous() {
		panic("kv: an anonymous sequence in a cache that needs the names of all blocks")
	}
	if hits > 0 && !c.match.isOf(a.Chain) {
		panic("kv: Admit needs a Match of the same chain right before")
	}
	fresh := s.admitNeeds(&a, hits)
	if free := c.sequences.pool.queue.free; fresh > free || fresh > free-c.match.free(a.Chain, hits) {
		return 0, false
	}
	at := s.open(&a)
	c.match.acquire(&s.records.all[at], hits)
	blocks := s.blocksOf(a.Tokens)
	c.sequences.takeFor(&s.records.all[at], blocks, blocks-hits)
	s.registerFull(at, c.match.missFrom)
	return Sequence(at), true
}

// ExtendNeeds returns how many free blocks Extend would take.
func (c *Cache) ExtendNeeds(s Sequence, tokens int) int {
	return c.sequences.extendNeeds(c.sequences.running(s), tokens)
}

// Extend gives the sequence room for its first tokens tokens, or changes nothing and
// returns false where there are not enough free blocks. It never takes room away. The
// sequence must not be in decode.
func (c *Cache) Extend(s Sequence, tokens int) bool {
	q := c.sequences.running(s)
	fresh := c.sequences.extendNeeds(q, tokens)
	if tokens <= q.tokens {
		return true
	}
	if fresh > c.sequences.pool.queue.free {
		return false
	}
	c.sequences.grow(q, tokens)
	q.tokens = tokens
	c.sequences.registerFull(int32(s), unknownMiss)
	return true
}

// ExtendPast gives the sequence room for its first room tokens, as Extend does, of which
// those beyond content may never come: drafts that await verification, and places for the
// next ones. Blocks that hold any of those cannot be found yet. From then on the sequence
// grows in this way alone.
func (c *Cache) ExtendPast(s Sequence, content, room int) bool {
	q := c.sequences.running(s)
	fresh := c.sequences.extendNeeds(q, room)
	if fresh > c.sequences.pool.queue.free {
		return false
	}
	c.sequences.grow(q, room)
	q.tokens = max(q.tokens, room)
	q.unsure = q.tokens - content
	c.sequences.registerFull(int32(s), unknownMiss)
	return true
}

// Publish lets the blocks of a withheld sequence be found: their content is here.
func (c *Cache) Publish(s Sequence) {
	q := c.sequences.running(s)
	if !q.withheld {
		panic("kv: Publish of a sequence that is not withheld")
	}
	q.withheld = false
	c.sequences.registerFull(int32(s), unknownMiss)
}

// Name lets the blocks of an anonymous sequence be found: another one is to go on where it
// ends. chain is all of its full blocks, and begins with the chain that it was admitted
// with. It ends the sequence's decode.
func (c *Cache) Name(s Sequence, chain []prompt.Stretch) {
	c.StopDecode(s)
	q := c.sequences.running(s)
	q.chain, q.anonymous = chain, false
	c.sequences.registerFull(int32(s), unknownMiss)
}

// StartDecode gives the sequence room for one more token in each Step.
func (c *Cache) StartDecode(s Sequence) {
	c.sequences.running(s)
	c.sequences.startDecode(int32(s))
}

// StopDecode ends the decode of a sequence, and does nothing to one that is not in
// decode.
func (c *Cache) StopDecode(s Sequence) {
	c.sequences.running(s)
	c.sequences.stopDecode(int32(s))
}

// StepNeeds returns how many free blocks the next Step takes, those not counted that are prepaid.
func (c *Cache) StepNeeds() int { return c.sequences.decodes.stepNeeds() }

// Prepay takes all free blocks for the next Step, which needs more of them. The sequences that
// this is too few for are to be released before. It panics where sequences hold blocks for
// windows: those come from the step itself.
func (c *Cache) Prepay() {
	s := &c.sequences
	if s.decodes.growing != nil {
		panic("kv: Prepay in a cache with windows")
	}
	s.decodes.prepaid += s.pool.queue.free
	s.pool.take(s.pool.queue.free)
}

// Step gives all sequences in decode room for one more token. There must be StepNeeds
// free blocks.
func (c *Cache) Step() { c.sequences.step() }

// Release ends a sequence and frees its blocks, last one first. Blocks that other
// sequences hold stay theirs.
func (c *Cache) Release(s Sequence) {
	c.StopDecode(s)
	c.sequences.release(int32(s))
}

// Discard is Release, and drops the content of the sequence's blocks from the last one
// back, up to the first that another sequence holds or that a cached block follows: that
// one could be found, but not reached. Blocks without content are reused first. The cache
// must not have had anonymous sequences.
func (c *Cache) Discard(s Sequence) {
	c.StopDecode(s)
	c.sequences.discard(int32(s))
}

// NextEvicted appends to dst up to n of the free blocks with content, in the order in which
// they would be evicted.
func (c *Cache) NextEvicted(n int, dst []Span) []Span { return c.sequences.pool.nextEvicted(n, dst) }

// FreeChanges counts the changes of which blocks are free, and of their content. While it
// stays, so do NextEvicted and Blank.
func (c *Cache) FreeChanges() uint64 { return c.sequences.pool.queue.changes }

// EvictFree evicts the content of up to n free blocks, those that are reused first, and
// returns how many. They keep their place in the queue.
func (c *Cache) EvictFree(n int) int { return c.sequences.pool.evictFree(n) }

// RecordEvictions starts to record which blocks are evicted. The caller must then call
// TakeEvicted from time to time.
func (c *Cache) RecordEvictions() { c.sequences.pool.recording = true }

// HasEvicted reports whether TakeEvicted has blocks to return.
func (c *Cache) HasEvicted() bool { return len(c.sequences.pool.evicted) > 0 }

// TakeEvicted appends to dst the blocks that were evicted since it was last called, in
// that order.
func (c *Cache) TakeEvicted(dst []Span) []Span {
	dst = append(dst, c.sequences.pool.evicted...)
	c.sequences.pool.evicted = c.sequences.pool.evicted[:0]
	return dst
}
