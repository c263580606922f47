// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// tellingAdmission answers by the request and by how often it was asked, and writes down
// what it sees.
type tellingAdmission struct {
	verdicts map[int][]policy.AdmissionResponse
	log      []string
}

func (a *tellingAdmission) Admit(v *policy.View, q *policy.Request) policy.AdmissionResponse {
	all := &v.Traffic.All
	a.log = append(a.log, fmt.Sprintf("%d at %d: %d arrived, %d delayed, %d in flight, %d admitted, %d rejected",
		q.ID, v.Now, all.Arrived, all.Delayed, all.InFlight, all.Admitted, all.Rejected))
	next := a.verdicts[q.ID]
	if len(next) == 0 {
		return policy.AdmissionResponse{}
	}
	a.verdicts[q.ID] = next[1:]
	return next[0]
}

// Requests of 10 ns each arrive at 0, 10, 20 and 30. The first is admitted, the second
// waits twice, the third is rejected after a wait, and the client of the fourth gives up
// while it waits.
func TestTheAdmissionMakesRequestsWait(t *testing.T) {
	text := prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8})
	source := &script{}
	for id := range 4 {
		source.requests = append(source.requests, workload.Request{ID: id, Arrival: simtime.Time(10 * id), Prompt: text, OutputTokens: 1})
	}
	source.requests[3].Timeout = 25
	a := &tellingAdmission{verdicts: map[int][]policy.AdmissionResponse{
		1: {policy.DelayUntil(40), policy.DelayUntil(45)},
		2: {policy.DelayUntil(50), policy.Reject(policy.ErrRateLimited)},
		3: {policy.DelayUntil(1000)},
	}}
	var ends []string
	o, err := Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{{Replicas: 1, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 100}},
		Policies: policy.Policies{Admission: a, Routing: policy.Routing{Router: &noting{}}, Traffic: policy.NewTraffic(1, 1, time.Second)},
		Source:   source, Horizon: simulator.Horizon{Drain: time.Hour}, CheckInvariants: true,
		Ended: func(e simulator.RequestEnd) { ends = append(ends, fmt.Sprintf("%d %s at %d", e.ID, e.Ended, e.End)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	wantLog := `0 at 0: 1 arrived, 0 delayed, 0 in flight, 0 admitted, 0 rejected
1 at 10: 2 arrived, 0 delayed, 1 in flight, 1 admitted, 0 rejected
2 at 20: 3 arrived, 1 delayed, 0 in flight, 1 admitted, 0 rejected
3 at 30: 4 arrived, 2 delayed, 0 in flight, 1 admitted, 0 rejected
1 at 40: 4 arrived, 2 delayed, 0 in flight, 1 admitted, 0 rejected
1 at 45: 4 arrived, 2 delayed, 0 in flight, 1 admitted, 0 rejected
2 at 50: 4 arrived, 1 delayed, 1 in flight, 2 admitted, 0 rejected`
	if diff := cmp.Diff(wantLog, strings.Join(a.log, "\n")); diff != "" {
		t.Errorf("what the admission saw (−want +got):\n%s", diff)
	}
	wantEnds := []string{"0 completed at 10", "2 rejected at 50", "3 timed out at 55", "1 completed at 55"}
	if diff := cmp.Diff(wantEnds, ends); diff != "" {
		t.Errorf("ends (−want +got):\n%s", diff)
	}
	var delays, ttft int64
	for i := range o.Cells {
		delays += o.Cells[i].AdmissionDelay.Count()
		ttft = max(ttft, o.Cells[i].TTFT.Max())
	}
	if delays != 1 || ttft != 45 {
		t.Errorf("%d delays of requests that went on, want 1; the greatest TTFT is %d ns, want 45", delays, ttft)
	}
}

// A policy that asks for a delay into the past would be asked again for ever.
func TestADelayIntoThePastPanics(t *testing.T) {
	defer paniccheck.Want(t, "no panic")
	source := &script{requests: []workload.Request{{ID: 0, Arrival: 10, Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 8}), OutputTokens: 1}}}
	a := &tellingAdmission{verdicts: map[int][]policy.AdmissionResponse{0: {policy.DelayUntil(10)}}}
	_, _ = Run(context.Background(), simulator.Config{
		Pools:    []simulator.Pool{{Replicas: 1, Timer: constantStep(10), BlockTokens: 4, KVBlocks: 100, MaxNumSeqs: 8, MaxNumBatchedTokens: 100}},
		Policies: policy.Policies{Admission: a, Routing: policy.Routing{Router: &noting{}}, Traffic: policy.NewTraffic(1, 1, time.Second)},
		Source:   source, Horizon: simulator.Horizon{Drain: time.Hour},
	})
}
