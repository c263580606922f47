// SPDX-License-Identifier: Apache-2.0

package native

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// plainTable is a list of blocks, the one sent last at the end, as AIBrix keeps it.
type plainTable struct {
	capacity int
	ttl      time.Duration
	entries  []plainEntry
}

type plainEntry struct {
	block   uint64
	at      simtime.Time
	holders map[int]bool
}

func (t *plainTable) find(block uint64) int {
	return slices.IndexFunc(t.entries, func(e plainEntry) bool { return e.block == block })
}

func (t *plainTable) expire(now simtime.Time) {
	t.entries = slices.DeleteFunc(t.entries, func(e plainEntry) bool { return now.Sub(e.at) > t.ttl })
}

func (t *plainTable) send(blocks []uint64, endpoint int, now simtime.Time) {
	for _, b := range blocks {
		e := plainEntry{block: b, holders: map[int]bool{}}
		if i := t.find(b); i >= 0 {
			e = t.entries[i]
			t.entries = slices.Delete(t.entries, i, i+1)
		} else if len(t.entries) == t.capacity {
			t.entries = t.entries[1:]
		}
		e.at, e.holders[endpoint] = now, true
		t.entries = append(t.entries, e)
	}
}

func (t *plainTable) match(blocks []uint64, endpoint int) int {
	for n, b := range blocks {
		if i := t.find(b); i < 0 || !t.entries[i].holders[endpoint] {
			return n
		}
	}
	return len(blocks)
}

func checkBlockTable(t *testing.T, rng *rand.Rand, steps int) {
	const blockTokens, ttl = 4, 200 * time.Nanosecond
	endpoints := []int{2, 5, 70}[rng.IntN(3)]
	capacity := 1 + rng.IntN(40)
	real, plain := newBlockTable(blockTokens, capacity, endpoints, ttl), &plainTable{capacity: capacity, ttl: ttl}
	r := &round{view: &policy.View{}}
	for e := range endpoints {
		r.candidates = append(r.candidates, e)
	}
	for step := range steps {
		r.view.Now += simtime.Time(rng.IntN(20))
		q := request(step)
		for range 1 + rng.IntN(3) {
			q.Prompt = q.Prompt.Append(text(rng.Uint64N(3), rng.IntN(50)))
		}
		q.Tokens = q.Prompt.Tokens()
		r.request = q
		blocks := q.Prompt.FullBlocks(nil, blockTokens)
		plain.expire(r.view.Now)
		real.look(r)
		for e := range endpoints {
			if got, want := real.blocks[e], plain.match(blocks, e); got != want {
				t.Fatalf("step %d: endpoint %d has %d of %d blocks, want %d", step, e, got, len(blocks), want)
			}
		}
		if rng.IntN(4) > 0 {
			e := rng.IntN(endpoints)
			real.routed(r, e)
			plain.send(blocks, e, r.view.Now)
		}
		if got, want := real.length, len(plain.entries); got != want {
			t.Fatalf("step %d: %d blocks of at most %d, want %d", step, got, capacity, want)
		}
	}
}

func TestBlockTableAgainstABlockAtATime(t *testing.T) {
	for seed := range uint64(150) {
		checkBlockTable(t, rand.New(rand.NewPCG(seed, 4)), 300)
	}
}

func FuzzBlockTable(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkBlockTable(t, rand.New(rand.NewPCG(a, b)), 100) })
}
