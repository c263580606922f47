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

// noting notes the requests that it is asked to route.
type noting struct{ seen []policy.Request }

func (n *noting) Route(_ *policy.View, q *policy.Request) (policy.Route, error) {
	n.seen = append(n.seen, *q)
	return policy.To(0), nil
}

func TestWhatTheRouterKnowsOfARequest(t *testing.T) {
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8})
	source := &script{labels: workload.Labels{Classes: []string{"promised", "free", "later"}, Models: []string{"m"}}, requests: []workload.Request{
		{ID: 0, Arrival: 1, Prompt: text, OutputTokens: 1, Session: 4, Priority: 2, Tenant: 0, Model: 1},
		{ID: 1, Arrival: 2, Prompt: text, OutputTokens: 1, Class: 1, Adapter: 3},
		{ID: 2, Arrival: 3, Prompt: text, OutputTokens: 1, Class: 2},
	}}
	router := &noting{}
	_, err := Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{{Replicas: 1, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 100}},
		Policies: policy.RoutedBy(router), Source: source, Horizon: simulator.Horizon{Drain: time.Hour},
		Targets: []simulator.Target{{TTFT: 500, TPOT: 20, E2E: 9000}, {E2E: 9000}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Request{
		{ID: 0, Arrival: 1, Prompt: text, Tokens: 8, Session: 4, Priority: 2, Model: 1, TTFT: 500, TPOT: 20},
		{ID: 1, Arrival: 2, Prompt: text, Tokens: 8, Turn: 1, Class: 1, Adapter: 3},
		{ID: 2, Arrival: 3, Prompt: text, Tokens: 8, Turn: 2, Class: 2},
	}
	if diff := cmp.Diff(want, router.seen); diff != "" {
		t.Errorf("requests (−want +got):\n%s", diff)
	}
}

// ranks gives each request its ID as priority.
type ranks struct{}

func (ranks) Prioritize(_ *policy.View, q *policy.Request) (int, policy.Hints) {
	return q.ID, policy.Hints{}
}

// evenOnly admits requests of even priority.
type evenOnly struct{}

func (evenOnly) Admit(_ *policy.View, q *policy.Request) policy.AdmissionResponse {
	if q.Priority%2 != 0 {
		return policy.Reject(policy.ErrShed)
	}
	return policy.AdmissionResponse{}
}

// A request gets its priority first, then it is admitted or not, and only then is it
// routed.
func TestPriorityComesBeforeAdmissionAndThatBeforeRouting(t *testing.T) {
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8})
	source := &script{}
	for id := range 4 {
		source.requests = append(source.requests, workload.Request{ID: id, Arrival: simtime.Time(id), Prompt: text, OutputTokens: 1})
	}
	router := &noting{}
	o, err := Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{{Replicas: 1, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 100}},
		Policies: policy.Policies{Priority: ranks{}, Admission: evenOnly{}, Routing: policy.Routing{Router: router}},
		Source:   source, Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	var routed []int
	for _, q := range router.seen {
		if q.Priority != q.ID {
			t.Errorf("request %d has the priority %d when it is routed", q.ID, q.Priority)
		}
		routed = append(routed, q.ID)
	}
	if diff := cmp.Diff([]int{0, 2}, routed); diff != "" {
		t.Errorf("routed requests (-want +got):\n%s", diff)
	}
	var shed int64
	for _, c := range o.Cells {
		shed += c.RejectedBy[simulator.Shed]
	}
	if shed != 2 {
		t.Errorf("%d requests are shed, want 2", shed)
	}
}
