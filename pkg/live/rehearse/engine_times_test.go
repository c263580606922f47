// SPDX-License-Identifier: Apache-2.0

package rehearse

import (
	"context"
	"encoding/json"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/live/replicas"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// twentyMilliseconds is a timer whose steps take 20 ms whatever they compute.
type twentyMilliseconds struct{}

func (twentyMilliseconds) StepTime(latency.Step) time.Duration { return 20 * time.Millisecond }

// TestOnlyMeasuredRequestsHaveEngineTimes has a prompt that takes one step of 20 ms, and, in the
// warm-up, one that takes three.
func TestOnlyMeasuredRequestsHaveEngineTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		pool := replicas.New(replicas.Config{
			Simulated: simulator.Config{Pools: []simulator.Pool{{
				Name: "pool", Replicas: 1, Timer: twentyMilliseconds{}, BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 4, MaxNumBatchedTokens: 10,
			}}},
			Speed: 1, MaxLateness: time.Second, NamedTokens: 1000,
		})
		done := make(chan error, 1)
		go func() { done <- pool.Run(ctx) }()
		var times EngineTimes
		for _, of := range []struct {
			id     string
			prompt int
		}{{"warm-up", 30}, {"measured", 10}} {
			s, err := pool.Submit(0, replicas.Request{ID: of.id, Prompt: make([]uint32, of.prompt), Answer: make([]uint32, 3)})
			if err != nil {
				t.Fatal(err)
			}
			times.Submitted(of.id, s)
			for ok := true; ok; {
				if _, ok, err = s.Next(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		times.Measure("measured")
		times.Measure("never sent")
		for _, metric := range []string{"engineTtft.p99", "tpot.mean"} {
			if got, ok := times.Metrics().Get(metric); !ok || got != 0.02 {
				t.Errorf("%s is %v s", metric, got)
			}
		}
		scrapes := NewScrapes(1)
		scrapes.Read(0, time.Now(), &replicas.Metrics{Running: 2, KVUsage: 0.1})
		checkRecord(t, scrapes, &times)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// checkRecord wants that another process knows the same by the record of endpoint 0.
func checkRecord(t *testing.T, s *Scrapes, e *EngineTimes) {
	t.Helper()
	raw, err := json.Marshal(RecordOf(0, s, e))
	if err != nil {
		t.Fatal(err)
	}
	var read Record
	if err := json.Unmarshal(raw, &read); err != nil {
		t.Fatal(err)
	}
	scrapes, times := NewScrapes(2), EngineTimes{measured: e.measured}
	read.Add(1, scrapes, &times)
	if diff := cmp.Diff(maps.Collect(e.Metrics().All()), maps.Collect(times.Metrics().All())); diff != "" {
		t.Errorf("engine times (-noted +read):\n%s", diff)
	}
	later := time.Now().Add(time.Second)
	want, _ := s.before(0, later)
	got, known := scrapes.before(1, later)
	if !known || !got.At.Equal(want.At) || got.Scrape != want.Scrape {
		t.Errorf("the scrape is %+v, want %+v", got, want)
	}
}
