// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

func TestRequestsAreWrittenWithBlocksOrWithout(t *testing.T) {
	for blockTokens, want := range map[int]string{
		0: `{"windtunnel_trace": 1, "begin_ns": 0}
{"arrival_ns": 0, "input_tokens": 1000, "output_tokens": 2, "tenant": "default", "class": "default"}
`,
		512: `{"windtunnel_trace": 1, "block_tokens": 512, "begin_ns": 0}
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

// Requests of 10 and 12 s that were written come back at 10 and 12 s, so that a replay meets the
// same profile, scaler and disruption. At twice the rate, all times are halved. A slice is a run of
// its own, and a format that has no beginning counts from the first request.
func TestAReplayBeginsWhenTheRunOfTheRequestsDid(t *testing.T) {
	seconds := func(s float64) simtime.Time { return simtime.Time(s * 1e9) }
	var out bytes.Buffer
	w, err := trace.NewRequestWriter(&out, workload.Labels{Tenants: []string{"t"}, Classes: []string{"c"}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []float64{10, 12, 12.5} {
		if err := w.Write(&workload.Request{Arrival: seconds(at), Prompt: prompt.Prompt{}.Append(prompt.Extent{Source: 1, Tokens: 9}), OutputTokens: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var converted bytes.Buffer
	done, err := trace.Convert(trace.Windtunnel, trace.Options{}, bytes.NewReader(out.Bytes()), "written", trace.Windtunnel, &converted)
	if err != nil || len(done.Lost) > 0 || converted.String() != out.String() {
		t.Errorf("converted: %v, %+v\n%s", err, done, converted.String())
	}
	for name, tc := range map[string]struct {
		options trace.Options
		scale   float64
		want    []simtime.Time
	}{
		"as written":         {trace.Options{}, 1, []simtime.Time{seconds(10), seconds(12), seconds(12.5)}},
		"at twice the rate":  {trace.Options{}, 2, []simtime.Time{seconds(5), seconds(6), seconds(6.25)}},
		"a slice from 1s on": {trace.Options{Slice: trace.Slice{From: time.Second}}, 1, []simtime.Time{0, seconds(0.5)}},
	} {
		r := asRecorded
		r.RateScale = tc.scale
		read, err := trace.ReadWith(trace.Windtunnel, tc.options, bytes.NewReader(out.Bytes()), "written")
		if err != nil {
			t.Fatal(err)
		}
		var got []simtime.Time
		for _, r := range workloadtest.Take(read.Replay(r, 1), -1) {
			got = append(got, r.Arrival)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
