// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// place is where a request stands in what its client or trace sends.
type place struct {
	client  string
	origin  workload.Origin
	attempt int
}

// TestAnswersChangeNoOrigin serves clients of each kind and a trace by two clusters, of which
// one is slow and rejects requests. What is at one place is the same.
func TestAnswersChangeNoOrigin(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(workloadtest.SessionTrace), "t")
	if err != nil {
		t.Fatal(err)
	}
	again := &workload.Retry{Max: 3, Backoff: time.Second, Multiplier: 2, Jitter: 0.5, After: []workload.Ending{workload.Rejected}}
	serve := func(latency func(workload.Request) (time.Duration, workload.Ending)) (map[place]string, map[int]string) {
		source := workload.WithRetries(workload.Mix(
			workload.NewClients(eachKindOfClient(), 5), recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Loop: trace.FreshPrefixes}, 5),
		), func(int) *workload.Retry { return again }, 5)
		at, byID := map[place]string{}, map[int]string{}
		for _, r := range workloadtest.Serve(source, 4000, latency) {
			p := place{source.Labels().Clients[r.Client], r.Origin, r.Attempt}
			content := fmt.Sprint(r.Prompt, r.OutputTokens, r.Response, r.ResponseStart)
			if before, twice := at[p]; twice {
				t.Fatalf("%+v is the place of %s and of %s", p, before, content)
			}
			at[p], byID[r.ID] = content, content
			if r.Origin.Step < 1 {
				t.Fatalf("request %d of %s has no step: %+v", r.ID, p.client, r.Origin)
			}
			if r.Attempt > 0 && byID[r.First] != content {
				t.Fatalf("request %d is a retry of request %d and asks something else", r.ID, r.First)
			}
		}
		return at, byID
	}
	fast, _ := serve(workloadtest.Completed(100 * time.Millisecond))
	slow, _ := serve(func(r workload.Request) (time.Duration, workload.Ending) {
		how := workload.Completed
		if r.ID%7 == 0 {
			how = workload.Rejected
		}
		return time.Duration(r.Prompt.Tokens()+r.OutputTokens) * 3 * time.Millisecond, how
	})
	both, sessions, retries := map[string]int{}, 0, 0
	for p, content := range slow {
		other, ok := fast[p]
		switch {
		case !ok:
			if p.attempt > 0 {
				retries++
			}
			continue
		case other != content:
			t.Fatalf("at %+v there is %s on one side and %s on the other", p, content, other)
		}
		both[p.client]++
		if p.origin.Session > 0 {
			sessions++
		}
	}
	for _, client := range []string{"completion", "chat", "waiting", "loop", "agent", "own-1", "cycle-2", "modulated"} {
		if both[client] < 50 {
			t.Errorf("only %d requests of %s are on both sides", both[client], client)
		}
	}
	if both["trace"] == 0 || sessions < 500 || retries < 50 {
		t.Errorf("%d requests of the trace, %d of sessions, %d retries", both["trace"], sessions, retries)
	}
}
