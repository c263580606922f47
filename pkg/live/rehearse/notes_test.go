// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// twentyMilliseconds is a timer whose steps take 20 ms whatever they compute.
type twentyMilliseconds struct{}

func (twentyMilliseconds) StepTime(latency.Step) time.Duration { return 20 * time.Millisecond }

// TestTimesAreThoseOfTheEngine has a prompt that takes one step of 20 ms, and one that takes three, which is not asked
// for.
func TestTimesAreThoseOfTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		notes := NewNotes(1, 0)
		pool := replicas.New(replicas.Config{
			Simulated: simulator.Config{Pools: []simulator.Pool{{
				Name: "pool", Replicas: 1, Timer: twentyMilliseconds{}, BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 4, MaxNumBatchedTokens: 10,
			}}},
			Speed: 1, MaxLateness: time.Second, NamedTokens: 1000, Ended: notes.Ended,
		})
		done := make(chan error, 1)
		go func() { done <- pool.Run(ctx) }()
		for _, of := range []struct {
			id     string
			prompt int
		}{{"warm-up", 30}, {"measured", 10}} {
			s, err := pool.Submit(0, replicas.Request{ID: of.id, Prompt: make([]uint32, of.prompt), Answer: make([]uint32, 3)})
			if err != nil {
				t.Fatal(err)
			}
			for ok := true; ok; {
				if _, ok, err = s.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, metric := range []string{"engineTtft.p99", "tpot.mean"} {
			if got, ok := notes.Metrics([]string{"measured", "never sent"}).Get(metric); !ok || got != 0.02 {
				t.Errorf("%s is %v s", metric, got)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestAnotherProcessHasTheNotesWhole takes those of a replica in two parts.
func TestAnotherProcessHasTheNotesWhole(t *testing.T) {
	whole, taken, read := NewNotes(1, 0), NewNotes(1, 0), NewNotes(2, 0)
	for i := range 2 {
		for _, n := range []*Notes{whole, taken} {
			n.Scraped(0, time.Unix(int64(i), 1), &replicas.Metrics{Running: 2, KVUsage: 0.1})
			n.Ended(0, fmt.Sprint(i), replicas.Progress{TTFT: time.Second, First: 1e9, Last: simtime.Time(3e9 + i), Tokens: 3})
			n.Ended(0, "without a token", replicas.Progress{})
		}
		r := jsontest.Decode[Record](t, jsontest.Encode(t, taken.Take(0)))
		if r.Requests != i+1 || r.Forgotten {
			t.Errorf("%d requests, %t", r.Requests, r.Forgotten)
		}
		read.Add(1, &r)
	}
	if diff := cmp.Diff(whole.of[0], read.of[1], cmpopts.IgnoreFields(Record{}, "Requests")); diff != "" {
		t.Errorf("notes (−noted +read):\n%s", diff)
	}
}

// TestNotesDoNotGrow has a day of an EPP that reads metrics each 50 ms, and of 2 requests a second: 1,900,800 notes, which
// no other process takes. 80,000 of them are kept, a scrape in 48 bytes.
func TestNotesDoNotGrow(t *testing.T) {
	notes := NewNotes(1, 80_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	at := time.Unix(0, 0)
	for i := range 24 * 3600 * 20 {
		notes.Scraped(0, at.Add(time.Duration(i)*50*time.Millisecond), &replicas.Metrics{Running: i})
		if i%10 == 0 {
			notes.Ended(0, fmt.Sprint(i), replicas.Progress{Tokens: 1})
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("the notes have %d bytes", grown)
	}
	if r := notes.Take(0); !r.Forgotten || r.Requests != 24*3600*2 || len(r.Scrapes)+len(r.Times) > 80_000 {
		t.Errorf("%d scrapes, times of %d of %d requests, forgotten: %t", len(r.Scrapes), len(r.Times), r.Requests, r.Forgotten)
	}
}
