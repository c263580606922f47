// SPDX-License-Identifier: Apache-2.0

package kv

// growth is what the cache knows of the sequences in decode. Each of them gets
// room for one more token in each step, so that it needs a new block once in
// blockTokens steps, in a step that is known from the start: it is enough to
// count, for each residue of the step's number, the sequences whose turn comes
// then. Which blocks they have filled is only looked at when somebody asks.
type growth struct {
	steps int64
	// opening[r] counts the sequences that open a block in the steps whose
	// number is r modulo the block size; phase is that of the next step.
	opening []int32
	phase   int
	// eager are sequences that name their blocks in each step, in order of
	// admission: what they name, others have too, or may have soon.
	eager []int32
	// filling[r] are the sequences with a stretch ahead that fill a block in the
	// steps whose number is r modulo the block size. It is nil where nobody
	// watches.
	filling [][]int32
}

// StartDecode begins to give the sequence room for one more token in each Step.
func (c *Cache) StartDecode(s Sequence) {
	q := c.running(s)
	if q.decoding || q.withheld {
		panic("kv: a sequence in decode, or without its content, is to begin it")
	}
	q.decoding = true
	q.start = int64(q.tokens) - c.growth.steps
	c.growth.opening[c.opensIn(q.tokens)]++
	if !c.caching || int(q.at) == len(q.chain) {
		return
	}
	ahead := q.current
	if ahead == none {
		ahead = c.open(q)
	}
	t := &c.stretches.all[ahead]
	if t.grower == none && t.end == q.into && int(q.at) == len(q.chain)-1 {
		t.grower = int32(s)
		q.ahead, q.current = ahead, ahead
		if c.growth.filling != nil {
			c.fills(int32(s))
		}
		return
	}
	c.disturb(ahead)
	c.makeEager(int32(s))
	c.closeIfEmpty(ahead)
}

// opensIn returns the residue of the steps in which a sequence of so many
// tokens, as of now, opens a block.
func (c *Cache) opensIn(tokens int) int {
	filled := tokens % c.blockTokens
	if filled == 0 {
		return c.growth.phase
	}
	return (c.growth.phase + c.blockTokens - filled) % c.blockTokens
}

// StepNeeds returns how many free blocks the next Step takes.
func (c *Cache) StepNeeds() int { return int(c.growth.opening[c.growth.phase]) }

// Step gives all sequences in decode room for one more token. There must be
// StepNeeds free blocks.
func (c *Cache) Step() {
	g := &c.growth
	if n := g.opening[g.phase]; n > 0 {
		c.take(int(n))
	}
	g.steps++
	g.phase++
	if g.phase == c.blockTokens {
		g.phase = 0
	}
	for _, at := range g.eager {
		c.catchUp(at)
	}
	if g.filling != nil {
		for _, at := range g.filling[g.steps%int64(c.blockTokens)] {
			c.catchUp(at)
		}
	}
}

// StopDecode ends the decode of a sequence, and does nothing to one that is not in
// decode.
func (c *Cache) StopDecode(s Sequence) {
	q := c.running(s)
	if !q.decoding {
		return
	}
	c.catchUp(int32(s))
	q = &c.sequences.all[s]
	c.growth.opening[c.opensIn(q.tokens)]--
	q.decoding = false
	if q.eager {
		q.eager = false
		c.notEager(int32(s))
	}
	if ahead := q.ahead; ahead != none {
		c.leave(q)
		c.closeIfEmpty(ahead)
	}
}

// catchUp names what a sequence in decode has filled up to now.
func (c *Cache) catchUp(at int32) {
	q := &c.sequences.all[at]
	q.tokens = int(q.start + c.growth.steps)
	c.settle(at, unknown)
}

// leave ends the claim of a sequence in decode to the stretch ahead of it.
func (c *Cache) leave(q *sequence) {
	if c.growth.filling != nil {
		c.fillsNoMore(q)
	}
	c.stretches.all[q.ahead].grower = none
	if q.into == 0 {
		q.current = none
	}
	q.ahead = none
}

// disturb prepares a stretch for somebody who is about to look at it: the
// sequence that was alone there names its blocks, from now on in time. There
// may be none yet.
func (c *Cache) disturb(stretch int32) {
	grower := c.stretches.all[stretch].grower
	if grower == none {
		return
	}
	c.catchUp(grower)
	c.leave(&c.sequences.all[grower])
	c.makeEager(grower)
}

// makeEager puts a sequence among the eager ones, by admission.
func (c *Cache) makeEager(at int32) {
	g := &c.growth
	q := &c.sequences.all[at]
	q.eager = true
	i := len(g.eager)
	g.eager = append(g.eager, at)
	for ; i > 0 && c.sequences.all[g.eager[i-1]].admitted > q.admitted; i-- {
		g.eager[i] = g.eager[i-1]
	}
	g.eager[i] = at
}

func (c *Cache) notEager(at int32) {
	g := &c.growth
	for i, other := range g.eager {
		if other == at {
			g.eager = append(g.eager[:i], g.eager[i+1:]...)
			return
		}
	}
}

// filledIn is the list that a sequence in decode belongs to.
func (c *Cache) filledIn(q *sequence) *[]int32 {
	block := int64(c.blockTokens)
	return &c.growth.filling[((-q.start)%block+block)%block]
}

// fills notes in which steps a sequence with a stretch ahead fills its blocks,
// so that it names them in time.
func (c *Cache) fills(at int32) {
	q := &c.sequences.all[at]
	list := c.filledIn(q)
	q.place = int32(len(*list))
	*list = append(*list, at)
}

func (c *Cache) fillsNoMore(q *sequence) {
	list := c.filledIn(q)
	last := len(*list) - 1
	moved := (*list)[last]
	(*list)[q.place] = moved
	c.sequences.all[moved].place = q.place
	*list = (*list)[:last]
}
