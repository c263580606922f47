// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// herd is a file of sessions that all begin at 0: each asks twice, 1 s after the first answer, and the second one has an
// agent of its own in between.
func herd(t *testing.T) *trace.Trace {
	t.Helper()
	var text strings.Builder
	for i := range 3 {
		agent := ""
		if i == 1 {
			agent = `{"t":2.5,"type":"subagent","agent_id":"x","duration_ms":400,"requests":[{"t":2.5,"type":"n","in":77,"out":1,"api_time":0.4}]},`
		}
		fmt.Fprintf(&text, `{"id":"s%d","block_size":64,"requests":[{"t":0,"type":"n","in":%d,"out":1,"api_time":2},%s{"t":3,"type":"n","in":%d,"out":1,"api_time":1}]}`+"\n", i, 10+i, agent, 20+i)
	}
	recorded, err := trace.Read(trace.Weka, strings.NewReader(text.String()), "t")
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

// Each answer takes 1 s. A session of two requests takes 1+1+1 = 3 s; the one with an agent 1+0.5+1+0.1+1 = 3.6 s. With one session
// at a time, they begin at 0, 3 and 6.6 s, but for 1 ns after each end; with two, the third begins when the first has ended.
func TestSessionsBeginOneAfterTheOther(t *testing.T) {
	type ask struct {
		At    string
		Input int
	}
	for concurrent, want := range map[int][]ask{
		0: {{"0s", 10}, {"0s", 11}, {"0s", 12}, {"1.5s", 77}, {"2s", 20}, {"2s", 22}, {"2.6s", 21}},
		1: {{"0s", 10}, {"2s", 20}, {"3s", 11}, {"4.5s", 77}, {"5.6s", 21}, {"6.6s", 12}, {"8.6s", 22}},
		2: {{"0s", 10}, {"0s", 11}, {"1.5s", 77}, {"2s", 20}, {"2.6s", 21}, {"3s", 12}, {"5s", 22}},
		9: {{"0s", 10}, {"0s", 11}, {"0s", 12}, {"1.5s", 77}, {"2s", 20}, {"2s", 22}, {"2.6s", 21}},
	} {
		replay := trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Concurrent: concurrent}
		requests := workloadtest.Serve(herd(t).Replay(replay, 1), 99, workloadtest.Completed(time.Second))
		workloadtest.CheckOrder(t, requests)
		var got []ask
		for _, r := range requests {
			got = append(got, ask{time.Duration(r.Arrival).Truncate(time.Microsecond).String(), r.Prompt.Tokens()})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d sessions at a time (-want +got):\n%s", concurrent, diff)
		}
	}
}

// A session whose request fails is over, and the next one begins.
func TestAFailedSessionMakesRoom(t *testing.T) {
	replay := trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Concurrent: 1}
	requests := workloadtest.Serve(herd(t).Replay(replay, 1), 99, func(workload.Request) (time.Duration, workload.Ending) {
		return time.Second, workload.Failed
	})
	var got []time.Duration
	for _, r := range requests {
		got = append(got, time.Duration(r.Arrival).Truncate(time.Microsecond))
	}
	if diff := cmp.Diff([]time.Duration{0, time.Second, 2 * time.Second}, got); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
}

func TestWhatConcurrentSessionsExclude(t *testing.T) {
	for want, replay := range map[string]trace.Replay{
		"concurrentSessions: Invalid value: -1: must not be negative":                                             {RateScale: 1, Arrivals: trace.AsRecorded, Concurrent: -1},
		"concurrentSessions: Forbidden: sessions that begin one after the other cannot loop":                      {RateScale: 1, Arrivals: trace.AsRecorded, Concurrent: 1, Loop: trace.SamePrefixes},
		"concurrentSessions: Forbidden: sessions that begin one after the other have no recorded times to spread": {RateScale: 1, Arrivals: trace.Spread, Concurrent: 1},
	} {
		if errs := replay.Validate(field.NewPath("x")); len(errs) != 1 || errs[0].Error() != "x."+want {
			t.Errorf("%v, want x.%s", errs, want)
		}
	}
}
