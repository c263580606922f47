// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// keepingConfig is two replicas that hand over, and may have tiers.
func keepingConfig(seed int64) simulator.Config {
	with := []feature{randomHandoffs}
	if seed%2 == 0 {
		with = append(with, randomTiers)
	}
	c := sessionConfig(randomChoices(seed, 120, 500), with)
	c.Pools = c.Pools[:1]
	p := &c.Pools[0]
	p.Replicas, p.KVBlocks, p.MaxModelLen, p.Windows.Groups, p.Windows.Blocks = 2, max(p.KVBlocks, 12), 0, 0, 0
	p.MaxQueuedRequests, p.MaxQueuedTokens, p.Stability = nil, nil, nil
	p.Cost.QueueBase, p.Cost.QueuePerInputToken = 0, 0 // a decoding replica has no such delay
	p.InitialCacheHitRate = 0
	c.Handoff.Granularity, c.Handoff.MaxPending = simulator.GranularityBlock, 0
	return c
}

// pair sends each request to the second replica, and has the first one compute its prompt.
type pair struct{}

func (pair) Route(*policy.View, *policy.Request) (policy.Route, error) {
	return policy.Route{Endpoint: 1, Prefill: 0}, nil
}

// TestKeptPromptsAreHandedOver sends a prompt to a replica that keeps it, and at once, a nanosecond
// after its token, to another one that takes it over. The second one gives its tokens a nanosecond later
// than the one of a run in which the router has the first replica compute the prompt.
func TestKeptPromptsAreHandedOver(t *testing.T) {
	for seed := range int64(300) {
		stream := stats.NewStream(seed, "kept")
		block := keepingConfig(seed).Pools[0].BlockTokens
		w := workload.Request{
			Arrival: 10, OutputTokens: 2 + stream.IntN(2*block), Response: 2,
			Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: 1, Tokens: int32(1 + stream.IntN(9*block))}}},
		}
		offline := keepingConfig(seed)
		offline.Policies, offline.Source = policy.RoutedBy(pair{}), &script{labels: offline.Source.Labels(), requests: []workload.Request{w}}
		want := tokensOfRun(t, offline)[0]

		live := keepingConfig(seed)
		told := streams{}
		s := OpenSession(context.Background(), live, told)
		first := w
		first.OutputTokens = 1
		if _, err := s.Submit(w.Arrival, Submission{Request: first, Keeps: true}); err != nil {
			t.Fatal(err)
		}
		finish(t, s)
		last := told[0].Completed
		if _, err := s.Submit(max(s.s.Now, last+1), Submission{Endpoint: 1, Request: w, TakesOver: 1}); err != nil {
			t.Fatal(err)
		}
		later := s.s.Now.Sub(told[0].Tokens[0].Add(-live.Pools[0].Cost.PerOutputToken))
		finish(t, s)
		got := told[1]
		for i := range got.Tokens {
			got.Tokens[i] = got.Tokens[i].Add(-later)
		}
		got.Completed = got.Completed.Add(-later)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("scenario %d, %v later (-offline +session):\n%s", seed, later, diff)
		}
		if s.Keeps(0) || s.Engine(0).KVUsage != 0 {
			t.Fatalf("scenario %d: the first replica has %v of its blocks in use", seed, s.Engine(0).KVUsage)
		}
	}
}

func finish(t *testing.T, s *Session) {
	t.Helper()
	for s.Next() < simtime.Never {
		advance(t, s, s.Next()+1)
	}
}

// TestKeptBlocksAreGivenUp keeps, takes over, drops and cancels at random, under the invariants of
// runs. In the end no block is in use.
func TestKeptBlocksAreGivenUp(t *testing.T) {
	tookOver := 0
	for seed := range int64(300) {
		stream := stats.NewStream(seed, "keeping")
		c := keepingConfig(seed)
		c.CheckInvariants = true
		told := streams{}
		s := OpenSession(context.Background(), c, told)
		var sent, kept []int
		at := simtime.Time(0)
		for range 40 {
			at += simtime.Time(stream.IntN(60))
			w := workload.Request{
				OutputTokens: 1 + stream.IntN(5), Response: uint64(1000 + at),
				Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: uint64(stream.IntN(3)), Tokens: int32(1 + stream.IntN(5*c.Pools[0].BlockTokens))}}},
			}
			var err error
			number := len(sent)
			switch stream.IntN(4) {
			case 0:
				err = s.Drop(at, stream.IntN(number+1))
			case 1:
				err = s.Cancel(at, stream.IntN(number+1))
			case 2:
				number, err = s.Submit(at, Submission{Endpoint: stream.IntN(2), Request: w, Keeps: true})
				sent, kept = append(sent, number), append(kept, int(w.Prompt.Extents[0].Tokens))
			default:
				of := stream.IntN(number + 1)
				if of < number && kept[of] > 0 {
					w.Prompt.Extents[0].Tokens = int32(kept[of])
				}
				before := s.Keeps(of)
				number, err = s.Submit(at, Submission{Endpoint: stream.IntN(2), Request: w, TakesOver: of + 1})
				sent, kept = append(sent, number), append(kept, 0)
				if before && !s.Keeps(of) {
					tookOver++
				}
			}
			if err != nil {
				if refusal := (Refusal{}); !errors.As(err, &refusal) {
					t.Fatal(err)
				}
			}
		}
		// What is dropped may let another request run that keeps its blocks. Without a drop a request
		// that lacks the kept blocks would preempt itself for ever, as one of vLLM does.
		for busy := true; busy; busy = s.Next() < simtime.Never {
			advance(t, s, s.s.Now+1000)
			for number := range 40 {
				if err := s.Drop(s.s.Now, number); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i := range 2 {
			if e := s.Engine(i); e.KVUsage != 0 || e.Running+e.Waiting > 0 {
				t.Fatalf("scenario %d: %+v in the end", seed, e.Scrape)
			}
		}
	}
	if tookOver < 100 {
		t.Errorf("%d prompts were taken over", tookOver)
	}
}
