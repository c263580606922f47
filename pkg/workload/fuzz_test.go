// SPDX-License-Identifier: Apache-2.0

package workload_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload"
)

// checkReading reads data, and holds what was read against what the package
// promises of every trace.
func checkReading(t *testing.T, format workload.Format, data []byte) {
	trace, err := workload.ReadTrace(format, bytes.NewReader(data), "t")
	if err != nil {
		if trace != nil {
			t.Fatal("a trace beside an error")
		}
		if !strings.HasPrefix(err.Error(), "t: ") {
			t.Fatalf("error %q does not name the trace", err)
		}
		return
	}
	requests := take(trace.Replay(asRecorded, 1), -1)
	checkOrder(t, requests)
	if len(requests) != trace.Requests() || requests[0].Arrival != 0 {
		t.Fatalf("%d requests of %d, the first at %v", len(requests), trace.Requests(), requests[0].Arrival)
	}
	checkOrder(t, take(trace.Replay(workload.Replay{RateScale: 3, Arrivals: workload.Spread}, 1), -1))
	s := trace.Statistics()
	if s.ReusableShare < 0 || s.ReusableShare >= 1 || s.DistinctTimestamps > s.Requests {
		t.Fatalf("statistics %+v", s)
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return
	}
	again, err := workload.ReadTrace(format, bytes.NewReader(compress(t, data)), "t")
	if err != nil || again.Digest() != trace.Digest() {
		t.Fatalf("compressed: %v", err)
	}
	if diff := cmp.Diff(requests, take(again.Replay(asRecorded, 1), -1)); diff != "" {
		t.Fatalf("compressed (−plain +gzip):\n%s", diff)
	}
}

func FuzzReadMooncake(f *testing.F) {
	text := readTestFile(f, "testdata/mooncake.jsonl")
	f.Add(text)
	f.Add(compress(f, text))
	f.Add([]byte(generate(f, 3, 1)))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, workload.Mooncake, data) })
}

func FuzzReadAzure(f *testing.F) {
	text := readTestFile(f, "testdata/azure.csv")
	f.Add(text)
	f.Add(compress(f, text))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, workload.Azure, data) })
}
