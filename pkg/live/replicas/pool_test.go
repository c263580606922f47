// SPDX-License-Identifier: Apache-2.0

package replicas

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

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

// TestEachEndIsTold has an answer that is whole, one that is given up after its first token, and one that the end of the
// pool cuts off.
func TestEachEndIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := map[string]int{}
		config := smallPool(2)
		config.Ended = func(replica int, request string, p Progress) { told[fmt.Sprint(request, " of ", replica)] = p.Tokens }
		p := New(config)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx) }()
		next := func(id string, replica int) *Stream {
			s, err := p.Submit(replica, Request{ID: id, Prompt: ids("a prompt"), Answer: ids("yes")})
			if err != nil {
				t.Fatal(err)
			}
			if _, ok, err := s.Next(ctx); !ok || err != nil {
				t.Fatal(ok, err)
			}
			return s
		}
		arrivals(t, next("whole", 0), time.Now())
		next("given up", 1).Close()
		next("cut off", 1)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(map[string]int{"whole of 0": 3, "given up of 1": 1, "cut off of 1": 1}, told); diff != "" {
			t.Errorf("tokens (−want +got):\n%s", diff)
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

// slowMachine takes longer to compute a step than the step is to take.
type slowMachine struct{ constantStep }

func (m slowMachine) StepTime(s latency.Step) time.Duration {
	time.Sleep(3 * time.Duration(m.constantStep))
	return m.constantStep.StepTime(s)
}

// TestPoolsThatFallBehindSaySo has steps of 10 ms that the machine takes 30 ms for: each token is 20 ms
// later than the one before.
func TestPoolsThatFallBehindSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := smallPool(1)
		config.Simulated.Pools[0].Timer = slowMachine{constantStep(10 * time.Millisecond)}
		config.MaxLateness = 50 * time.Millisecond
		p := New(config)
		done := make(chan error, 1)
		go func() { done <- p.Run(t.Context()) }()
		s := submit(t, p, 0, "a prompt", "a long answer")
		err := <-done
		if behind := (Behind{}); !errors.As(err, &behind) || behind.By <= config.MaxLateness {
			t.Fatalf("the pool ends with %v", err)
		}
		for ok := true; ok; {
			var failed error
			if _, ok, failed = s.Next(t.Context()); !ok && !errors.Is(failed, err) {
				t.Errorf("the stream ends with %v", failed)
			}
		}
		if _, failed := p.Submit(0, Request{Prompt: ids("a"), Answer: ids("b")}); !errors.Is(failed, err) {
			t.Errorf("another request ends with %v", failed)
		}
		if late := lateness(t, p); upTo(late, 1) != late.GetSampleCount() || late.GetSampleSum() < .05 {
			t.Errorf("lateness %v", late)
		}
	})
}

func lateness(t testing.TB, p *Pool) *dto.Histogram {
	t.Helper()
	var m dto.Metric
	if err := p.Lateness().Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.Histogram
}

// upTo is how many values are not above a bound.
func upTo(h *dto.Histogram, bound float64) uint64 {
	at := slices.IndexFunc(h.Bucket, func(b *dto.Bucket) bool { return b.GetUpperBound() == bound })
	return h.Bucket[at].GetCumulativeCount()
}

// TestMemoryStaysFlat serves 100,000 requests with new texts, every tenth of which is given up.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it serves 100,000 requests")
	}
	synctest.Test(t, func(t *testing.T) {
		config := smallPool(2)
		config.BlockEvents = func(BlockEvent) {}
		config.NamedTokens = 0
		p := running(t, config)
		serve := func(from, to int) {
			for i := from; i < to; i += 4 {
				var streams []*Stream
				for k := i; k < i+4; k++ {
					prompt := []uint32{uint32(k % 7), uint32(k), 1, 2, 3, 4, 5, 6}
					s, err := p.Submit(k%2, Request{Prompt: prompt, Answer: prompt[:1+k%3]})
					if err != nil {
						t.Fatal(err)
					}
					streams = append(streams, s)
				}
				for k, s := range streams {
					if (i+k)%10 == 0 {
						s.Close()
						continue
					}
					arrivals(t, s, time.Now())
				}
			}
		}
		serve(0, 20_000)
		before := heap()
		serve(20_000, 100_000)
		if after := heap(); after > before+200_000 {
			t.Errorf("%d bytes are in use after 100,000 requests, %d after 20,000", after, before)
		}
	})
}

// TestADayAtLowRate sends a request each minute. The clock is as exact in the end as in the beginning.
func TestADayAtLowRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := running(t, smallPool(1))
		for minute := range 24 * 60 {
			start := time.Now()
			want := []time.Duration{10e6, 20e6, 30e6}
			if diff := cmp.Diff(want, arrivals(t, submit(t, p, 0, "a prompt", "yes"), start)); diff != "" {
				t.Fatalf("tokens of minute %d (-want +got):\n%s", minute, diff)
			}
			time.Sleep(time.Minute)
		}
		if late := lateness(t, p); upTo(late, .0001) != 3*24*60 {
			t.Errorf("lateness %v", late)
		}
	})
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyClientsAtOnce has clients submit, read, give up and look at metrics side by side, on the
// machine's clock.
func TestManyClientsAtOnce(t *testing.T) {
	config := smallPool(2)
	config.Simulated.Pools[0].Timer = constantStep(100 * time.Microsecond)
	config.BlockEvents = func(BlockEvent) {}
	config.MaxLateness = time.Hour
	p := running(t, config)
	var clients sync.WaitGroup
	for client := range 20 {
		clients.Go(func() {
			for i := range 20 {
				prompt := []uint32{uint32(client % 3), uint32(i), 1, 2, 3}
				s, err := p.Submit(i%2, Request{Prompt: prompt, Answer: prompt})
				if err != nil {
					t.Error(err)
					return
				}
				for tokens := 0; ; {
					n, ok, err := s.Next(t.Context())
					tokens += n
					if i%4 == 0 && tokens > 1 {
						s.Close()
						break
					}
					if ok {
						continue
					}
					if err != nil || tokens != len(prompt) {
						t.Errorf("%d tokens, %v", tokens, err)
					}
					break
				}
				p.Metrics(i % 2)
			}
		})
	}
	clients.Wait()
	if m := p.Metrics(0); m.Running+m.Waiting > 0 || m.KVUsage > 0 {
		t.Errorf("%+v in the end", m)
	}
}
