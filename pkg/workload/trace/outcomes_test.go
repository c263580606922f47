// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// The values are read off the files by hand.
func TestLogsSayHowRequestsWereServed(t *testing.T) {
	const ms = time.Millisecond
	span := `{"traceId": "t%", "spanId": "a%", "startTimeUnixNano": %000000000, "endTimeUnixNano": %500000000, "attributes": {"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5, "gen_ai.latency.time_to_first_token": 0.125}}` + "\n"
	for name, tc := range map[string]struct {
		format trace.Format
		file   string
		want   trace.Outcomes
	}{
		"an access log counts rejections, and a client that hung up": {trace.AccessLog, string(testfile.Read(t, "testdata/access-log.jsonl")), trace.Outcomes{
			Requests: 4, Failed: 2, Unreplayed: 1, E2E: []time.Duration{4000 * ms, 250 * ms}, InputTokens: 1500, OutputTokens: 170, Span: 2750 * ms,
		}},
		"spans of vLLM": {trace.OTel, strings.ReplaceAll(span, "%", "1") + strings.ReplaceAll(span, "%", "3"), trace.Outcomes{
			Requests: 2, TTFT: []time.Duration{125 * ms, 125 * ms}, E2E: []time.Duration{500 * ms, 500 * ms}, TPOT: []time.Duration{93750 * time.Microsecond, 93750 * time.Microsecond}, InputTokens: 20, OutputTokens: 10, Span: 2 * time.Second,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := trace.ReadOutcomes(tc.format, trace.Options{}, strings.NewReader(tc.file), "log")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tc.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
	own := `{"windtunnel_trace": 1}` + "\n" + `{"arrival_ns": 5, "input_tokens": 10, "output_tokens": 5%}` + "\n"
	for fields, want := range map[string]string{
		"":                                     ": it says of none of its 1 requests how long the answer took",
		`, "status": 429`:                      ": it says of none of its 1 requests how long the answer took",
		`, "e2e_ns": 9`:                        ": row 2: status: is missing, and ttft_ns, e2e_ns and cached_tokens need it",
		`, "status": 200, "cached_tokens": 11`: ": row 2: cached_tokens: must be at most input_tokens, 10, got 11",
	} {
		if _, err := trace.ReadOutcomes(trace.Windtunnel, trace.Options{}, strings.NewReader(strings.Replace(own, "%", fields, 1)), "log"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("with %q the error is %v, want %q", fields, err, want)
		}
	}
	if _, err := trace.ReadOutcomes(trace.Azure, trace.Options{}, strings.NewReader(""), "log"); err == nil || !strings.Contains(err.Error(), "want one of [AccessLog OTel Windtunnel]") {
		t.Errorf("the error of a format without outcomes is %v", err)
	}
}

func TestOutcomesThatAreWrittenAreRead(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewRequestWriter(&file, workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []trace.Outcome{{Status: 200, TTFT: 3, E2E: 9, Cached: new(int32(2))}, {Status: 429, Cached: new(int32(1))}, {}} {
		r := workload.Request{Arrival: simtime.Time(i), OutputTokens: 2}
		r.Prompt.Extents = append(r.Prompt.Extents, prompt.Extent{Source: 1, Tokens: 5})
		if err := w.WriteServed(&r, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := trace.ReadOutcomes(trace.Windtunnel, trace.Options{}, &file, "log")
	if err != nil {
		t.Fatal(err)
	}
	want := &trace.Outcomes{Requests: 3, Failed: 1, TTFT: []time.Duration{3}, E2E: []time.Duration{9}, TPOT: []time.Duration{6}, CacheHit: new(0.4), InputTokens: 5, OutputTokens: 2, Span: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}
