// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// watchedRequest arrives at time 0.
type watchedRequest struct{ prompt, output, priority int }

// TestTheQueueIsWatched: steps take a millisecond, and a replica has 4 blocks of 10
// tokens.
func TestTheQueueIsWatched(t *testing.T) {
	inversions := []watchedRequest{{30, 1, 5}, {10, 1, 0}, {20, 1, 5}, {25, 1, 0}}
	// The first one holds 3 blocks for 5 steps. The second one needs 2 blocks.
	blocking := []watchedRequest{{21, 5, 0}, {15, 1, 0}, {5, 1, 0}}
	for name, tc := range map[string]struct {
		requests  []watchedRequest
		scheduler scheduling.Factory
		places    int
		want      QueueUse
	}{
		// The unimportant requests are 1 and 3. Whenever one of them is admitted before
		// 0, that is an inversion.
		"nobody is passed, first come, first served": {inversions, scheduling.FCFS, 1, QueueUse{}},
		"short ones pass important ones":             {inversions, scheduling.ShortestPrompt, 1, QueueUse{Inversions: 2}},
		"nobody is passed by priority":               {inversions, scheduling.Priority, 1, QueueUse{}},
		"unimportant ones pass important ones":       {inversions, scheduling.ReversePriority, 1, QueueUse{Inversions: 2}},
		"a long one blocks a short one":              {blocking, scheduling.FCFS, 3, QueueUse{Blocked: 5 * time.Millisecond}},
		"a short one would have no place":            {blocking, scheduling.FCFS, 1, QueueUse{}},
		"a long one would not fit either":            {[]watchedRequest{{21, 5, 0}, {15, 1, 0}, {15, 1, 0}}, scheduling.FCFS, 3, QueueUse{}},
	} {
		t.Run(name, func(t *testing.T) {
			source := &script{}
			for id, r := range tc.requests {
				source.requests = append(source.requests, workload.Request{
					ID: id, OutputTokens: r.output, Priority: r.priority,
					Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(1 + id), Tokens: int32(r.prompt)}),
				})
			}
			for _, watch := range []bool{true, false} {
				o, err := Run(context.Background(), Config{
					Pools: []Pool{{
						Replicas: 1, Timer: constantStep(time.Millisecond), BlockTokens: 10, KVBlocks: 4,
						MaxNumSeqs: tc.places, MaxNumBatchedTokens: 100, ReserveFullPrompt: true, Scheduler: tc.scheduler, WatchQueue: watch,
					}},
					Policies: policy.RoutedBy(toFewest{}), Source: &script{requests: source.requests}, Horizon: Horizon{Drain: time.Hour},
				})
				if err != nil {
					t.Fatal(err)
				}
				want := &tc.want
				if !watch {
					want = nil
				}
				if diff := cmp.Diff(want, o.Replicas[0].Queue); diff != "" {
					t.Errorf("watched: %v (−want +got):\n%s", watch, diff)
				}
			}
		})
	}
}

// TestRandomClustersReachTheQueueWatch counts what the random clusters that are compared
// with the plain simulator have of it.
func TestRandomClustersReachTheQueueWatch(t *testing.T) {
	sum, preemptions := QueueUse{}, int64(0)
	for seed := range int64(300) {
		o := runPlain(randomConfig(randomBytes(seed)))
		for _, r := range o.Replicas {
			preemptions += r.Preemptions
			if r.Queue != nil {
				sum.Inversions += r.Queue.Inversions
				sum.Blocked += r.Queue.Blocked
			}
		}
	}
	t.Logf("%+v, %d preemptions", sum, preemptions)
	if sum.Inversions < 50 || sum.Blocked < 300 || preemptions < 100 {
		t.Errorf("the random clusters have few of them: %+v, %d preemptions", sum, preemptions)
	}
}
