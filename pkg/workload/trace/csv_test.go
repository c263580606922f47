// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// A CSV that was written is recognised and read without the names of its columns.
func TestWrittenCSVNeedsNoColumns(t *testing.T) {
	text, _ := convert(t, trace.Windtunnel, []byte(withoutDelays), trace.GenericCSV)
	format, _, err := trace.RecogniseFormat(bytes.NewReader(text), "t")
	if err != nil || format != trace.GenericCSV {
		t.Errorf("recognised as %q, %v", format, err)
	}
	columns := trace.WrittenCSV()
	for _, text := range []string{string(text), "arrival_ns,input_tokens,output_tokens\n1000,5,6\n"} {
		bare, err := trace.Read(trace.GenericCSV, strings.NewReader(text), "t")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(text, ",") < 8 {
			continue
		}
		named, err := trace.ReadWith(trace.GenericCSV, trace.Options{CSV: &columns}, strings.NewReader(text), "t")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(describe(named), describe(bare), cmp.AllowUnexported(described{})); diff != "" {
			t.Errorf("requests (-with columns +without):\n%s", diff)
		}
	}
}

// Blanks around the names in a header count neither there nor where a column is named.
func TestBlanksAroundColumns(t *testing.T) {
	columns := &trace.CSV{Time: "ts", Input: "in ", Output: " out", TimeFormat: trace.Seconds}
	if got, err := trace.ReadWith(trace.GenericCSV, trace.Options{CSV: columns}, strings.NewReader("ts,in , out\n1,2,3\n"), "t"); err != nil || got.Requests() != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestHeadersThatAreOthersHintAtTheOption(t *testing.T) {
	named := &trace.CSV{Time: "ts", Input: "in", Output: "out", TimeFormat: trace.Seconds}
	for name, tc := range map[string]struct {
		format trace.Format
		csv    *trace.CSV
		text   string
		want   string
	}{
		"no columns are named":    {trace.GenericCSV, nil, "ts,in,out\n", `t: row 1: must be a header with the columns arrival_ns,input_tokens,output_tokens, got "ts,in,out": csv (--csv) names other columns`},
		"another delimiter":       {trace.GenericCSV, named, "ts;in;out\n", `t: row 1: must be a header with the columns ts,in,out, got "ts;in;out": the delimiter of csv (--csv) may be Semicolon`},
		"quotes beside another":   {trace.GenericCSV, named, `"ts";in;out` + "\n", `t: row 1: has text behind the closing quote of a field: the delimiter of csv (--csv) may be Semicolon`},
		"a comma within quotes":   {trace.GenericCSV, named, `"t, s";in;out` + "\n", `t: row 1: has text behind the closing quote of a field: the delimiter of csv (--csv) may be Semicolon`},
		"tabs":                    {trace.GenericCSV, named, "ts\tin\tout\n", `t: row 1: must be a header with the columns ts,in,out, got "ts\tin\tout": the delimiter of csv (--csv) may be Tab`},
		"a format with commas":    {trace.Vidur, nil, "arrived_at;num_prefill_tokens;num_decode_tokens\n", `t: row 1: must be a header with the columns arrived_at,num_prefill_tokens,num_decode_tokens, got "arrived_at;num_prefill_tokens;num_decode_tokens": the format CSV reads it, with the delimiter Semicolon of csv (--csv)`},
		"commas where a tab is":   {trace.GenericCSV, &trace.CSV{Time: "ts", Input: "in", Output: "out", TimeFormat: trace.Seconds, Delimiter: trace.Tab}, "ts,in,out\n", "t: row 1: must be a header with the columns ts\tin\tout, got \"ts,in,out\": the delimiter of csv (--csv) may be Comma"},
		"timestamps as seconds":   {trace.GenericCSV, named, "ts,in,out\n2024-01-01T00:00:00Z,2,3\n", `t: row 2: ts: must be a decimal number of seconds, got "2024-01-01T00:00:00Z": timeFormat Timestamp reads it`},
		"timestamps of BurstGPT":  {trace.BurstGPT, nil, "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n2024-01-01T00:00:00Z,m,1,2,3,API log\n", `t: row 2: Timestamp: must be a decimal number of seconds, got "2024-01-01T00:00:00Z"`},
		"words as seconds":        {trace.GenericCSV, named, "ts,in,out\nnoon,2,3\n", `t: row 2: ts: must be a decimal number of seconds, got "noon"`},
		"columns in another case": {trace.GenericCSV, named, "Ts,In,Out\n", `t: row 1: must be a header with the columns ts,in,out, got "Ts,In,Out": upper and lower case count: the file has "Ts", not "ts"`},
		"other columns":           {trace.GenericCSV, named, "a,b,c\n", `t: row 1: must be a header with the columns ts,in,out, got "a,b,c"`},
	} {
		_, err := trace.ReadWith(tc.format, trace.Options{CSV: tc.csv}, strings.NewReader(tc.text), "t")
		if fmt.Sprint(err) != tc.want {
			t.Errorf("%s: got\n%v\nwant\n%s", name, err, tc.want)
		}
	}
}

// The error about an unknown format names --csv first where the text may be CSV, and then
// each format on a line of its own.
func TestUnknownFormats(t *testing.T) {
	for text, want := range map[string]string{
		"ts,in,out\n1,2,3\n": `t: begins with "ts,in,out\n1,2,3\n", like no known format; for a CSV, name its columns: --csv time=COLUMN,timeFormat=Seconds,inputTokens=COLUMN,outputTokens=COLUMN. The known formats:`,
		"ts\tin\tout\n":      `t: begins with "ts\tin\tout\n", like no known format; for a CSV, name its columns: --csv time=COLUMN,timeFormat=Seconds,inputTokens=COLUMN,outputTokens=COLUMN. The known formats:`,
		`[{"a": 1, "b": 2}]`: `t: begins with "[{\"a\": 1, \"b\": 2}]", like no known format. The known formats:`,
		"a\x00,b":            `t: begins with "a\x00,b", like no known format. The known formats:`,
		"words":              `t: begins with "words", like no known format. The known formats:`,
	} {
		_, _, err := trace.RecogniseFormat(strings.NewReader(text), "t")
		lines := strings.Split(fmt.Sprint(err), "\n")
		if lines[0] != want {
			t.Errorf("the error about %q begins with\n%s\nwant\n%s", text, lines[0], want)
		}
		for i, format := range trace.Formats() {
			if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], fmt.Sprintf("  - %s ", format)) {
				t.Errorf("the error about %q has no line for %s:\n%v", text, format, err)
			}
		}
	}
}

// Times in another unit than the one that they are read in are odd.
func TestOddTimes(t *testing.T) {
	for name, tc := range map[string]struct {
		format      trace.TimeFormat
		first, last string
		want        string
	}{
		"seconds":                           {trace.Seconds, "1700000000", "1700003600", ""},
		"milliseconds":                      {trace.Milliseconds, "1700000000123", "1700003600456", ""},
		"from 0":                            {trace.Nanoseconds, "0", "3600000000000", ""},
		"seconds as milliseconds":           {trace.Milliseconds, "1700000000", "1700003600", "times such as 1700000000 are read as milliseconds, but look like seconds since 1970: gaps are 1000 times too short then"},
		"nanoseconds as microseconds":       {trace.Microseconds, "1700000000000000000", "1700003600000000000", "an error"},
		"milliseconds as microseconds":      {trace.Microseconds, "1700000000000", "1700003600000", "times such as 1700000000000 are read as microseconds, but look like milliseconds since 1970: gaps are 1000 times too short then"},
		"microseconds as milliseconds":      {trace.Milliseconds, "1700000000000000", "1700003600000000", "an error"},
		"milliseconds of a day, as seconds": {trace.Seconds, "0", "2000000000", "times are read as seconds and span 63 years: their unit may be another one"},
		"milliseconds as seconds":           {trace.Seconds, "1700000000123", "1700003600456", "an error"},
	} {
		o := trace.Options{CSV: &trace.CSV{Time: "ts", Input: "in", Output: "out", TimeFormat: tc.format}}
		text := fmt.Sprintf("ts,in,out\n%s,1,1\n%s,1,1\n", tc.first, tc.last)
		recorded, err := trace.ReadWith(trace.GenericCSV, o, strings.NewReader(text), "t")
		if tc.want == "an error" {
			if err == nil || !strings.Contains(err.Error(), "must be at most 292 years, got ") || !strings.Contains(err.Error(), " since 1970") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		described, _, err := trace.Describe(trace.GenericCSV, o, strings.NewReader(text), "t")
		if err != nil || recorded.Warning() != tc.want || described.Warning != tc.want {
			t.Errorf("%s: got %q and %q, %v, want %q", name, recorded.Warning(), described.Warning, err, tc.want)
		}
	}
}
