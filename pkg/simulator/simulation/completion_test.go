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
	"windtunnel.dev/windtunnel/pkg/workload"
)

func TestEveryEndIsTold(t *testing.T) {
	const step = 10 * time.Millisecond
	shared := prompt.Prompt{Extents: []prompt.Extent{{Source: 1, Tokens: 40}}}
	requests := []workload.Request{
		{ID: 0, Prompt: shared, OutputTokens: 3, Response: 2},
		{ID: 1, Arrival: 25e6, Prompt: shared, OutputTokens: 1, Response: 3},
		{ID: 2, Arrival: 26e6, Prompt: prompt.Prompt{Extents: []prompt.Extent{{Source: 4, Tokens: 1000}}}, OutputTokens: 1},
	}
	var got []simulator.Completion
	rejected := map[int]simulator.Reason{}
	_, err := Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Replicas: 1, Timer: constantStep(step), BlockTokens: 16, KVBlocks: 10, PrefixCaching: true,
			MaxNumSeqs: 8, MaxNumBatchedTokens: 2048,
		}},
		Policies:  policy.Policies{Routing: (&scriptRouter{}).routing()},
		Source:    &script{requests: requests},
		Horizon:   simulator.Horizon{Drain: time.Hour},
		Completed: func(c simulator.Completion) { got = append(got, c) },
		Rejected:  func(request int, reason simulator.Reason) { rejected[request] = reason },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []simulator.Completion{
		{ID: 0, FirstToken: 10e6, LastToken: 30e6, PromptTokens: 40, OutputTokens: 3},
		{ID: 1, Arrival: 25e6, FirstToken: 40e6, LastToken: 40e6, PromptTokens: 40, CachedTokens: 32, OutputTokens: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("completions; request 2 never fits and completes not (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]simulator.Reason{2: simulator.ExceedsKVCache}, rejected); diff != "" {
		t.Errorf("rejections (−want +got):\n%s", diff)
	}
}
