// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/prompt"
)

// Pin is blocks of a tier that must not be evicted, by number. Numbers are used again
// after Unpin.
type Pin int32

// pinnedBlocks is the blocks of one pin, in the order in which they were pinned.
type pinnedBlocks struct{ parts []pinnedPart }

// pinnedPart is the blocks [from, to) of a stretch.
type pinnedPart struct{ stretch, from, to int32 }

// Pin keeps a chain's blocks [from, to), numbered through the chain, from being evicted.
// All of them must be present, and there must be at least one.
func (t *Tier) Pin(chain []prompt.Stretch, from, to int) Pin {
	pin := t.newPin()
	parts := chainParts{chain, from, to}
	for part, ok := parts.next(); ok; part, ok = parts.next() {
		t.pin(pin, part)
	}
	return t.checkedPin(pin)
}

// PinSpans is Pin of spans.
func (t *Tier) PinSpans(spans []Span) Pin {
	pin := t.newPin()
	for _, span := range spans {
		t.pin(pin, span)
	}
	return t.checkedPin(pin)
}

func (t *Tier) newPin() int32 {
	pin := t.pins.take()
	t.pins.all[pin].parts = t.pins.all[pin].parts[:0]
	return pin
}

func (t *Tier) checkedPin(pin int32) Pin {
	if len(t.pins.all[pin].parts) == 0 {
		panic("kv: a pin of no blocks")
	}
	return Pin(pin)
}

func (t *Tier) pin(pin int32, span Span) {
	from, to := span.bounds()
	stretch := t.table.find(span.ID)
	if stretch == none || t.table.hits(Span{span.ID, from, to}) < span.Blocks() {
		panic(fmt.Sprintf("kv: a pin of blocks %d to %d of %x, which are not all present", from, to, span.ID))
	}
	t.pins.all[pin].parts = append(t.pins.all[pin].parts, pinnedPart{stretch, from, to})
	segments := &t.table.segments
	at := t.table.stretches.all[stretch].first
	for segments.all[at].to <= from {
		at = segments.all[at].next
	}
	if segments.all[at].from < from {
		at = t.queue.cut(at, from)
	}
	for at != none && segments.all[at].from < to {
		if segments.all[at].to > to {
			t.queue.cut(at, to)
		}
		if segments.all[at].pins == 0 {
			t.queue.remove(at)
		}
		segments.all[at].pins++
		at = segments.all[at].next
	}
}

// Unpin ends a pin. Blocks without another pin become the youngest of their rank, and
// the first one of all is the youngest of them.
func (t *Tier) Unpin(p Pin) {
	parts := t.pins.all[p].parts
	if len(parts) == 0 {
		panic("kv: a pin has ended already")
	}
	for i := len(parts) - 1; i >= 0; i-- {
		t.unpin(parts[i])
	}
	t.pins.all[p].parts = parts[:0]
	t.pins.release(int32(p))
}

func (t *Tier) unpin(part pinnedPart) {
	var previous int32
	for at := t.table.stretches.all[part.stretch].last; at != none; at = previous {
		s := &t.table.segments.all[at]
		previous = s.previous
		if s.from >= part.to || s.to <= part.from {
			continue
		}
		s.pins--
		if s.pins == 0 {
			t.queue.push(at)
		}
	}
}
