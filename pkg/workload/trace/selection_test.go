// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// kept returns the input lengths of the rows that options keep.
func kept(t *testing.T, o trace.Options, text string) []int32 {
	t.Helper()
	recorded, err := trace.ReadWith(trace.Windtunnel, o, strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int32
	for _, d := range describe(recorded) {
		lengths = append(lengths, d.Extents[0])
	}
	slices.Sort(lengths)
	return lengths
}

// The input length of each row is its number.
const sessionsOverTime = `{"windtunnel_trace": 1}
{"arrival_ns": 5000000000, "input_tokens": 1, "output_tokens": 1, "session": "a"}
{"arrival_ns": 6000000000, "input_tokens": 2, "output_tokens": 1, "session": "b"}
{"delay_ns": 1, "input_tokens": 3, "output_tokens": 1, "session": "a"}
{"delay_ns": 1, "input_tokens": 4, "output_tokens": 1, "session": "b"}
{"arrival_ns": 7000000000, "input_tokens": 5, "output_tokens": 1, "session": "a"}
{"delay_ns": 1, "input_tokens": 6, "output_tokens": 1, "session": "a"}
{"arrival_ns": 8000000000, "input_tokens": 7, "output_tokens": 1}
`

func TestSlicesKeepWhatArrivesInThem(t *testing.T) {
	for name, tc := range map[string]struct {
		slice trace.Slice
		want  []int32
	}{
		"all":                         {trace.Slice{}, []int32{1, 2, 3, 4, 5, 6, 7}},
		"the beginning":               {trace.Slice{To: time.Second}, []int32{1, 3}},
		"the end":                     {trace.Slice{From: 2 * time.Second}, []int32{5, 6, 7}},
		"the middle":                  {trace.Slice{From: time.Second, To: 2 * time.Second}, []int32{2, 4}},
		"what arrives at its end not": {trace.Slice{From: time.Second, To: 3 * time.Second}, []int32{2, 4, 5, 6}},
	} {
		if diff := cmp.Diff(tc.want, kept(t, trace.Options{Slice: tc.slice}, sessionsOverTime)); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", name, diff)
		}
	}
	recorded, err := trace.ReadWith(trace.Windtunnel, trace.Options{Slice: trace.Slice{From: 2 * time.Second}}, strings.NewReader(sessionsOverTime), "t")
	if err != nil || describe(recorded)[0].Arrival != 0 {
		t.Errorf("the first row that is kept does not arrive at 0: %v", err)
	}
	_, err = trace.ReadWith(trace.Windtunnel, trace.Options{Slice: trace.Slice{From: time.Hour}}, strings.NewReader(sessionsOverTime), "t")
	if want := "t: a trace without requests"; err == nil || err.Error() != want {
		t.Errorf("a slice behind the end: got %v, want %s", err, want)
	}
}

func TestSamplesKeepSessionsWhole(t *testing.T) {
	const sessions, turns = 1000, 3
	text := []byte(`{"windtunnel_trace": 1}` + "\n")
	for turn := range turns {
		for s := range sessions {
			text = fmt.Appendf(text, "{\"arrival_ns\": %d, \"input_tokens\": %d, \"output_tokens\": 1, \"session\": \"s%d\"}\n", turn, s+1, s)
			text = fmt.Appendf(text, "{\"arrival_ns\": %d, \"input_tokens\": %d, \"output_tokens\": 1}\n", turn, sessions+1+turn*sessions+s)
		}
	}
	tenth, half := kept(t, trace.Options{Sample: 0.1}, string(text)), kept(t, trace.Options{Sample: 0.5}, string(text))
	for name, tc := range map[string]struct {
		got   []int32
		share float64
	}{"a tenth": {tenth, 0.1}, "half": {half, 0.5}} {
		count := map[int32]int{}
		for _, length := range tc.got {
			count[length]++
		}
		whole, alone := 0, 0
		for length, n := range count {
			switch {
			case length > sessions:
				alone++
			case n == turns:
				whole++
			default:
				t.Errorf("%s: %d of %d turns of session %d are kept", name, n, turns, length)
			}
		}
		// 5 standard deviations of a binomial distribution.
		if off := float64(whole) - tc.share*sessions; off > 80 || off < -80 {
			t.Errorf("%s: %d of %d sessions", name, whole, sessions)
		}
		if off := float64(alone) - tc.share*turns*sessions; off > 140 || off < -140 {
			t.Errorf("%s: %d of %d requests without a session", name, alone, turns*sessions)
		}
	}
	for _, length := range tenth {
		if !slices.Contains(half, length) {
			t.Fatalf("a tenth has request %d, half has not", length)
		}
	}
}

func TestConversionsSelectRows(t *testing.T) {
	var out bytes.Buffer
	o := trace.Options{Slice: trace.Slice{From: 2 * time.Second}}
	c, err := trace.Convert(trace.Windtunnel, o, strings.NewReader(sessionsOverTime), "t", trace.Windtunnel, &out)
	if err != nil || c.Requests != 3 {
		t.Fatalf("%d requests, %v", c.Requests, err)
	}
	if diff := cmp.Diff(kept(t, o, sessionsOverTime), kept(t, trace.Options{}, out.String())); diff != "" {
		t.Errorf("rows (-read +converted):\n%s", diff)
	}
}

func TestSelectionsAreChecked(t *testing.T) {
	for name, tc := range map[string]struct {
		options trace.Options
		want    string
	}{
		"an end before the beginning": {trace.Options{Slice: trace.Slice{From: 2, To: 1}}, `trace.slice.to: Invalid value: "1ns": must be after from`},
		"a negative beginning":        {trace.Options{Slice: trace.Slice{From: -1}}, `trace.slice.from: Invalid value: "-1ns": must not be negative`},
		"a slice of rows in disorder": {trace.Options{Order: trace.Sort, Slice: trace.Slice{From: 1}},
			"trace.slice: Forbidden: may not be set where rows are sorted: sort the trace first, with windtunnel trace convert"},
		"more than all": {trace.Options{Sample: 1.5}, "trace.sample: Invalid value: 1.5: must be greater than 0 and less than 1"},
	} {
		errs := tc.options.Validate(trace.Windtunnel, field.NewPath("trace"))
		if len(errs) != 1 || errs[0].Error() != tc.want {
			t.Errorf("%s: got %v, want %s", name, errs, tc.want)
		}
	}
}
