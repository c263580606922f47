// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// failedRows has rows with answers of 0 tokens, one of which another row waits for.
const failedRows = `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 1, "output_tokens": 0}
{"arrival_ns": 1000000000, "input_tokens": 2, "output_tokens": 5}
{"arrival_ns": 2000000000, "input_tokens": 3, "output_tokens": 0, "session": "a"}
{"delay_ns": 5, "input_tokens": 4, "output_tokens": 5, "session": "a"}
{"arrival_ns": 3000000000, "input_tokens": 5, "output_tokens": 5, "session": "a"}
`

func TestRowsWithAnAnswerOfNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		options trace.Options
		want    []string // arrival, prompt and answer
		counts  trace.Counts
	}{
		"are left out, with those that wait for them": {trace.Options{ZeroOutput: trace.SkipZeroOutput},
			[]string{"0s: 2+5", "2s: 5+5"}, trace.Counts{SkippedZeroOutput: 3}},
		"send their prompts": {trace.Options{ZeroOutput: trace.PrefillOnly},
			[]string{"0s: 1+1", "1s: 2+5", "2s: 3+1", "2s: 4+5", "3s: 5+5"}, trace.Counts{PrefillOnly: 2}},
		"send their prompts unless those are too long": {
			trace.Options{ZeroOutput: trace.PrefillOnly, TooLong: trace.TooLong{MaxTokens: 3, Action: trace.Skip}},
			[]string{"0s: 1+1"}, trace.Counts{PrefillOnly: 1, Skipped: 4}},
		"send prompts that are clipped": {
			trace.Options{ZeroOutput: trace.PrefillOnly, TooLong: trace.TooLong{MaxTokens: 3, Action: trace.Clip}},
			[]string{"0s: 1+1", "1s: 1+2", "2s: 2+1", "2s: 1+2", "3s: 1+2"}, trace.Counts{PrefillOnly: 2, Clipped: 4}},
		"outside the slice are no errors": {trace.Options{Slice: trace.Slice{From: time.Second, To: 2 * time.Second}},
			[]string{"0s: 2+5"}, trace.Counts{}},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := trace.ReadWith(trace.Windtunnel, tc.options, strings.NewReader(failedRows), "t")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range workloadtest.Serve(recorded.Replay(asRecorded, 1), 10, workloadtest.Completed(0)) {
				got = append(got, fmt.Sprintf("%s: %d+%d", time.Duration(r.Arrival).Round(time.Millisecond), r.Prompt.Tokens(), r.OutputTokens))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.counts, recorded.Counts()); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
	for _, options := range []trace.Options{{}, {ZeroOutput: trace.RefuseZeroOutput}} {
		_, err := trace.ReadWith(trace.Windtunnel, options, strings.NewReader(failedRows), "t")
		if want := "t: row 2: output_tokens: must be between 1 and 10000000 tokens, got 0" + zeroOutputHint; fmt.Sprint(err) != want {
			t.Errorf("%q: got %v, want %s", options.ZeroOutput, err, want)
		}
	}
}

// A row with an answer of nothing is repaired only where the option says so, in each format.
func TestEachFormatRefusesAnAnswerOfNothing(t *testing.T) {
	refused := regexp.MustCompile(`^t: row [23]: [a-zA-Z_ ]+: must be between 1 and 10000000 tokens, got 0` + regexp.QuoteMeta(zeroOutputHint) + "$")
	for _, format := range trace.WrittenFormats() {
		text := withoutOutput(t, format)
		for option, want := range map[trace.ZeroOutput]trace.Statistics{
			"":                     {},
			trace.RefuseZeroOutput: {},
			trace.SkipZeroOutput:   {Requests: 1, Counts: trace.Counts{SkippedZeroOutput: 1}},
			trace.PrefillOnly:      {Requests: 2, Counts: trace.Counts{PrefillOnly: 1}},
		} {
			o := readOptions(format)
			o.ZeroOutput = option
			got, _, err := trace.Describe(format, o, bytes.NewReader(text), "t")
			switch {
			case want.Requests == 0 && (err == nil || !refused.MatchString(err.Error())):
				t.Errorf("%s, %q: %v", format, option, err)
			case want.Requests > 0 && (err != nil || got.Requests != want.Requests || got.Counts != want.Counts):
				t.Errorf("%s, %q: %d requests, %+v, %v", format, option, got.Requests, got.Counts, err)
			}
		}
	}
}

// withoutOutput is a trace of two rows in a format, the last one with an answer of nothing.
func withoutOutput(t *testing.T, format trace.Format) []byte {
	t.Helper()
	if format == trace.Parquet {
		return parquetWithoutOutput(t)
	}
	const rows = "arrived_at,num_prefill_tokens,num_decode_tokens\n1,10,5\n2,10,77\n"
	text, _ := convert(t, trace.Vidur, []byte(rows), format)
	replaced := strings.NewReplacer("77,87", "0,10" /* the sum of BurstGPT */, "77", "0").Replace(string(text))
	if replaced == string(text) {
		t.Fatalf("%s: no row has 77 tokens:\n%s", format, text)
	}
	return []byte(replaced)
}

func parquetWithoutOutput(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w := parquetfile.Codec{}.Create(&file, nil)
	var err error
	for _, output := range []int64{5, 0} {
		var arrival, input int64 = 9, 10
		err = errors.Join(err, w.Write(&trace.ParquetRow{ArrivalNs: &arrival, InputTokens: &input, OutputTokens: &output}))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestRowsThatAreTooLongMayBeRefused(t *testing.T) {
	o := trace.Options{TooLong: trace.TooLong{MaxTokens: 20, Action: trace.RefuseTooLong}, BlockTokens: 4}
	_, err := trace.ReadWith(trace.Mooncake, o, strings.NewReader(longRows), "t")
	if want := "t: row 2: has 32 tokens, prompt and answer together, more than the 20 of tooLong"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	o.TooLong.MaxTokens = 49
	if recorded, err := trace.ReadWith(trace.Mooncake, o, strings.NewReader(longRows), "t"); err != nil || recorded.Requests() != 5 {
		t.Errorf("none is longer: %v", err)
	}
}

// CountsUntil counts what a replay reaches before a time, of a trace in memory and of one in its
// file. The oracle goes through all rows of all rounds.
func TestCountsUntilATime(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	const rows = 60
	var text bytes.Buffer
	text.WriteString("arrived_at,num_prefill_tokens,num_decode_tokens\n")
	type row struct {
		at            simtime.Time
		input, output int
	}
	var all []row
	at := 0
	for i := range rows {
		at += random.Intn(3)
		r := row{simtime.Time(at) * 1e9, 1 + random.Intn(30), random.Intn(3)}
		if i == rows-1 { // long after the last row that is sent, perhaps
			r = row{r.at + 50e9, 30, 0}
			at += 50
		}
		all = append(all, r)
		fmt.Fprintf(&text, "%d,%d,%d\n", at, r.input, r.output)
	}
	for _, action := range []trace.TooLongAction{trace.Skip, trace.Clip} {
		for _, zero := range []trace.ZeroOutput{trace.SkipZeroOutput, trace.PrefillOnly} {
			o := trace.Options{TooLong: trace.TooLong{MaxTokens: 15, Action: action}, ZeroOutput: zero}
			held, err := trace.ReadWith(trace.Vidur, o, bytes.NewReader(text.Bytes()), "t")
			if err != nil {
				t.Fatal(err)
			}
			left := leftInFile(t, trace.Vidur, o, text.Bytes())
			for _, r := range []trace.Replay{
				asRecorded, {RateScale: 2, Arrivals: trace.AsRecorded}, {RateScale: 0.5, Arrivals: trace.AsRecorded, Loop: trace.SamePrefixes},
			} {
				for _, until := range []simtime.Time{1, 10e9, 33e9, 80e9, 400e9} {
					var want trace.Counts
					var first, length simtime.Time = -1, 0
					for _, row := range all { // the first row that is sent arrives at 0
						sent := (row.output > 0 || zero == trace.PrefillOnly) && (row.input+max(1, row.output) <= 15 || action == trace.Clip)
						if sent && first < 0 {
							first = row.at
						}
					}
					if r.Loop != "" {
						length = simtime.Time(held.Period())
					}
					for round := range simtime.Time(20) {
						for _, row := range all {
							arrival := simtime.Time(float64(max(0, row.at-first)+round*length) / r.RateScale)
							if arrival >= until || round > 0 && length == 0 {
								continue
							}
							long := row.input+max(1, row.output) > 15
							switch {
							case row.output == 0 && zero == trace.SkipZeroOutput:
								want.SkippedZeroOutput++
								continue
							case long && action == trace.Skip:
								want.Skipped++
								continue
							case long:
								want.Clipped++
							}
							if row.output == 0 {
								want.PrefillOnly++
							}
						}
					}
					for name, recorded := range map[string]*trace.Trace{"in memory": held, "in its file": left} {
						got, err := recorded.CountsUntil(r, until)
						if err != nil || got != want {
							t.Errorf("%s, %s %s, %+v until %v: got %+v, %v, want %+v", name, action, zero, r, until, got, err, want)
						}
					}
				}
			}
		}
	}
}
