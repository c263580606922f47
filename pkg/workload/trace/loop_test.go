// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// A round has the requests of the trace, a period later. What nobody else had when it was
// recorded is new in each round, and so are sessions; blocks are those of the trace, or new.
func TestALoopRepeatsTheTrace(t *testing.T) {
	const text = `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9], "session": "a", "tenant": "gold"}
{"arrival_ns": 1000000000, "input_tokens": 40, "output_tokens": 1, "blocks": [7, 9]}
{"arrival_ns": 3000000000, "input_tokens": 20, "output_tokens": 2, "blocks": [7], "session": "b"}
`
	held := read(t, trace.Windtunnel, text)
	for name, recorded := range map[string]*trace.Trace{"in memory": held, "in its file": leftInFile(t, trace.Windtunnel, trace.Options{}, []byte(text))} {
		for _, how := range []trace.Loop{trace.SamePrefixes, trace.FreshPrefixes} {
			t.Run(fmt.Sprint(name, how), func(t *testing.T) {
				const rounds = 4
				if got, want := recorded.Period(), 4500*time.Millisecond; got != want {
					t.Fatalf("the period is %v, want %v", got, want)
				}
				once := workloadtest.Take(held.Replay(asRecorded, 1), -1)
				source := recorded.Replay(trace.Replay{RateScale: 2, Arrivals: trace.AsRecorded, Loop: how}, 1)
				all := workloadtest.Take(source, rounds*len(once))
				if err := workload.Close(source); err != nil {
					t.Error(err)
				}
				workloadtest.CheckOrder(t, all)
				first, tails, sessions := map[uint64]int{}, map[uint64]bool{}, map[int32]bool{}
				for i, r := range all {
					round, was := i/len(once), once[i%len(once)]
					if at := was.Arrival/2 + all[0].Arrival.Add(time.Duration(round)*recorded.Period()/2); r.Arrival != at {
						t.Errorf("request %d arrives at %v, want %v", i, r.Arrival, at)
					}
					if r.Prompt.Tokens() != was.Prompt.Tokens() || r.OutputTokens != was.OutputTokens || r.Tenant != was.Tenant {
						t.Errorf("request %d is %+v, want what %+v is", i, r, was)
					}
					chain := r.Prompt.FullBlocks(nil, 16)
					for j, id := range chain {
						seen, known := first[id]
						if !known {
							first[id] = round
						}
						shared := i%len(once) > 0 || how == trace.SamePrefixes && round > 0
						if (known && seen == round || known && how == trace.SamePrefixes) != shared {
							t.Errorf("request %d, block %d: was there: %t, in round %d", i, j, known, seen)
						}
					}
					tail := r.Prompt.Extents[len(r.Prompt.Extents)-1].Source
					if tails[tail] || r.Session > 0 && sessions[r.Session] {
						t.Errorf("request %d repeats a text of its own, or session %d", i, r.Session)
					}
					tails[tail], sessions[r.Session] = true, true
				}
			})
		}
	}
}

// Rows that wait do so in each round.
func TestALoopOfRowsThatWait(t *testing.T) {
	recorded := read(t, trace.Mooncake, workloadtest.SessionTrace)
	source := recorded.Replay(trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Loop: trace.SamePrefixes}, 1)
	var got []string
	for _, r := range workloadtest.Serve(source, 10, workloadtest.Completed(50*time.Millisecond)) {
		got = append(got, fmt.Sprintf("%v %d s%d", time.Duration(r.Arrival), r.Prompt.Tokens(), r.Session))
	}
	want := []string{
		"0s 10 s1", "250ms 20 s1", "300.000001ms 30 s1", "500ms 11 s2", "1s 21 s2",
		"1.5s 10 s3", "1.75s 20 s3", "1.800000001s 30 s3", "2s 11 s4", "2.5s 21 s4",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// A trace with one time does not say when it is to begin again.
func TestATraceWithOneTimeHasNoPeriod(t *testing.T) {
	if got := azureTrace(t, 7).Period(); got != 0 {
		t.Errorf("the period is %v", got)
	}
}
