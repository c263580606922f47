// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
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

// impatientClient gives one request of a script up after a time.
type impatientClient struct {
	*script
	victim int
	after  time.Duration
}

func (c *impatientClient) Next() (workload.Request, bool) {
	r, ok := c.script.Next()
	if r.ID == c.victim {
		r.Timeout = c.after
	}
	return r, ok
}

// TestAClientMayGiveUpAtAnyTime: whatever a request is about when its client gives it
// up, all others get each of their tokens once, and the router hears of its end.
func TestAClientMayGiveUpAtAnyTime(t *testing.T) {
	for offload := simulator.OffloadEager; offload <= simulator.OffloadThreshold; offload++ {
		for _, shared := range []bool{false, true} {
			t.Run(fmt.Sprint("offload ", offload, ", shared ", shared), func(t *testing.T) {
				for after := time.Duration(1); ; after++ {
					c := busyPair(offload, simulator.GranularityStream, shared)
					c.Source = &impatientClient{script: c.Source.(*script), victim: 1 + int(after)%7, after: after}
					router := newAttentive()
					c.Policies.Routing = router.routing()
					o, err := Run(context.Background(), c)
					if err != nil {
						t.Fatal(err)
					}
					sum := sumCells(o)
					if sum.TimedOut > 1 || sum.Completed != 8-sum.TimedOut || len(router.open) > 0 {
						t.Fatalf("after %v: %d completed, %d timed out, %d open", after, sum.Completed, sum.TimedOut, len(router.open))
					}
					if sum.TimedOut == 0 && after > 200 {
						return
					}
				}
			})
		}
	}
}

// TestWhenAClientGivesUp: a replica serves one request at a time, in steps of 1 s: one
// for the prompt, which gives the first token, and one for each further token.
func TestWhenAClientGivesUp(t *testing.T) {
	tests := map[string]struct {
		firstToken, last time.Duration
		want             string
	}{
		"patience":                             {0, 0, "completed at 8s"},
		"enough for the last token":            {0, 8*time.Second + 1, "completed at 8s"},
		"the answer ends as the client leaves": {0, 8 * time.Second, "timed out at 8s"},
		"while it waits":                       {0, 2 * time.Second, "timed out at 2s"},
		"while it runs":                        {0, 6500 * time.Millisecond, "timed out at 6.5s"},
		"before the first token":               {3 * time.Second, 0, "timed out at 3s"},
		"the first token comes as it leaves":   {5 * time.Second, 0, "timed out at 5s"},
		"the first token is there":             {5*time.Second + 1, 0, "completed at 8s"},
		"the first token, but not the last":    {6 * time.Second, 7 * time.Second, "timed out at 7s"},
		"the last token before the first":      {7 * time.Second, 4 * time.Second, "timed out at 4s"},
		"a time beyond the clock":              {0, 1<<63 - 1, "completed at 8s"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			request := func(id int) workload.Request {
				return workload.Request{ID: id, OutputTokens: 4, Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 16})}
			}
			impatient := request(1)
			impatient.FirstTokenTimeout, impatient.Timeout = tc.firstToken, tc.last
			ends := map[int]string{}
			_, err := Run(context.Background(), simulator.Config{
				Pools: []simulator.Pool{{
					Replicas: 1, Timer: constantStep(time.Second), BlockTokens: 16, KVBlocks: 100,
					MaxNumSeqs: 1, MaxNumBatchedTokens: 100,
				}},
				Policies: policy.RoutedBy((&leastWaiting{}).routing().Router), CheckInvariants: true,
				Source:  &script{requests: []workload.Request{request(0), impatient}},
				Horizon: simulator.Horizon{Drain: time.Hour},
				Ended:   func(e simulator.RequestEnd) { ends[e.ID] = fmt.Sprint(e.Ended, " at ", time.Duration(e.End)) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[int]string{0: "completed at 4s", 1: tc.want}, ends); diff != "" {
				t.Errorf("ends (-want +got):\n%s", diff)
			}
		})
	}
}

// BenchmarkTimeOuts has the clients of 20,000 requests, all in flight at once, give up
// before the first step ends. It compares with runs in which all are served: with clients
// that would have waited longer, and with clients that wait without end.
func BenchmarkTimeOuts(b *testing.B) {
	const requests = 20_000
	for name, tc := range map[string]struct {
		after    time.Duration
		timedOut int64
	}{
		"served":                {0, 0},
		"served before the end": {time.Hour, 0},
		"all time out":          {2 * requests, requests},
	} {
		b.Run(name, func(b *testing.B) {
			var all []workload.Request
			for id := range requests {
				all = append(all, workload.Request{
					ID: id, Arrival: simtime.Time(id), OutputTokens: 4, Timeout: tc.after,
					Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: uint64(id), Tokens: 64}),
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				o, err := Run(context.Background(), simulator.Config{
					Pools: []simulator.Pool{{
						Replicas: 1, Timer: constantStep(time.Millisecond), BlockTokens: 16, KVBlocks: 10_000, PrefixCaching: true,
						MaxNumSeqs: 256, MaxNumBatchedTokens: 8192, Scheduler: scheduling.FCFS,
					}},
					Source: &script{requests: all}, Horizon: simulator.Horizon{Drain: 100 * time.Hour},
					Policies: policy.RoutedBy((&leastWaiting{}).routing().Router),
				})
				if err != nil {
					b.Fatal(err)
				}
				if sum := sumCells(o); sum.TimedOut != tc.timedOut || sum.Completed != requests-tc.timedOut {
					b.Fatalf("%d requests timed out and %d completed, want %d to time out", sum.TimedOut, sum.Completed, tc.timedOut)
				}
			}
		})
	}
}
