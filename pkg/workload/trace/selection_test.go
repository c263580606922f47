// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"io"
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
}

// A slice beyond the end says how long the trace is, whatever reads it.
func TestSlicesBeyondTheEndSayWhereItIs(t *testing.T) {
	for name, tc := range map[string]struct {
		slice trace.Slice
		want  string
	}{
		"without an end":   {trace.Slice{From: time.Hour}, "t: no request arrives in the slice from 1h0m0s on: the trace spans 3s"},
		"with an end":      {trace.Slice{From: time.Hour, To: 2 * time.Hour}, "t: no request arrives in the slice from 1h0m0s to 2h0m0s: the trace spans 3s"},
		"between two rows": {trace.Slice{From: 1, To: 2}, "t: no request arrives in the slice from 1ns to 2ns: the trace spans 3s"},
	} {
		options := trace.Options{Slice: tc.slice}
		_, read := trace.ReadWith(trace.Windtunnel, options, strings.NewReader(sessionsOverTime), "t")
		_, _, described := trace.Describe(trace.Windtunnel, options, strings.NewReader(sessionsOverTime), "t")
		_, converted := trace.Convert(trace.Windtunnel, options, strings.NewReader(sessionsOverTime), "t", trace.Vidur, io.Discard)
		for _, err := range []error{read, described, converted} {
			if fmt.Sprint(err) != tc.want {
				t.Errorf("%s: got %v, want %s", name, err, tc.want)
			}
		}
	}
	_, err := trace.ReadWith(trace.ServeGen, trace.Options{Slice: trace.Slice{From: time.Hour}}, bytes.NewReader(serveGenArchive(t)), "t")
	if want := "t: no request arrives in the slice from 1h0m0s on: the trace spans 40m0s"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A slice of rows in any order is the slice of the rows in order.
func TestSlicesOfSortedRows(t *testing.T) {
	lines := []string{"arrived_at,num_prefill_tokens,num_decode_tokens\n"}
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("%d,%d,1\n", 10+i, i+1))
	}
	inOrder := strings.Join(lines, "")
	slices.SortFunc(lines[1:], func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	for _, o := range []trace.Options{
		{Slice: trace.Slice{From: 7 * time.Second, To: 31 * time.Second}},
		{Slice: trace.Slice{From: 7 * time.Second}, TooLong: trace.TooLong{MaxTokens: 25, Action: trace.Skip}},
		{Slice: trace.Slice{To: time.Second}},
	} {
		want, err := trace.ReadWith(trace.Vidur, o, strings.NewReader(inOrder), "t")
		if err != nil {
			t.Fatal(err)
		}
		o.Order = trace.Sort
		got, err := trace.ReadWith(trace.Vidur, o, strings.NewReader(strings.Join(lines, "")), "t")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(describe(want), describe(got), cmp.AllowUnexported(described{})); diff != "" {
			t.Errorf("%+v (-in order +sorted):\n%s", o, diff)
		}
		if diff := cmp.Diff(statistics(t, want), statistics(t, got)); diff != "" {
			t.Errorf("%+v: statistics (-in order +sorted):\n%s", o, diff)
		}
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
		"more than all":               {trace.Options{Sample: 1.5}, "trace.sample: Invalid value: 1.5: must be greater than 0 and less than 1"},
	} {
		errs := tc.options.Validate(trace.Windtunnel, field.NewPath("trace"))
		if len(errs) != 1 || errs[0].Error() != tc.want {
			t.Errorf("%s: got %v, want %s", name, errs, tc.want)
		}
	}
}

func TestRowsThatAreSortedStayWithinTheMemory(t *testing.T) {
	text := "arrived_at,num_prefill_tokens,num_decode_tokens\n" + strings.Repeat("1,2,3\n", 100)
	_, err := trace.ReadWith(trace.Vidur, trace.Options{Order: trace.Sort, MemoryBytes: 1000}, strings.NewReader(text), "t")
	if want := "t: row 11: 10 requests with 0 blocks take about 0 MiB of memory up to here, and there are 0 MiB: give more, or use fewer rows"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
