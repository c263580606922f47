// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

// constantStep is a timer whose steps take as long whatever they compute.
type constantStep time.Duration

func (c constantStep) StepTime(latency.Step) time.Duration { return time.Duration(c) }

// smallPool is replicas of 8 blocks of 4 tokens, whose steps take 10 ms.
func smallPool(replicas int) Config {
	return Config{
		Simulated: simulator.Config{Pools: []simulator.Pool{{
			Name: "pool", Replicas: replicas, Timer: constantStep(10 * time.Millisecond),
			BlockTokens: 4, KVBlocks: 8, PrefixCaching: true, MaxNumSeqs: 4, MaxNumBatchedTokens: 100,
		}}},
		Speed: 1, MaxLateness: time.Second, NamedTokens: 1000,
	}
}

// running is a pool that runs until the test ends.
func running(t *testing.T, c Config) *Pool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p := New(c)
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.As(err, &Behind{}) {
			t.Error(err)
		}
	})
	return p
}

func submit(t *testing.T, p *Pool, replica int, prompt, answer string) *Stream {
	t.Helper()
	s, err := p.Submit(replica, Request{Prompt: ids(prompt), Answer: ids(answer)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// arrivals reads a stream to its end, and returns how long after a start each token came, to the
// microsecond: a request arrives at the nanosecond after it was submitted.
func arrivals(t *testing.T, s *Stream, start time.Time) []time.Duration {
	t.Helper()
	var all []time.Duration
	for {
		n, ok, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all
		}
		for range n {
			all = append(all, time.Since(start).Truncate(time.Microsecond))
		}
	}
}

// TestTokensComeInTime has steps of 10 ms: the prompt is computed in one, which gives the first token.
func TestTokensComeInTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		speed float64
		want  []time.Duration
	}{
		{"real time", 1, []time.Duration{10e6, 20e6, 30e6}},
		{"twice as fast", 2, []time.Duration{5e6, 10e6, 15e6}},
		{"half as fast", .5, []time.Duration{20e6, 40e6, 60e6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := smallPool(1)
				config.Speed = c.speed
				start, p := time.Now(), running(t, config)
				if diff := cmp.Diff(c.want, arrivals(t, submit(t, p, 0, "a prompt", "yes"), start)); diff != "" {
					t.Errorf("tokens (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestSecondTurnsFindTheFirst sends a conversation again with the answer and more: the whole blocks of
// both are there.
func TestSecondTurnsFindTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, smallPool(2))
		arrivals(t, submit(t, p, 1, "question", "answer"), time.Now())
		second := submit(t, p, 1, "questionanswer?", "!")
		arrivals(t, second, time.Now())
		// The last token of the answer has no KV: 13 tokens are 3 blocks of 4.
		if got := second.Progress().Cached; got != 12 {
			t.Errorf("%d tokens of the second turn were cached, want 12", got)
		}
		m := p.Metrics(1)
		if m.PrefixCacheQueries != 8+15 || m.PrefixCacheHits != 12 || m.Completed != 2 || m.PromptTokens != 23 || m.GenerationTokens != 7 {
			t.Errorf("metrics %+v", m)
		}
		if m := p.Metrics(0); m.PrefixCacheQueries != 0 {
			t.Errorf("the other replica was asked for %d tokens", m.PrefixCacheQueries)
		}
	})
}

// TestCloseFreesBlocks gives up a request in the middle of its answer.
func TestCloseFreesBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, smallPool(1))
		s := submit(t, p, 0, "a prompt", "a long answer")
		if _, ok, err := s.Next(t.Context()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if m := p.Metrics(0); m.Running != 1 || m.KVUsage != 3./8 {
			t.Errorf("%d requests run in %v of the blocks", m.Running, m.KVUsage)
		}
		s.Close()
		if m := p.Metrics(0); m.Running != 0 || m.KVUsage != 0 {
			t.Errorf("%d requests run in %v of the blocks after the end", m.Running, m.KVUsage)
		}
		if _, ok, err := s.Next(t.Context()); ok || !errors.Is(err, context.Canceled) {
			t.Errorf("the stream goes on: %v, %v", ok, err)
		}
	})
}

// TestSlowReadersHoldNothingBack reads one of two streams when both have ended.
func TestSlowReadersHoldNothingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, p := time.Now(), running(t, smallPool(1))
		slow := submit(t, p, 0, "slow", "slow!")
		fast := submit(t, p, 0, "fast", "fast!")
		want := []time.Duration{10e6, 20e6, 30e6, 40e6, 50e6}
		if diff := cmp.Diff(want, arrivals(t, fast, start)); diff != "" {
			t.Errorf("fast reader (-want +got):\n%s", diff)
		}
		if n, ok, err := slow.Next(t.Context()); n != 5 || !ok || err != nil {
			t.Errorf("the slow reader gets %d tokens at once, %v, %v", n, ok, err)
		}
	})
}

// TestRefusals has requests that the engine never takes.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, smallPool(1))
		_, err := p.Submit(0, Request{Prompt: make([]uint32, 30), Answer: make([]uint32, 4)})
		if refusal := (simulation.Refusal{}); !errors.As(err, &refusal) || refusal.Reason != simulator.ExceedsKVCache {
			t.Errorf("33 tokens with KV in 8 blocks of 4: %v", err)
		}
		if _, err := p.Submit(1, Request{Prompt: ids("a"), Answer: ids("b")}); err == nil {
			t.Error("there is a second replica of one")
		}
	})
}
