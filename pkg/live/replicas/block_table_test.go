// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// reader keeps what block events say of one replica, as a router does.
type reader struct {
	t  *testing.T
	mu sync.Mutex

	blocks map[uint64]BlockEvent
	events int
}

func (r *reader) hear(e BlockEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events++
	_, known := r.blocks[e.Hash]
	switch e.Kind {
	case BlockStored:
		if known || e.Hash == 0 || len(e.Tokens) != 4 {
			r.t.Errorf("stored, known before: %v, %+v", known, e)
		}
		r.blocks[e.Hash] = e
	case BlockRemoved:
		if !known || e.Parent != r.blocks[e.Hash].Parent || e.Adapter != r.blocks[e.Hash].Adapter {
			r.t.Errorf("removed, known before: %v, %+v", known, e)
		}
		delete(r.blocks, e.Hash)
	default:
		r.t.Errorf("%+v", e)
	}
}

// match is how many leading tokens of a text are stored for an adapter behind a block, by the tokens
// alone. A text that was forgotten may be stored twice.
func (r *reader) match(text []uint32, adapter string, parent uint64) int {
	most := 0
	for hash, b := range r.blocks {
		if len(text) >= 4 && b.Parent == parent && b.Adapter == adapter && slices.Equal(b.Tokens, text[:4]) {
			most = max(most, 4+r.match(text[4:], adapter, hash))
		}
	}
	return most
}

// TestBlockEventsSayWhatCachesHold sends requests one after the other to a replica with few blocks, and
// expects that as much of each prompt is cached as the events before it say.
func TestBlockEventsSayWhatCachesHold(t *testing.T) {
	for _, c := range []struct {
		names int
		exact bool
	}{{100_000, true}, {60, false}, {1, false}} {
		t.Run(fmt.Sprintf("%d tokens have names", c.names), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				heard := &reader{t: t, blocks: map[uint64]BlockEvent{}}
				config := smallPool(1)
				config.Simulated.Pools[0].Adapters = &simulator.AdapterPlaces{Max: 2}
				config.NamedTokens, config.BlockEvents = c.names, heard.hear
				p := running(t, config)
				hits := 0
				for seed := range int64(1000) {
					stream := stats.NewStream(seed, "prompt")
					text := make([]uint32, 1+stream.IntN(24))
					for i := range text {
						text[i] = uint32(stream.IntN(8) / 7) // mostly equal
					}
					adapter := []string{"", "one", "two"}[stream.IntN(3)]
					heard.mu.Lock()
					want := min(heard.match(text, adapter, 0), (len(text)-1)/4*4)
					heard.mu.Unlock()
					s, err := p.Submit(0, Request{Prompt: text, Answer: text[:1+stream.IntN(min(8, len(text)))], Adapter: adapter})
					if err != nil {
						t.Fatal(err)
					}
					if seed%5 == 0 {
						s.Next(t.Context())
						s.Close()
						time.Sleep(10 * time.Millisecond) // the step under way ends
					} else {
						arrivals(t, s, time.Now())
					}
					got := s.Progress().Cached
					hits += got
					if c.exact && got != want || got > want {
						t.Fatalf("request %d: %d tokens of %v are cached, and events tell of %d", seed, got, text, want)
					}
				}
				if hits == 0 || heard.events < 1000 {
					t.Errorf("%d tokens were cached, %d events heard", hits, heard.events)
				}
			})
		})
	}
}
