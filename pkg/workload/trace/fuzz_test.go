// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// checkReading reads data, and holds what was read against what the package
// promises of every trace.
func checkReading(t *testing.T, format trace.Format, o trace.Options, data []byte) {
	recorded, err := trace.ReadWith(format, o, bytes.NewReader(data), "t")
	if err != nil {
		if recorded != nil {
			t.Fatal("a trace beside an error")
		}
		if !strings.HasPrefix(err.Error(), "t: ") {
			t.Fatalf("error %q does not name the trace", err)
		}
		return
	}
	requests := replayOnce(recorded, asRecorded)
	workloadtest.CheckOrder(t, requests)
	if len(requests) != recorded.Requests() || requests[0].Arrival != 0 {
		t.Fatalf("%d requests of %d, the first at %v", len(requests), recorded.Requests(), requests[0].Arrival)
	}
	workloadtest.CheckOrder(t, replayOnce(recorded, trace.Replay{RateScale: 3, Arrivals: trace.Spread}))
	s := statistics(t, recorded)
	if s.ReusableShare < 0 || s.ReusableShare >= 1 || s.DistinctTimestamps > s.Requests {
		t.Fatalf("statistics %+v", s)
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return
	}
	again, err := trace.ReadWith(format, o, bytes.NewReader(compress(t, data)), "t")
	if err != nil || again.Digest() != recorded.Digest() {
		t.Fatalf("compressed: %v", err)
	}
	if diff := cmp.Diff(requests, replayOnce(again, asRecorded)); diff != "" {
		t.Fatalf("compressed (−plain +gzip):\n%s", diff)
	}
}

// replayOnce returns the requests of a replay whose answers take no time.
func replayOnce(recorded *trace.Trace, r trace.Replay) []workload.Request {
	return workloadtest.Take(workload.AnsweredAtOnce(recorded.Replay(r, 1)), -1)
}

func FuzzReadMooncake(f *testing.F) {
	text := testfile.Read(f, "testdata/mooncake.jsonl")
	f.Add(text)
	f.Add(compress(f, text))
	f.Add([]byte(generate(f, 3, 1)))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.Mooncake, trace.Options{}, data) })
}

func FuzzReadAzure(f *testing.F) {
	text := testfile.Read(f, "testdata/azure.csv")
	f.Add(text)
	f.Add(compress(f, text))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.Azure, trace.Options{}, data) })
}

func FuzzReadBurstGPT(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/burstgpt.csv"))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.BurstGPT, readOptions(trace.BurstGPT), data) })
}

func FuzzReadVidur(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/vidur.csv"))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.Vidur, trace.Options{}, data) })
}

func FuzzReadLLMServingSim(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/llmservingsim.jsonl"))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.LLMServingSim, trace.Options{}, data) })
}

func FuzzReadQwenBailian(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/qwen-bailian.jsonl"))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.QwenBailian, trace.Options{}, data) })
}

func FuzzReadTraceV2(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/tracev2.csv"))
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.TraceV2, readOptions(trace.TraceV2), data) })
}

func FuzzReadParquet(f *testing.F) {
	for _, text := range []string{everything, withoutDelays} {
		var out bytes.Buffer
		if _, err := trace.Convert(trace.Windtunnel, readOptions(trace.Parquet), strings.NewReader(text), "t", trace.Parquet, &out); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkReading(t, trace.Parquet, readOptions(trace.Parquet), data) })
}

func FuzzReadWeka(f *testing.F)      { fuzzAgents(f, trace.Weka, "testdata/weka.jsonl") }
func FuzzReadTraceLab(f *testing.F)  { fuzzAgents(f, trace.TraceLab, "testdata/tracelab.jsonl") }
func FuzzReadAIBrix(f *testing.F)    { fuzzAgents(f, trace.AIBrix, "testdata/aibrix.jsonl") }
func FuzzReadAccessLog(f *testing.F) { fuzzAgents(f, trace.AccessLog, "testdata/access-log.jsonl") }
func FuzzReadOTel(f *testing.F)      { fuzzAgents(f, trace.OTel, "testdata/otel.jsonl") }

// fuzzAgents fuzzes the reader of a format of agents; what it reads is the same when it is written and read again.
func fuzzAgents(f *testing.F, format trace.Format, file string) {
	f.Add(testfile.Read(f, file))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkReading(t, format, trace.Options{}, data)
		var out bytes.Buffer
		if _, err := trace.Convert(format, trace.Options{}, bytes.NewReader(data), "t", trace.Windtunnel, &out); err != nil {
			return
		}
		recorded, err := trace.Read(format, bytes.NewReader(data), "t")
		if err != nil {
			t.Fatal(err)
		}
		again, err := trace.Read(trace.Windtunnel, &out, "t")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(times(replayOnce(recorded, asRecorded)), times(replayOnce(again, asRecorded))); diff != "" {
			t.Fatalf("requests (-of the trace +written again):\n%s", diff)
		}
	})
}

// times are when requests arrive, and their lengths.
func times(requests []workload.Request) [][3]int64 {
	var all [][3]int64
	for _, r := range requests {
		all = append(all, [3]int64{int64(r.Arrival), int64(r.Prompt.Tokens()), int64(r.OutputTokens)})
	}
	return all
}

func FuzzReadCSV(f *testing.F) {
	f.Add(testfile.Read(f, "testdata/gateway.csv"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkReading(t, trace.GenericCSV, trace.Options{CSV: gateway(), Order: trace.Sort}, data)
	})
}

func FuzzReadWindtunnel(f *testing.F) {
	f.Add([]byte(everything))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkReading(t, trace.Windtunnel, trace.Options{}, data)
		var out bytes.Buffer
		if _, err := trace.Convert(trace.Windtunnel, trace.Options{}, bytes.NewReader(data), "t", trace.Windtunnel, &out); err != nil {
			return
		}
		want, got := replayAll(t, trace.Windtunnel, data, 4096), replayAll(t, trace.Windtunnel, out.Bytes(), 4096)
		if diff := diffReplayed(want, got); diff != "" {
			t.Fatalf("requests (-of the trace +written again):\n%s", diff)
		}
	})
}
