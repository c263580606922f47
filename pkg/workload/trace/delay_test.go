// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func TestATurnOfATraceWaitsItsDelay(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(workloadtest.SessionTrace), "t")
	if err != nil {
		t.Fatal(err)
	}
	if !recorded.AnswersEnds() {
		t.Error("no row waits for an answer")
	}
	type turn struct {
		At      simtime.Time
		Tokens  int
		Session int32
	}
	tests := map[string]struct {
		replay  trace.Replay
		latency func(workload.Request) (time.Duration, workload.Ending)
		want    []turn
	}{
		"answers after 1 s": {trace.Replay{RateScale: 1}, workloadtest.Completed(time.Second),
			[]turn{{0, 10, 1}, {500 * ms, 11, 2}, {1000 * ms, 21, 2}, {1200 * ms, 20, 1}, {2200*ms + 1, 30, 1}}},
		"at twice the rate a delay stays": {trace.Replay{RateScale: 2}, workloadtest.Completed(time.Second),
			[]turn{{0, 10, 1}, {250 * ms, 11, 2}, {500 * ms, 21, 2}, {1200 * ms, 20, 1}, {2200*ms + 1, 30, 1}}},
		"the first rows only": {trace.Replay{RateScale: 1, MaxRequests: 3}, workloadtest.Completed(time.Second),
			[]turn{{0, 10, 1}, {500 * ms, 11, 2}, {1200 * ms, 20, 1}}},
		"a turn that fails": {trace.Replay{RateScale: 1}, func(r workload.Request) (time.Duration, workload.Ending) {
			return time.Second, workload.Failed
		}, []turn{{0, 10, 1}, {500 * ms, 11, 2}, {1000 * ms, 21, 2}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.replay.Arrivals = trace.AsRecorded
			var got []turn
			requests := workloadtest.Serve(recorded.Replay(tc.replay, 1), 100, tc.latency)
			workloadtest.CheckOrder(t, requests)
			for _, r := range requests {
				got = append(got, turn{r.Arrival, r.Prompt.Tokens(), r.Session})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("turns (−want +got):\n%s", diff)
			}
		})
	}
}

func TestStatisticsOfATraceWhoseTurnsWait(t *testing.T) {
	recorded, err := trace.Read(trace.Mooncake, strings.NewReader(workloadtest.SessionTrace), "t")
	if err != nil {
		t.Fatal(err)
	}
	s := statistics(t, recorded)
	if s.Requests != 5 || s.Waiting != 2 || s.MeanDelay != 100*time.Millisecond || s.DistinctTimestamps != 3 || s.Span != time.Second || s.RatePerSecond != 3 {
		t.Errorf("got %+v", s)
	}
}
