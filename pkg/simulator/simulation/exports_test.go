// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// enginesSeen remembers what engine 0 exported when each request came.
type enginesSeen struct{ seen []policy.Engine }

func (e *enginesSeen) Route(v *policy.View, _ *policy.Request) (policy.Route, error) {
	e.seen = append(e.seen, v.Engines[0])
	return policy.To(0), nil
}

// One request runs at a time, in steps of 10 ns. The first computes 8 tokens of prompt
// and gives 3 of answer, until 30. The second finds one of the prompt's two blocks, as
// the last token is always computed. The third waits behind it, and the fourth sees that
// after 105 ns two requests have got blocks, the last of them 5 ns ago.
func TestARouterReadsWhatEnginesExport(t *testing.T) {
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8})
	source := &script{}
	for id, at := range []simtime.Time{0, 100, 101, 105} {
		source.requests = append(source.requests, workload.Request{ID: id, Arrival: at, Prompt: text, OutputTokens: 3, Response: uint64(10 + id)})
	}
	router := &enginesSeen{}
	_, err := Run(context.Background(), simulator.Config{
		Pools: []simulator.Pool{{
			Replicas: 1, Live: true, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 10, PrefixCaching: true,
			MaxNumSeqs: 1, MaxNumBatchedTokens: 100,
		}},
		Policies: policy.Policies{Routing: policy.Routing{Router: router, Engines: true}},
		Source:   source, Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	first := policy.Engine{
		PrefixCacheQueries: 8,
		TimeToFirstToken:   policy.Observed{Sum: 10, Count: 1},
		InterTokenLatency:  policy.Observed{Sum: 20, Count: 2},
	}
	second := first
	second.PrefixCacheQueries, second.PrefixCacheHits = 16, 4
	second.KVUsage[policy.GPUMemory] = 0.2
	last := second
	last.EstimatedWait = 52 // one request, at a pace of 2 in 105 ns
	want := []policy.Engine{{}, first, second, last}
	if diff := cmp.Diff(want, router.seen); diff != "" {
		t.Errorf("engines (−want +got):\n%s", diff)
	}
}

func TestNoEngineCountsForARouterThatDoesNotAsk(t *testing.T) {
	s := newSimulation(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{{Replicas: 1, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 10, MaxNumSeqs: 1, MaxNumBatchedTokens: 100}},
		Policies: policy.RoutedBy(toFewest{}), Source: &script{},
	})
	if s.gateway.View.Engines != nil || s.cluster.Replicas[0].Exports != nil {
		t.Error("an engine counts for nobody")
	}
}
