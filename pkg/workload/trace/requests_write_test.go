// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func TestRequestsAreWrittenWithBlocksOrWithout(t *testing.T) {
	for blockTokens, want := range map[int]string{
		0: `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 1000, "output_tokens": 2, "tenant": "default", "class": "default"}
`,
		512: `{"windtunnel_trace": 1, "block_tokens": 512}
{"arrival_ns": 0, "input_tokens": 1000, "output_tokens": 2, "blocks": [ID], "tenant": "default", "class": "default"}
`,
	} {
		source := read(t, trace.Mooncake, `{"timestamp": 3, "input_length": 1000, "output_length": 2, "hash_ids": [7, 8]}`).Replay(asRecorded, 1)
		var out bytes.Buffer
		w, err := trace.NewRequestWriter(&out, source.Labels(), blockTokens)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range workloadtest.Take(source, -1) {
			for _, id := range r.Prompt.FullBlocks(nil, 512) {
				want = string(bytes.ReplaceAll([]byte(want), []byte("ID"), fmt.Append(nil, id)))
			}
			if err := w.Write(&r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || w.Rows() != 1 {
			t.Fatalf("%d rows, %v", w.Rows(), err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("with blocks of %d tokens (-want +got):\n%s", blockTokens, diff)
		}
	}
	if _, err := trace.NewRequestWriter(nil, workload.Labels{}, -1); err == nil {
		t.Error("blocks of -1 tokens are written")
	}
}
