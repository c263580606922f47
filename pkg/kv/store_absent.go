// SPDX-License-Identifier: Apache-2.0

package kv

import "windtunnel.dev/windtunnel/pkg/prompt"

// Misses returns how many blocks of a chain are not present, pending ones
// included, from block from on up to the first that is, or below limit.
func (s *Tier) Misses(chain []prompt.Stretch, from, limit int) int {
	absent := 0
	w := walk{chain, from, limit}
	for part, ok := w.next(); ok; part, ok = w.next() {
		n := s.absent(part)
		absent += n
		if n < part.Blocks() {
			break
		}
	}
	return absent
}

// absent returns how many of the first blocks of a part are not present.
func (s *Tier) absent(part Span) int {
	at := s.find(part.ID)
	if at == none {
		return part.Blocks()
	}
	for i := s.shelves.all[at].first; i != none; i = s.pieces.all[i].next {
		if p := &s.pieces.all[i]; !p.pending && p.to > part.From {
			return int(min(max(p.from, part.From), part.To) - part.From)
		}
	}
	return part.Blocks()
}
