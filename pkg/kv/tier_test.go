// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// storeMissing stores all missing blocks of a chain in a tier.
func storeMissing(t *testing.T, s *Tier, chain []prompt.Stretch, blocks, priority int) (evicted []Span) {
	t.Helper()
	p, taken, evicted := s.Reserve(s.Missing(nil, chain, 0, blocks))
	if taken > 0 {
		s.Complete(p, 0, priority)
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return evicted
}

func TestTierEvictsInOrder(t *testing.T) {
	one, two, three := chainOf([2]int{1, 32}), chainOf([2]int{2, 32}), chainOf([2]int{3, 32})
	for name, tc := range map[string]struct {
		order Order
		want  []Span
	}{
		"lru: the second, whose last use was the first":    {LRU, []Span{{two[0].ID, 2, 0}}},
		"lfu: the first, which was used once":              {LFU, []Span{{one[0].ID, 2, 0}}},
		"priority: the one whose requests had less of one": {Priority, []Span{{one[0].ID, 2, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewTier(4, tc.order)
			storeMissing(t, s, two, 2, 5)
			s.Touch(two, 2, 0)
			storeMissing(t, s, one, 2, 1)
			if diff := cmp.Diff(tc.want, storeMissing(t, s, three, 2, 3)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPinnedAndPendingBlocksAreNotEvicted(t *testing.T) {
	s := NewTier(6, LRU)
	one, two := chainOf([2]int{1, 64}), chainOf([2]int{2, 96})
	storeMissing(t, s, one, 4, 0)
	pin := s.Pin(one, 1, 3)
	p, taken, evicted := s.Reserve(s.Missing(nil, two, 0, 6))
	if taken != 4 || s.Reservable() != 0 || s.Pending() != 4 || s.Pinned() != 2 {
		t.Errorf("%d places taken, room for %d more, %d pending, %d pinned", taken, s.Reservable(), s.Pending(), s.Pinned())
	}
	if diff := cmp.Diff([]Span{{one[0].ID, 4, 3}, {one[0].ID, 1, 0}}, evicted); diff != "" {
		t.Errorf("evicted (-want +got):\n%s", diff)
	}
	if n := s.Hits(one, 1, 4); n != 2 {
		t.Errorf("%d blocks from the second on, want those two", n)
	}
	s.Cancel(p)
	s.Unpin(pin)
	if s.Used() != 2 || s.Reservable() != 6 {
		t.Errorf("%d places used, room for %d", s.Used(), s.Reservable())
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestTierHoldsPartsOfTexts(t *testing.T) {
	s := NewTier(10, LRU)
	chain := chainOf([2]int{1, 64}, [2]int{2, 32})
	p, _, _ := s.Reserve(chainSpans(nil, chain, 2, 5))
	if got := [2]int{s.Hits(chain, 2, 6), s.Misses(chain, 0, 6)}; got != [2]int{0, 6} {
		t.Errorf("Hits, Misses = %v while they are pending", got)
	}
	s.Complete(p, 0, 0)
	got := [3]int{s.Hits(chain, 2, 6), s.Hits(chain, 0, 6), s.Misses(chain, 0, 6)}
	if got != [3]int{3, 0, 2} {
		t.Errorf("Hits from 2, Hits and Misses from 0 = %v", got)
	}
}

func TestBackwardSpansKeepEvictionOrder(t *testing.T) {
	s := NewTier(4, LRU)
	one, two := chainOf([2]int{1, 64})[0].ID, chainOf([2]int{2, 64})[0].ID
	// The ends went first; there is room for four.
	p, taken, _ := s.Reserve([]Span{{one, 3, 1}, {two, 3, 1}, {one, 1, 0}})
	want := []Span{{one, 3, 1}, {two, 3, 1}}
	if diff := cmp.Diff(want, s.ReservedSpans(nil, p)); diff != "" || taken != 4 {
		t.Errorf("%d places taken (-want +got):\n%s", taken, diff)
	}
	s.Complete(p, 0, 0)
	_, _, evicted := s.Reserve([]Span{{9, 0, 3}})
	if diff := cmp.Diff([]Span{{one, 3, 1}, {two, 3, 2}}, evicted); diff != "" {
		t.Errorf("evicted (-want +got):\n%s", diff)
	}
}

func TestTierMisusePanics(t *testing.T) {
	chain := chainOf([2]int{1, 64})
	for name, misuse := range map[string]func(s *Tier){
		"a store of nothing":   func(*Tier) { NewTier(0, LRU) },
		"a pin of what is not": func(s *Tier) { s.Pin(chain, 0, 4) },
		"a pin of nothing":     func(s *Tier) { s.PinSpans(nil) },
		"a pin that has ended": func(s *Tier) { p := s.Pin(chain, 0, 1); s.Unpin(p); s.Unpin(p) },
		"a reservation that is over": func(s *Tier) {
			p, _, _ := s.Reserve([]Span{{7, 0, 1}})
			s.Cancel(p)
			s.Complete(p, 0, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewTier(4, LRU)
			storeMissing(t, s, chain, 2, 0)
			defer paniccheck.Want(t, "no panic")
			misuse(s)
		})
	}
}

func TestTierSteadyStateDoesNotAllocate(t *testing.T) {
	for _, order := range []Order{LRU, LFU, Priority} {
		c, s := NewCache(200, blockTokens, true, order), NewTier(400, order)
		c.RecordEvictions()
		chains := requestChains(50)
		spans, missing := []Span{}, []Span{}
		turn := 0
		request := func() {
			chain := chains[turn%len(chains)]
			turn++
			if n := s.Hits(chain, 0, 80); n > 0 {
				p := s.Pin(chain, 0, n)
				s.Touch(chain, 80, turn%5)
				s.Unpin(p)
			}
			a, _ := c.Admit(Admission{Chain: chain, Cached: c.Match(chain, 1279), Tokens: 1280, Priority: turn % 7})
			c.Release(a)
			next := c.NextEvicted(20, spans[:0])
			missing = s.MissingSpans(missing[:0], next)
			if p, taken, _ := s.Reserve(missing); taken > 0 {
				spans = s.ReservedSpans(next[:0], p)
				s.Complete(p, 0, turn%3)
			}
			spans = c.TakeEvicted(spans[:0])
		}
		for range 20 * len(chains) {
			request()
		}
		if n := testing.AllocsPerRun(100, request); n != 0 {
			t.Errorf("order %d: %v allocations a request, want none", order, n)
		}
		checkInvariants(t, c)
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}
