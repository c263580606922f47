// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

var alone = trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded, Alone: true}

// The rows have the blocks 7, 9, 8 | 7, 9 | 7, 5, 9 and tails of 8, 8 and 0 tokens. Own are, from
// the first block on that comes once: 8 and the tail, the tail, and 5 with all behind it.
func TestOwnTextsBeginWithABlockThatComesOnce(t *testing.T) {
	const text = `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 56, "output_tokens": 3, "blocks": [7, 9, 8]}
{"arrival_ns": 1000000000, "input_tokens": 40, "output_tokens": 1, "blocks": [7, 9]}
{"arrival_ns": 3000000000, "input_tokens": 48, "output_tokens": 2, "blocks": [7, 5, 9]}
`
	loop := alone
	loop.Loop = trace.SamePrefixes
	held := read(t, trace.Windtunnel, text)
	for name, test := range map[string]struct {
		trace  *trace.Trace
		replay trace.Replay
		want   []int
	}{
		"in memory":            {held, alone, []int{2, 1, 2}},
		"in its file":          {leftInFile(t, trace.Windtunnel, trace.Options{}, []byte(text)), alone, []int{1, 1, 0}},
		"beside another trace": {held, asRecorded, []int{0, 0, 0}},
		"again and again":      {held, loop, []int{0, 0, 0}},
	} {
		var own []int
		for _, r := range workloadtest.Take(test.trace.Replay(test.replay, 1), 3) {
			own = append(own, r.Prompt.Own)
		}
		if diff := cmp.Diff(test.want, own); diff != "" {
			t.Errorf("%s: own extents (-want +got):\n%s", name, diff)
		}
	}
}

func TestOwnTextsOfATraceAreInOneRow(t *testing.T) {
	random := stats.NewStream(1, "rows")
	var text strings.Builder
	for i := range 2000 {
		var ids []int
		for range 1 + random.IntN(6) {
			ids = append(ids, random.IntN(3000))
		}
		list := strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
		fmt.Fprintf(&text, "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 5, \"hash_ids\": %s}\n", i, 512*len(ids)-random.IntN(500), list)
	}
	requests := workloadtest.Take(read(t, trace.Mooncake, text.String()).Replay(alone, 1), -1)
	begin := map[uint64]int{} // how many requests begin with a prefix
	for _, r := range requests {
		for _, id := range r.Prompt.AllBlocks(nil, 512) {
			begin[id]++
		}
	}
	several := 0
	for _, r := range requests {
		if r.Prompt.Own == 0 {
			continue
		}
		if first := r.Prompt.AllBlocks(nil, 512)[len(r.Prompt.Extents)-r.Prompt.Own]; begin[first] != 1 {
			t.Errorf("%d requests have the own text of request %d", begin[first], r.ID)
		}
		if r.Prompt.Own > 1 {
			several++
		}
	}
	if several < 500 {
		t.Errorf("%d requests have an own block, which is too few to tell", several)
	}
}
