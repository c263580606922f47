// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// longRows are a trace of blocks of 4 tokens, of which rows of two sessions wait.
const longRows = `{"timestamp": 0, "session_id": "a", "input_length": 10, "output_length": 2, "hash_ids": [1, 2, 3]}
{"delay": 5, "session_id": "a", "input_length": 30, "output_length": 2, "hash_ids": [1, 2, 4, 5, 6, 7, 8, 9]}
{"delay": 5, "session_id": "a", "input_length": 12, "output_length": 2, "hash_ids": [1, 2, 4]}
{"timestamp": 10, "input_length": 9, "output_length": 40, "hash_ids": [1, 2, 10]}
{"timestamp": 20, "session_id": "b", "input_length": 19, "output_length": 1, "hash_ids": [1, 2, 4, 5, 6]}
`

// What is too long is skipped or clipped, and counted, in a trace and in its description.
func TestRowsThatAreTooLong(t *testing.T) {
	for name, tc := range map[string]struct {
		tooLong          trace.TooLong
		want             []string // prompt and answer in tokens, full blocks
		skipped, clipped int
	}{
		"are kept":                  {trace.TooLong{}, []string{"10+2:2", "30+2:7", "9+40:2", "12+2:3", "19+1:4"}, 0, 0},
		"none is longer than this":  {trace.TooLong{MaxTokens: 49, Action: trace.Skip}, []string{"10+2:2", "30+2:7", "9+40:2", "12+2:3", "19+1:4"}, 0, 0},
		"are skipped, with waiters": {trace.TooLong{MaxTokens: 20, Action: trace.Skip}, []string{"10+2:2", "19+1:4"}, 3, 0},
		"are clipped":               {trace.TooLong{MaxTokens: 20, Action: trace.Clip}, []string{"10+2:2", "18+2:4", "1+19:0", "12+2:3", "19+1:4"}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			options := trace.Options{TooLong: tc.tooLong, BlockTokens: 4}
			recorded, err := trace.ReadWith(trace.Mooncake, options, strings.NewReader(longRows), "trace")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range workloadtest.Serve(recorded.Replay(asRecorded, 1), 10, workloadtest.Completed(0)) {
				got = append(got, fmt.Sprintf("%d+%d:%d", r.Prompt.Tokens(), r.OutputTokens, len(r.Prompt.FullBlocks(nil, 4))))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			want := trace.Counts{Skipped: tc.skipped, Clipped: tc.clipped}
			described, _, err := trace.Describe(trace.Mooncake, options, strings.NewReader(longRows), "trace")
			if err != nil || recorded.Counts() != want || described.Counts != want {
				t.Errorf("%+v; described: %+v, %v; want %+v", recorded.Counts(), described.Counts, err, want)
			}
		})
	}
}
