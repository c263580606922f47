// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// named describes requests by the names of their labels.
func named(labels workload.Labels, requests []workload.Request, client string) []string {
	var all []string
	name := func(names []string, i int) string {
		if i == 0 {
			return ""
		}
		return names[i-1]
	}
	sessions := map[int32]int{}
	for _, r := range requests {
		if labels.Clients[r.Client] != client {
			continue
		}
		if _, known := sessions[r.Session]; !known {
			sessions[r.Session] = len(sessions)
		}
		all = append(all, fmt.Sprint(r.Arrival, r.Prompt, r.OutputTokens, r.Response, r.ResponseStart, labels.Tenants[r.Tenant],
			labels.Classes[r.Class], name(labels.Adapters, r.Adapter), sessions[r.Session], r.Priority))
	}
	return all
}

// Whatever else is in a mix, the requests of a source are the same.
func TestAMixChangesNoRequest(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(workloadtest.SessionTrace), "t")
	if err != nil {
		t.Fatal(err)
	}
	loop := loopClient("loop", 3, seconds(0.2))
	loop.Tenant, loop.Adapter = "l", "lora"
	chat := sessionClient("chat")
	chat.Tenant, chat.Class, chat.Adapter = "c", "fast", "other"
	sources := map[string]func() workload.Listener{
		"loop": func() workload.Listener { return workload.NewClients([]workload.Client{loop}, 1) },
		"chat": func() workload.Listener { return workload.NewClients([]workload.Client{chat}, 1) },
		"trace": func() workload.Listener {
			return recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Tenant: "c"}, 1)
		},
	}
	latency := func(r workload.Request) (time.Duration, workload.Ending) {
		return time.Duration(r.Prompt.Tokens()) * time.Millisecond, workload.Completed
	}
	of := func(names ...string) (workload.Labels, []workload.Request) {
		var parts []workload.Listener
		for _, name := range names {
			parts = append(parts, sources[name]())
		}
		m := workload.Mix(parts...)
		requests := workloadtest.Serve(m, 3000, latency)
		workloadtest.CheckOrder(t, requests)
		return m.Labels(), requests
	}
	for _, names := range [][]string{{"loop", "chat", "trace"}, {"trace", "chat", "loop"}, {"chat", "loop"}, {"loop", "trace"}} {
		labels, requests := of(names...)
		for _, name := range names {
			aloneLabels, alone := of(name)
			want, got := named(aloneLabels, alone, name), named(labels, requests, name)
			n := min(len(want), len(got))
			if diff := cmp.Diff(want[:n], got[:n]); diff != "" || n < 5 {
				t.Errorf("%s among %v, %d requests (−alone +mixed):\n%s", name, names, n, diff)
			}
		}
	}
}
