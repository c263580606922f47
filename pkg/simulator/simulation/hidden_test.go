// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// allSeen writes down all that each policy is shown.
type allSeen struct{ log []string }

func (a *allSeen) see(who string, v *policy.View, q *policy.Request) {
	shown := *v
	shown.Traffic = nil
	a.log = append(a.log, fmt.Sprintf("%s: %+v, %+v, %+v", who, shown, *v.Traffic, *q))
}

func (a *allSeen) Prioritize(v *policy.View, q *policy.Request) (int, policy.Hints) {
	a.see("priority", v, q)
	return 0, policy.Hints{}
}

func (a *allSeen) Admit(v *policy.View, q *policy.Request) policy.AdmissionResponse {
	a.see("admission", v, q)
	return policy.AdmissionResponse{}
}

func (a *allSeen) Route(v *policy.View, q *policy.Request) (policy.Route, error) {
	a.see("router", v, q)
	return policy.To(0), nil
}

// While no answer has ended, policies see the same of requests with short answers and
// with long ones.
func TestPoliciesSeeNothingOfTheLengthOfAnAnswer(t *testing.T) {
	logOf := func(tokens int) []string {
		source := &script{}
		for id := range 5 {
			source.requests = append(source.requests, workload.Request{
				ID: id, Arrival: simtime.Time(10 * id), Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8}),
				OutputTokens: tokens, Response: uint64(10 + id),
			})
		}
		all := &allSeen{}
		_, err := Run(context.Background(), simulator.Config{
			Pools: []simulator.Pool{{
				Replicas: 1, Live: true, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 1000, PrefixCaching: true,
				MaxNumSeqs: 8, MaxNumBatchedTokens: 100,
			}},
			Policies: policy.Policies{
				Priority: all, Admission: all, Traffic: policy.NewTraffic(1, 1, time.Second),
				Routing: policy.Routing{Router: all, Engines: true},
			},
			Source: source, Horizon: simulator.Horizon{Drain: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		return all.log
	}
	short, long := logOf(10), logOf(500)
	if diff := cmp.Diff(short, long); diff != "" || len(short) != 15 {
		t.Errorf("%d looks, which differ (−short +long):\n%s", len(short), diff)
	}
}
