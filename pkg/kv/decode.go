// SPDX-License-Identifier: Apache-2.0

package kv

// startDecode makes a sequence get room for one more token in each step.
func (s *sequences) startDecode(at int32) {
	q := &s.records.all[at]
	if q.decoding || q.withheld {
		panic("kv: a sequence that is in decode or withheld cannot start to decode")
	}
	q.decoding = true
	s.decodes.add(q)
	s.addGrowing(at)
	if !s.caching || int(q.at) == len(q.chain) {
		return
	}
	next := q.current
	if next == none {
		next = s.pool.table.open(q)
	}
	t := &s.pool.table.stretches.all[next]
	if t.claimant == none && t.end == q.into && int(q.at) == len(q.chain)-1 {
		t.claimant = at
		q.claimed, q.current = next, next
		if s.decodes.filling != nil {
			s.decodes.addFilling(s.records.all, at)
		}
		return
	}
	s.revokeClaim(next)
	s.decodes.addStepwise(s.records.all, at)
	s.pool.table.removeIfEmpty(next)
}

// stopDecode ends the decode of a sequence, if it is in decode.
func (s *sequences) stopDecode(at int32) {
	if !s.records.all[at].decoding {
		return
	}
	s.catchUp(at)
	q := &s.records.all[at]
	s.decodes.remove(q)
	s.removeGrowing(at)
	q.decoding = false
	if q.stepwise {
		s.decodes.removeStepwise(s.records.all, at)
	}
	if claimed := q.claimed; claimed != none {
		s.dropClaim(q)
		s.pool.table.removeIfEmpty(claimed)
	}
}

// step gives all sequences in decode room for one more token.
func (s *sequences) step() {
	if n := int(s.decodes.opening[s.decodes.phase]); n > 0 {
		s.pool.take(n - s.decodes.prepaid)
		s.decodes.prepaid = 0
		if s.decodes.growing != nil {
			s.slideDecodes()
		}
	}
	s.decodes.advance()
	for _, at := range s.decodes.stepwise {
		s.catchUp(at)
	}
	for _, at := range s.decodes.filledNow() {
		s.catchUp(at)
	}
}

// catchUp registers the blocks that a sequence in decode has filled up to now.
func (s *sequences) catchUp(at int32) {
	q := &s.records.all[at]
	q.tokens = int(q.start + s.decodes.steps)
	s.registerFull(at, unknownMiss)
}

// revokeClaim ends the claim to a stretch before a look-up of its blocks: the claimant
// registers its blocks now, and from now on in each step.
func (s *sequences) revokeClaim(stretch int32) {
	claimant := s.pool.table.stretches.all[stretch].claimant
	if claimant == none {
		return
	}
	s.catchUp(claimant)
	s.dropClaim(&s.records.all[claimant])
	s.decodes.addStepwise(s.records.all, claimant)
}

// dropClaim ends the claim of a sequence in decode.
func (s *sequences) dropClaim(q *sequence) {
	if s.decodes.filling != nil {
		s.decodes.removeFilling(s.records.all, q)
	}
	s.pool.table.stretches.all[q.claimed].claimant = none
	if q.into == 0 {
		q.current = none
	}
	q.claimed = none
}
