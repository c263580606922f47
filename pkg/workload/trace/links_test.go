// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// branches is an agent whose first answer begins two others: one asks twice. Its second request waits 500 ms for both.
const branches = `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9], "session": "a", "id": 1}
{"delay_ns": 100000000, "input_tokens": 20, "output_tokens": 1, "session": "a::left", "id": 2, "after": [1]}
{"delay_ns": 200000000, "input_tokens": 21, "output_tokens": 2, "session": "a::right", "after": [1]}
{"delay_ns": 1000000000, "input_tokens": 31, "output_tokens": 2, "session": "a::right", "id": 4}
{"delay_ns": 500000000, "input_tokens": 64, "output_tokens": 2, "blocks": [7, 9, 11], "session": "a", "after": [2, 4]}
`

func readBranches(t *testing.T, text string, o trace.Options) *trace.Trace {
	t.Helper()
	recorded, err := trace.ReadWith(trace.Windtunnel, o, strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

// Each answer takes 2 s: the first ends at 2 s, so the others begin at 2.1 s and at 2.2 s. The left one ends at 4.1 s,
// the right one asks again at 4.2 + 1 s, which ends at 7.2 s, and 0.5 s later the first agent goes on.
func TestARequestWaitsForAllThatItsAgentAskedAtOnce(t *testing.T) {
	recorded := readBranches(t, branches, trace.Options{})
	requests := workloadtest.Serve(recorded.Replay(asRecorded, 1), 9, workloadtest.Completed(2*time.Second))
	var got []time.Duration
	for _, r := range requests {
		got = append(got, time.Duration(r.Arrival))
	}
	ms := time.Millisecond
	if diff := cmp.Diff([]time.Duration{0, 2100 * ms, 2200 * ms, 5200 * ms, 7700 * ms}, got); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
}

// Without the answer of one, what waits for it is never sent.
func TestARequestThatFailsEndsWhatWaitsForIt(t *testing.T) {
	for failed, want := range map[int]int{40: 1, 20: 4, 31: 4, 21: 3} {
		recorded := readBranches(t, branches, trace.Options{})
		requests := workloadtest.Serve(recorded.Replay(asRecorded, 1), 9, func(r workload.Request) (time.Duration, workload.Ending) {
			if r.Prompt.Tokens() == failed {
				return time.Second, workload.Rejected
			}
			return time.Second, workload.Completed
		})
		if len(requests) != want {
			t.Errorf("with the prompt of %d tokens rejected, %d requests are sent, want %d", failed, len(requests), want)
		}
	}
}

// A conversion there and back keeps all; formats without a place for ids refuse the trace.
func TestLinksSurviveAConversion(t *testing.T) {
	var out bytes.Buffer
	if _, err := trace.Convert(trace.Windtunnel, trace.Options{}, strings.NewReader(branches), "t", trace.Windtunnel, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(branches, out.String()); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
	_, err := trace.Convert(trace.Windtunnel, trace.Options{}, strings.NewReader(branches), "t", trace.Mooncake, &out)
	const want = "t: row 3: request 2 waits for requests by their ids, which the format Mooncake does not carry: use Windtunnel"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What waits for a row that is left out is left out, too.
func TestARowThatIsLeftOutTakesWhatWaitsForIt(t *testing.T) {
	long := strings.Replace(branches, `"input_tokens": 20,`, `"input_tokens": 50,`, 1)
	recorded := readBranches(t, long, trace.Options{TooLong: trace.TooLong{MaxTokens: 45, Action: trace.Skip}})
	if diff := cmp.Diff(trace.Counts{Skipped: 2}, recorded.Counts()); diff != "" || recorded.Requests() != 3 {
		t.Errorf("%d rows are left; left out (-want +got):\n%s", recorded.Requests(), diff)
	}
}

// A sample keeps all sessions of a tree or none, so its rows are a multiple of those of a tree.
func TestASampleKeepsWholeTrees(t *testing.T) {
	const header = `{"windtunnel_trace": 1, "block_tokens": 16}` + "\n"
	var text strings.Builder
	text.WriteString(header)
	for i := 1; i <= 40; i++ {
		one := strings.NewReplacer(`"session": "a`, fmt.Sprintf(`"session": "tree-%d`, i), `"id": `, fmt.Sprintf(`"id": %d0`, i),
			`[1]`, fmt.Sprintf("[%d01]", i), `[2, 4]`, fmt.Sprintf("[%d02, %d04]", i, i))
		text.WriteString(one.Replace(strings.TrimPrefix(branches, header)))
	}
	recorded := readBranches(t, text.String(), trace.Options{Sample: 0.5})
	if n := recorded.Requests(); n%5 != 0 || n < 50 || n > 150 {
		t.Errorf("%d of 200 rows are kept", n)
	}
}

func TestBadLinksAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, want string }{
		"an id of no row":    {`[2, 4]`, `[2, 9]`, "t: row 6: after: must be ids of earlier rows, got 9"},
		"an id of two rows":  {`"id": 4`, `"id": 2`, "t: row 5: id: must be unique, but an earlier row has 2, too"},
		"its own id":         {`"id": 2, "after": [1]`, `"id": 2, "after": [2]`, "t: row 3: after: must be ids of earlier rows, got 2"},
		"no delay":           {`{"delay_ns": 500000000`, `{"arrival_ns": 500000000`, "t: row 6: after: needs delay_ns, which counts from the last of their ends"},
		"an id that is none": {`"id": 4`, `"id": -4`, "t: row 5: id: must not be negative, got -4"},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := trace.Read(trace.Windtunnel, strings.NewReader(strings.Replace(branches, tc.old, tc.new, 1)), "t")
			if recorded != nil || err == nil || err.Error() != tc.want {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}
