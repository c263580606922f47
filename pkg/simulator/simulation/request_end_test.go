// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// Every request ends once: one completes in the warm-up, one is rejected, one
// completes, and one is cut off.
func TestEveryRequestEndsOnce(t *testing.T) {
	text := func(source uint64, tokens int32) prompt.Prompt {
		return prompt.Prompt{Extents: []prompt.Extent{{Source: source, Tokens: tokens}}}
	}
	var got []simulator.RequestEnd
	_, err := Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Replicas: 1, Timer: constantStep(10 * time.Millisecond), BlockTokens: 16, KVBlocks: 10, PrefixCaching: true,
			MaxNumSeqs: 8, MaxNumBatchedTokens: 2048,
		}},
		Policies: policy.Policies{Routing: (&scriptRouter{}).routing()},
		Source: &script{requests: []workload.Request{
			{ID: 0, Prompt: text(1, 40), OutputTokens: 3, Response: 2},
			{ID: 1, Arrival: 24e6, Prompt: text(4, 1000), OutputTokens: 1},
			{ID: 2, Arrival: 25e6, Prompt: text(1, 40), OutputTokens: 1, Response: 3},
			{ID: 3, Arrival: 26e6, Prompt: text(5, 20), OutputTokens: 100, Response: 6},
		}},
		Horizon: simulator.Horizon{WarmUp: 10 * time.Millisecond, Drain: 100 * time.Millisecond},
		Ended:   func(e simulator.RequestEnd) { got = append(got, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	byID := map[int]simulator.RequestEnd{}
	for _, e := range got {
		byID[e.ID] = e
	}
	want := map[int]simulator.RequestEnd{
		0: {ID: 0, Ended: "completed", FirstToken: 10e6, LastToken: 30e6, End: 30e6, PromptTokens: 40, OutputTokens: 3, Scheduled: true},
		1: {ID: 1, Ended: "rejected", Reason: simulator.ExceedsKVCache, Replica: simulator.NoReplica, Measured: true, Arrival: 24e6, FirstToken: request.Unset, End: 24e6, PromptTokens: 1000},
		2: {ID: 2, Ended: "completed", Measured: true, Arrival: 25e6, Entered: 25e6, FirstToken: 40e6, LastToken: 40e6, End: 40e6, PromptTokens: 40, OutputTokens: 1, Scheduled: true, CachedTokens: 32},
		3: {ID: 3, Ended: "unfinished", Measured: true, Arrival: 26e6, Entered: 26e6, FirstToken: 40e6, End: 126e6, PromptTokens: 20, Scheduled: true},
	}
	if diff := cmp.Diff(want, byID); diff != "" || len(got) != len(want) {
		t.Errorf("%d endings (−want +got):\n%s", len(got), diff)
	}
}
