// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// blockFigures are of the blocks that requests name.
type blockFigures struct {
	References, Distinct int
	// OnceShare is the share of the distinct ones that one request names, and Hits that of the
	// references that a cache without bounds serves, in percent.
	OnceShare, Hits float64
}

// blockFiguresOf are those of the ids of requests, one request after the other.
func blockFiguresOf(requests [][]uint64) blockFigures {
	var f blockFigures
	asked := map[uint64]int{}
	for _, ids := range requests {
		f.References += len(ids)
		for _, id := range ids {
			asked[id]++
		}
	}
	once := 0
	for _, n := range asked {
		if n == 1 {
			once++
		}
	}
	f.Distinct = len(asked)
	f.OnceShare = percent(once, f.Distinct)
	f.Hits = percent(f.References-f.Distinct, f.References)
	return f
}

// percent rounds to a tenth.
func percent(part, whole int) float64 { return math.Round(1000*float64(part)/float64(whole)) / 10 }

// The trace names an id for the partial last block of a prompt, too, which no engine can reuse.
// So the shares of ids, of whole blocks and of tokens that a cache serves are three figures. The
// first row is of the file as it is.
func TestBlocksOfTheMooncakeConversationTrace(t *testing.T) {
	text := testfile.Read(t, testdata.File(t, "traces", "mooncake-fast25", "conversation_trace.jsonl"))
	var ids, blocks [][]uint64
	tokens := 0
	for line := range bytes.Lines(text) {
		var row struct {
			HashIDs []uint64 `json:"hash_ids"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, row.HashIDs)
	}
	recorded, err := trace.Read(trace.Mooncake, bytes.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range workloadtest.Take(recorded.Replay(asRecorded, 1), -1) {
		blocks = append(blocks, r.Prompt.FullBlocks(nil, trace.MooncakeBlockTokens))
		tokens += r.Prompt.Tokens()
	}
	whole := blockFiguresOf(blocks)
	type figures struct {
		IDs       blockFigures
		WholeHits float64
		TokenHits float64
	}
	got := figures{blockFiguresOf(ids), whole.Hits, percent((whole.References-whole.Distinct)*trace.MooncakeBlockTokens, tokens)}
	want := figures{blockFigures{References: 288_500, Distinct: 182_790, OnceShare: 75.8, Hits: 36.6}, 38.2, 37.3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	s := statistics(t, recorded)
	if s.DistinctBlocks != int64(whole.Distinct) || s.ReusableTokens != int64(whole.References-whole.Distinct)*trace.MooncakeBlockTokens {
		t.Errorf("statistics have %d distinct blocks and %d reusable tokens, want those of %+v", s.DistinctBlocks, s.ReusableTokens, whole)
	}
}
