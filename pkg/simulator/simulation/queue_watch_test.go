// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// watchedRequest has a prompt whose first tokens are those of all other requests.
type watchedRequest struct {
	at                               time.Duration
	common, prompt, output, priority int
}

// TestTheQueueIsWatched: steps take a millisecond, and a replica has 4 blocks of 10
// tokens.
func TestTheQueueIsWatched(t *testing.T) {
	inversions := []watchedRequest{{prompt: 30, output: 1, priority: 5}, {prompt: 10, output: 1}, {prompt: 20, output: 1, priority: 5}, {prompt: 25, output: 1}}
	// The first one holds 3 blocks for 5 steps. The second one needs 2 blocks.
	blocking := []watchedRequest{{prompt: 21, output: 5}, {prompt: 15, output: 1}, {prompt: 5, output: 1}}
	// The first one leaves 20 tokens in 2 blocks, which the second one holds for 5 steps,
	// with a third one. The next one needs 2 blocks of the one that is left, and the last
	// one, with the 20 tokens, 1 block.
	cached := []watchedRequest{
		{common: 20, prompt: 21, output: 1}, {at: 5 * time.Millisecond, common: 20, prompt: 21, output: 5},
		{at: 5 * time.Millisecond, prompt: 15, output: 1}, {at: 5 * time.Millisecond, common: 20, prompt: 25, output: 1},
	}
	for name, tc := range map[string]struct {
		requests  []watchedRequest
		scheduler scheduling.Factory
		places    int
		want      simulator.QueueUse
	}{
		// The order is 0, 1, 2, 3, and 2 is urgent and waits when 1 is admitted, which is not.
		"an urgent one waits, first come, first served": {inversions, scheduling.FCFS, 1, simulator.QueueUse{Inversions: 1}},
		// The order is 1, 2, 3, 0.
		"short ones pass urgent ones":      {inversions, scheduling.ShortestPrompt, 1, simulator.QueueUse{Inversions: 2}},
		"nobody is passed by priority":     {inversions, scheduling.Priority, 1, simulator.QueueUse{}},
		"others pass urgent ones":          {inversions, scheduling.ReversePriority, 1, simulator.QueueUse{Inversions: 2}},
		"one step for all":                 {inversions[1:3], scheduling.FCFS, 4, simulator.QueueUse{}},
		"a long one blocks a short one":    {blocking, scheduling.FCFS, 3, simulator.QueueUse{Blocked: 1}},
		"a short one would have no place":  {blocking, scheduling.FCFS, 1, simulator.QueueUse{}},
		"a long one would not fit either":  {[]watchedRequest{blocking[0], blocking[1], blocking[1]}, scheduling.FCFS, 3, simulator.QueueUse{}},
		"it would with its cached prefix":  {cached, scheduling.FCFS, 3, simulator.QueueUse{Blocked: 1}},
		"it would not without that prefix": {[]watchedRequest{cached[0], cached[1], cached[2], {at: 5 * time.Millisecond, prompt: 25, output: 1}}, scheduling.FCFS, 3, simulator.QueueUse{}},
	} {
		t.Run(name, func(t *testing.T) {
			pool := simulator.Pool{BlockTokens: 10, KVBlocks: 4, MaxNumSeqs: tc.places, MaxNumBatchedTokens: 100, PrefixCaching: true, ReserveFullPrompt: true, Scheduler: tc.scheduler}
			wantWatched(t, pool, tc.requests, tc.want)
		})
	}
}

// An engine that schedules asynchronously has made the schedule of the step of 2 ms when
// that of 1 ms begins, and so without what comes at 1.5 ms: the order of the queue has not
// made that wait. The one before it came in the step of 0 ms. First it is admitted in that
// of 2 ms; then it needs 2 blocks of the one that is left, and the late one needs 1.
func TestTheQueueIsNotToBlameForAnAsynchronousSchedule(t *testing.T) {
	const early, late = 200 * time.Microsecond, 1500 * time.Microsecond
	for name, requests := range map[string][]watchedRequest{
		"an urgent one": {{prompt: 10, output: 3}, {at: early, prompt: 10, output: 1}, {at: late, prompt: 10, output: 1, priority: 5}},
		"a short one":   {{prompt: 21, output: 3}, {at: early, prompt: 15, output: 1}, {at: late, prompt: 5, output: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			pool := simulator.Pool{BlockTokens: 10, KVBlocks: 4, MaxNumSeqs: 3, MaxNumBatchedTokens: 100, ReserveFullPrompt: true, AsynchronousScheduling: true}
			wantWatched(t, pool, requests, simulator.QueueUse{})
		})
	}
}

// Thirty long prompts come right before thirty short ones of a higher priority, and a step
// computes 1000 tokens. First come, first served, all short ones wait while the first step
// admits a long one and computes its 1000 tokens, 10 times their 100. Of prompts with a
// prefix of 900 tokens in the cache, 100 are computed: ten of the long ones fit into a
// step then, and are as short as those that wait.
func TestUrgentShortPromptsBehindLongOnes(t *testing.T) {
	long, short := watchedRequest{prompt: 1000, output: 1}, watchedRequest{prompt: 100, output: 1, priority: 5}
	prefixed := func(r watchedRequest) watchedRequest {
		return watchedRequest{common: 900, prompt: r.common + 1000, output: 1, priority: r.priority}
	}
	for name, tc := range map[string]struct {
		scheduler scheduling.Factory
		first     watchedRequest
		then      watchedRequest
		want      simulator.QueueUse
	}{
		"first come, first served":   {scheduling.FCFS, long, short, simulator.QueueUse{Inversions: 30, Blocked: 30}},
		"by priority":                {scheduling.Priority, long, short, simulator.QueueUse{}},
		"seven times as long":        {scheduling.FCFS, watchedRequest{prompt: 700, output: 1}, short, simulator.QueueUse{Inversions: 30}},
		"of one priority":            {scheduling.FCFS, long, watchedRequest{prompt: 100, output: 1}, simulator.QueueUse{Blocked: 30}},
		"long ones in the cache":     {scheduling.FCFS, prefixed(long), short, simulator.QueueUse{Inversions: 30}},
		"short ones, but for caches": {scheduling.FCFS, long, prefixed(short), simulator.QueueUse{Inversions: 30, Blocked: 30}},
	} {
		t.Run(name, func(t *testing.T) {
			requests := []watchedRequest{{common: 900, prompt: 901, output: 1}}
			for i := range 60 {
				r := tc.first
				if i >= 30 {
					r = tc.then
				}
				r.at = 10 * time.Millisecond
				requests = append(requests, r)
			}
			pool := simulator.Pool{BlockTokens: 10, KVBlocks: 20_000, MaxNumSeqs: 256, MaxNumBatchedTokens: 1000, PrefixCaching: true, Scheduler: tc.scheduler}
			wantWatched(t, pool, requests, tc.want)
		})
	}
}

// wantWatched runs requests on one replica, and compares what its queue did, both as the
// replica counts it and as the ends of the requests have it.
func wantWatched(t *testing.T, pool simulator.Pool, all []watchedRequest, want simulator.QueueUse) {
	t.Helper()
	var requests []workload.Request
	for id, r := range all {
		own := prompt.Extent{Source: uint64(2 + id), Tokens: int32(r.prompt - r.common)}
		requests = append(requests, workload.Request{
			ID: id, Arrival: simtime.Time(r.at), OutputTokens: r.output, Priority: r.priority,
			Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: int32(r.common)}).Append(own),
		})
	}
	pool.Replicas, pool.Timer = 1, constantStep(time.Millisecond)
	for _, watch := range []bool{true, false} {
		var marked simulator.QueueUse
		pool.WatchQueue = watch
		o, err := Run(context.Background(), simulator.Config{
			Pools: []simulator.Pool{pool}, Policies: policy.RoutedBy(toFewest{}), Source: &script{requests: requests}, Horizon: simulator.Horizon{Drain: time.Hour},
			WatchQueues: true, CheckInvariants: true,
			Ended: func(e simulator.RequestEnd) {
				if e.Overtaken {
					marked.Inversions++
				}
				if e.Blocked {
					marked.Blocked++
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var reported *simulator.QueueUse
		if watch {
			reported = &want
		}
		if diff := cmp.Diff(reported, o.Replicas[0].Queue); diff != "" {
			t.Errorf("reported: %v (−want +got):\n%s", watch, diff)
		}
		if diff := cmp.Diff(want, marked); diff != "" {
			t.Errorf("ends of requests (−want +got):\n%s", diff)
		}
	}
}

// TestRandomClustersReachTheQueueWatch counts what the random clusters that are compared
// with the plain simulator have of it.
func TestRandomClustersReachTheQueueWatch(t *testing.T) {
	sum, preemptions := simulator.QueueUse{}, int64(0)
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
	if sum.Inversions < 50 || sum.Blocked < 30 || preemptions < 100 {
		t.Errorf("the random clusters have few of them: %+v, %d preemptions", sum, preemptions)
	}
}
