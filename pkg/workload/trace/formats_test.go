// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// described is a request with the names of its labels.
type described struct {
	outline
	Tenant, Class, Model, Adapter string
	Session                       int32
	Priority                      int
}

func describe(recorded *trace.Trace) []described {
	source := recorded.Replay(asRecorded, 1)
	requests := workloadtest.Take(workload.AnsweredAtOnce(source), -1)
	labels := source.Labels()
	named := func(names []string, i int) string {
		if i == 0 {
			return ""
		}
		return names[i-1]
	}
	var all []described
	for i, o := range outlines(requests) {
		r := requests[i]
		all = append(all, described{
			outline: o, Tenant: labels.Tenants[r.Tenant], Class: labels.Classes[r.Class],
			Model: named(labels.Models, r.Model), Adapter: named(labels.Adapters, r.Adapter),
			Session: r.Session, Priority: r.Priority,
		})
	}
	return all
}

// plain is a request that names nobody. Its arrival is in ns.
func plain(at simtime.Time, output int, extents ...int32) described {
	return described{
		outline: outline{Arrival: at, Extents: extents, Output: output},
		Tenant:  workload.DefaultLabel, Class: workload.DefaultLabel,
	}
}

// with changes a copy of a request.
func with(d described, change func(*described)) described {
	change(&d)
	return d
}

// gateway are the columns of testdata/gateway.csv.
func gateway() *trace.CSV {
	return &trace.CSV{
		Time: "when", Input: "prompt", Output: "completion", Tenant: "team", Class: "level", Session: "chat", Model: "target", Priority: "rank",
		TimeFormat: trace.Timestamp, Delimiter: trace.Semicolon,
	}
}

func TestFormatsCarryWhatTheirRowsSay(t *testing.T) {
	session := func(n int32) func(*described) { return func(d *described) { d.Session = n } }
	for name, tc := range map[string]struct {
		format  trace.Format
		options trace.Options
		file    string
		want    []described
		skipped int
	}{
		"Azure of 2024 has a zone and any number of digits": {trace.Azure, trace.Options{}, "azure-2024.csv", []described{
			plain(0, 5, 2162), plain(7_405_000, 6, 2399), plain(1_990_070_000, 15, 76),
		}, 0},
		"BurstGPT has failed requests": {trace.BurstGPT, trace.Options{ZeroOutput: trace.SkipZeroOutput}, "burstgpt.csv", []described{
			with(plain(0, 18, 472), session(1)), with(plain(113_000*ms, 276, 417), session(1)),
		}, 1},
		"an access log is in any order, and a rejected request has no lengths": {trace.AccessLog, trace.Options{}, "access-log.jsonl", []described{
			with(plain(0, 150, 1200), func(d *described) { d.Model = "llama" }),
			with(plain(1500*ms, 20, 300), func(d *described) { d.Model, d.Session = "llama", 1 }),
			with(plain(2750*ms, 7, 40), func(d *described) { d.Model, d.Session = "llama", 1 }),
		}, 0},
		"Vidur has its columns in any order": {trace.Vidur, trace.Options{}, "vidur.csv", []described{
			plain(0, 44, 374), plain(1_250_000, 109, 396), plain(2_000_000_000, 55, 879),
		}, 0},
		"LLMServingSim has full blocks only": {trace.LLMServingSim, trace.Options{}, "llmservingsim.jsonl", []described{
			plain(0, 20, 16, 16, 3), plain(7, 7, 16, 16, 16), plain(4_000_000, 1, 10),
		}, 0},
		"Qwen-Bailian has sessions": {trace.QwenBailian, trace.Options{}, "qwen-bailian.jsonl", []described{
			with(plain(0, 20, 16, 16, 3), session(1)), with(plain(250*ms, 4, 16, 16), session(2)),
			with(plain(1500*ms, 9, 16, 16, 16, 16), session(1)), with(plain(1501*ms, 9, 16), session(1)),
		}, 0},
		"TraceV2 has prefix groups": {trace.TraceV2, trace.Options{ZeroOutput: trace.SkipZeroOutput}, "tracev2.csv", []described{
			with(plain(0, 5, 16, 16, 18), func(d *described) { d.Tenant, d.Class, d.Session = "gold", "critical", 1 }),
			with(plain(1_500_000, 1, 100), func(d *described) { d.Class, d.Model = "batch", "llama" }),
			with(plain(2_000_000, 8, 16, 16, 28), func(d *described) { d.Tenant, d.Class, d.Session = "silver", "critical", 1 }),
		}, 1},
		"the log of a gateway, sorted": {trace.GenericCSV, trace.Options{CSV: gateway(), Order: trace.Sort}, "gateway.csv", []described{
			with(plain(0, 20, 200), func(d *described) { d.Model = "llama" }),
			with(plain(250*ms, 10, 100), func(d *described) { d.Tenant, d.Class, d.Session, d.Priority = "a;b", "gold", 1, 7 }),
			with(plain(1750*ms, 30, 300), func(d *described) { d.Tenant, d.Class, d.Session, d.Priority = `say "hi"`, "gold", 1, -7 }),
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := trace.ReadWith(tc.format, tc.options, bytes.NewReader(testfile.Read(t, "testdata/"+tc.file)), tc.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, describe(recorded), cmp.AllowUnexported(described{})); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if got := statistics(t, recorded).SkippedZeroOutput; got != tc.skipped {
				t.Errorf("%d requests without output, want %d", got, tc.skipped)
			}
		})
	}
}

// The block 101 stands behind another block in the second row, so it is another one there.
func TestBailianIDsAreChained(t *testing.T) {
	requests := workloadtest.Take(readFile(t, trace.QwenBailian, "testdata/qwen-bailian.jsonl").Replay(asRecorded, 1), -1)
	shared := func(a, b int) int {
		return workloadtest.CommonPrefix(requests[a].Prompt.FullBlocks(nil, 16), requests[b].Prompt.FullBlocks(nil, 16))
	}
	if got := []int{shared(0, 1), shared(0, 2), shared(2, 3)}; !slices.Equal(got, []int{0, 2, 1}) {
		t.Errorf("prompts share %v blocks, want 0, 2 and 1", got)
	}
	if a, b := requests[0].Prompt.Extents[1], requests[1].Prompt.Extents[1]; a == b {
		t.Error("one id behind two prefixes is one text")
	}
}

func TestPrefixGroupsOfTraceV2ShareFullBlocks(t *testing.T) {
	requests := workloadtest.Take(readFile(t, trace.TraceV2, "testdata/tracev2.csv").Replay(asRecorded, 1), -1)
	if got := workloadtest.CommonPrefix(requests[0].Prompt.FullBlocks(nil, 16), requests[2].Prompt.FullBlocks(nil, 16)); got != 2 {
		t.Errorf("prompts with a prefix of 40 tokens share %d blocks of 16 tokens, want 2", got)
	}
}

func TestFormatsAreRecognised(t *testing.T) {
	for file, want := range recognisable() {
		got, _, err := trace.RecogniseFormat(bytes.NewReader(testfile.Read(t, "testdata/"+file)), file)
		if err != nil || got != want {
			t.Errorf("%s has the format %q (%v), want %s", file, got, err, want)
		}
	}
}

// A program that has a missing number in a column writes all of them with a point.
func TestWholeNumbersMayHaveAPoint(t *testing.T) {
	for format, text := range map[trace.Format]string{
		trace.Azure:      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,100.0,7.00\n",
		trace.BurstGPT:   "Timestamp,Request tokens,Response tokens,Total tokens\n1.5,100.0,7.0,107.0\n",
		trace.GenericCSV: "arrival_ns,input_tokens,output_tokens,tenant,class,session,model,priority\n5.0,100.0,7.0,,,,,0.0\n",
		trace.TraceV2:    "request_id,client_id,input_tokens,output_tokens,arrival_time_us\n0,c,100.0,7.0,1\n",
		trace.Vidur:      "arrived_at,num_prefill_tokens,num_decode_tokens\n1,100.0,7.0\n",
	} {
		recorded, err := trace.ReadWith(format, readOptions(format), strings.NewReader(text), "t")
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		if diff := cmp.Diff([]described{plain(0, 7, 100)}, describe(recorded), cmp.AllowUnexported(described{})); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", format, diff)
		}
	}
	for _, bad := range []string{"100.", ".0", "100.5", "1e2", "100.0.0", "0x64"} {
		text := "arrived_at,num_prefill_tokens,num_decode_tokens\n1," + bad + ",7\n"
		_, err := trace.Read(trace.Vidur, strings.NewReader(text), "t")
		if want := fmt.Sprintf("t: row 2: num_prefill_tokens: must be a whole number of tokens, got %q", bad); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// zeroOutputHint is what the error of an answer of 0 tokens says of the option.
const zeroOutputHint = ": zeroOutput (--zero-output) may be Skip, which leaves such rows out, or PrefillOnly, which sends their prompts"

func TestFormatErrors(t *testing.T) {
	const (
		azure    = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
		first    = azure + "2023-11-16 18:17:03.9799600,4808,10\n"
		burst    = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
		vidur    = "arrived_at,num_prefill_tokens,num_decode_tokens\n"
		serving  = `{"timestamp_ns":5,"input_length":35,"output_length":20,"hash_ids":[0,1]}`
		bailian  = `{"chat_id": 7, "parent_chat_id": -1, "timestamp": 1.5, "input_length": 16, "output_length": 2, "hash_ids": [1]}` + "\n"
		v2       = "request_id,client_id,prefix_group,prefix_length,input_tokens,output_tokens,arrival_time_us\n"
		negative = "t: row 2: arrived_at: must not be negative, got "
	)
	for name, tc := range map[string]struct {
		format trace.Format
		text   string
		want   string
	}{
		"a header only": {trace.Azure, azure, "t: a trace without requests"},
		"no header": {trace.Azure, "2023-11-16 18:17:03.9799600,4808,10\n",
			`t: row 1: must be a header with the columns TIMESTAMP,ContextTokens,GeneratedTokens, got "2023-11-16 18:17:03.9799600,4808,10"`},
		"a column twice": {trace.Vidur, "arrived_at,num_prefill_tokens,num_decode_tokens,arrived_at\n",
			"t: row 1: arrived_at: is the name of two columns"},
		"a zone in some rows": {trace.Azure, first + "2023-11-16 18:17:04.9799600Z,4808,10\n",
			`t: row 3: TIMESTAMP: must have a zone in all rows or in none, got "2023-11-16 18:17:04.9799600Z"`},
		"a day that is none": {trace.Azure, azure + "2023-02-30 18:17:03.9799600,4808,10\n",
			`t: row 2: TIMESTAMP: must look like 2024-05-10 00:00:00.009930+00:00 and lie between the years 1970 and 2200, got "2023-02-30 18:17:03.9799600"`},
		"a year too far": {trace.Azure, azure + "9999-02-03 18:17:03.9799600,4808,10\n",
			`t: row 2: TIMESTAMP: must look like 2024-05-10 00:00:00.009930+00:00 and lie between the years 1970 and 2200, got "9999-02-03 18:17:03.9799600"`},
		"times out of order": {trace.Azure, first + "2023-11-16 18:17:03.9799599,4808,10\n",
			"t: row 3: TIMESTAMP: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a field too many": {trace.Azure, first + "2023-11-16 18:17:04.9799600,4808,10,\n",
			"t: row 3: must have the 3 fields of the header, got 4"},
		"a negative length": {trace.Azure, first + "2023-11-16 18:17:04.9799600,-1,10\n",
			`t: row 3: ContextTokens: must be a whole number of tokens, got "-1"`},
		"a length with a space": {trace.Azure, first + "2023-11-16 18:17:04.9799600, 1,10\n",
			`t: row 3: ContextTokens: must be a whole number of tokens, got " 1"`},
		"no generated tokens": {trace.Azure, first + "2023-11-16 18:17:04.9799600,1,0\n",
			"t: row 3: GeneratedTokens: must be between 1 and 10000000 tokens, got 0" + zeroOutputHint},
		"a length of millions": {trace.Azure, first + "2023-11-16 18:17:04.9799600,10000001,1\n",
			"t: row 3: ContextTokens: must be between 1 and 10000000 tokens, got 10000001"},
		"an open quote": {trace.Azure, first + "\"2023-11-16\n",
			"t: row 3: has a quoted field without its closing quote in the line"},
		"text behind a quote": {trace.Azure, first + "\"2023-11-16\" 3,4,5\n",
			"t: row 3: has text behind the closing quote of a field"},

		"a time that is no number":     {trace.Vidur, vidur + "NaN,1,1\n", `t: row 2: arrived_at: must be a decimal number of seconds, got "NaN"`},
		"an infinite time":             {trace.Vidur, vidur + "+Inf,1,1\n", `t: row 2: arrived_at: must be a decimal number of seconds, got "+Inf"`},
		"a negative time":              {trace.Vidur, vidur + "-1,1,1\n", negative + `"-1"`},
		"a negative time with a point": {trace.Vidur, vidur + "-0.5,1,1\n", negative + `"-0.5"`},
		"a time of 300 years":          {trace.Vidur, vidur + "9.5e9,1,1\n", `t: row 2: arrived_at: must be at most 292 years, got "9.5e9"`},
		"an exponent of millions":      {trace.Vidur, vidur + "1e999999,1,1\n", `t: row 2: arrived_at: must be a decimal number of seconds, got "1e999999"`},
		"a length that is a decimal":   {trace.Vidur, vidur + "1,1.5,1\n", `t: row 2: num_prefill_tokens: must be a whole number of tokens, got "1.5"`},

		"a sum that is wrong": {trace.BurstGPT, burst + "5,GPT-4,472,18,491,API log\n",
			"t: row 2: Total tokens: must be the sum of Request tokens and Response tokens, 490, got 491"},
		"failed requests": {trace.BurstGPT, burst + "5,GPT-4,472,0,472,API log\n", "t: row 2: Response tokens: must be between 1 and 10000000 tokens, got 0" + zeroOutputHint},

		"an id for the partial block": {trace.LLMServingSim, strings.Replace(serving, "0,1]", "0,1,2]", 1),
			"t: row 1: hash_ids: must have 2 ids, one for each full block of 16 tokens of input_length, got 3"},
		"no ids": {trace.LLMServingSim, strings.Replace(serving, `,"hash_ids":[0,1]`, "", 1), "t: row 1: hash_ids: is missing"},
		"a time that is a text": {trace.LLMServingSim, strings.Replace(serving, ":5", `:"5"`, 1),
			`t: row 1: timestamp_ns: must be a decimal number of nanoseconds, got "\"5\""`},

		"a chat twice": {trace.QwenBailian, bailian + bailian, "t: row 2: chat_id: must be unique, but an earlier row has 7, too"},
		"a chat that is its own parent": {trace.QwenBailian, strings.Replace(bailian, "-1", "7", 1),
			"t: row 1: parent_chat_id: must be -1 or the chat_id of an earlier row, got 7"},
		"a cycle of two": {trace.QwenBailian, strings.Replace(bailian, "-1", "8", 1) + strings.Replace(strings.Replace(bailian, "7", "8", 1), "-1", "7", 1),
			"t: row 1: parent_chat_id: must be -1 or the chat_id of an earlier row, got 8"},
		"too many ids": {trace.QwenBailian, strings.Replace(bailian, "[1]", "[1, 2]", 1),
			"t: row 1: hash_ids: must have 1 ids, one for each full block of 16 tokens of input_length, and one more at most for the rest, got 2"},

		"a prefix of millions": {trace.TraceV2, v2 + "0,c,g,10000001,1,1,5\n", "t: row 2: prefix_length: must be at most 10000000 tokens, got 10000001"},
		"a prompt of millions": {trace.TraceV2, v2 + "0,c,g,10000000,1,1,5\n", "t: row 2: input_tokens: must be between 1 and 10000000 tokens, got 10000001"},

		"a CSV without columns": {trace.GenericCSV, azure, `t: row 1: must be a header with the columns arrival_ns,input_tokens,output_tokens, got "TIMESTAMP,ContextTokens,GeneratedTokens": csv (--csv) names other columns`},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := trace.Read(tc.format, strings.NewReader(tc.text), "t")
			if recorded != nil {
				t.Error("a trace beside the error")
			}
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// endless is a line without end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	e.read += len(p)
	return len(p), nil
}

// textFormats are the formats of texts that have rows.
func textFormats() []trace.Format {
	return slices.DeleteFunc(trace.WrittenFormats(), func(f trace.Format) bool { return f == trace.Parquet })
}

// A reader ends at a line that is too long, and does not hold 300 MB first.
func TestALongLineEndsTheReading(t *testing.T) {
	for _, f := range textFormats() {
		o := trace.Options{}
		if f == trace.GenericCSV {
			o.CSV = gateway()
		}
		text := &endless{}
		_, err := trace.ReadWith(f, o, text, "t")
		if want := "t: row 1: longer than 1048576 bytes"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", f, err, want)
		}
		if text.read > 4<<20 {
			t.Errorf("%s: read %d bytes of the line", f, text.read)
		}
	}
}

func TestSortIsForRowsThatDoNotWait(t *testing.T) {
	_, err := trace.ReadWith(trace.Mooncake, trace.Options{Order: trace.Sort}, strings.NewReader(workloadtest.SessionTrace), "t")
	if want := "t: row 2: delay: may not be there where rows are sorted: it counts from the row before in the session"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A sorted trace is the same whatever the order of its rows, and keeps their blocks.
func TestSortKeepsBlocks(t *testing.T) {
	text := string(testfile.Read(t, "testdata/llmservingsim.jsonl"))
	lines := strings.SplitAfter(strings.TrimSpace(text)+"\n", "\n")
	mixed := lines[2] + lines[0] + lines[1]
	sorted, err := trace.ReadWith(trace.LLMServingSim, trace.Options{Order: trace.Sort}, strings.NewReader(mixed), "t")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(statistics(t, read(t, trace.LLMServingSim, text)), statistics(t, sorted)); diff != "" {
		t.Errorf("statistics (-in order +sorted):\n%s", diff)
	}
	if _, err := trace.Read(trace.LLMServingSim, strings.NewReader(mixed), "t"); err == nil {
		t.Error("rows out of order are read without being asked for")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	change := func(edit func(*trace.CSV)) *trace.CSV {
		c := gateway()
		edit(c)
		return c
	}
	for name, tc := range map[string]struct {
		format  trace.Format
		options trace.Options
		want    []string
	}{
		"good":                       {trace.GenericCSV, trace.Options{CSV: gateway(), Order: trace.Sort}, nil},
		"columns of another format":  {trace.Azure, trace.Options{CSV: gateway()}, []string{"trace.csv: Forbidden: may only be set for the format CSV"}},
		"an order that nobody knows": {trace.Azure, trace.Options{Order: "Down"}, []string{`trace.order: Unsupported value: "Down": supported values: "InOrder", "Sort"`}},
		"no times": {trace.GenericCSV, trace.Options{CSV: change(func(c *trace.CSV) { c.Time, c.TimeFormat = "", "Weeks" })}, []string{
			"trace.csv.time: Required value: the name of the column",
			`trace.csv.timeFormat: Unsupported value: "Weeks": supported values: "Seconds", "Milliseconds", "Microseconds", "Nanoseconds", "Timestamp"`}},
		"a column for two things": {trace.GenericCSV, trace.Options{CSV: change(func(c *trace.CSV) { c.Class = c.Tenant })}, []string{
			`trace.csv.class: Duplicate value: "team"`}},
		"a delimiter that nobody knows": {trace.GenericCSV, trace.Options{CSV: change(func(c *trace.CSV) { c.Delimiter = ";" })}, []string{
			`trace.csv.delimiter: Unsupported value: ";": supported values: "Comma", "Pipe", "Semicolon", "Tab"`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range tc.options.Validate(tc.format, field.NewPath("trace")) {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// The figures of the published trace were computed from the file without this package. The
// span counts from the first arrival, which is 47 ms after the beginning of its clock.
func TestStatisticsOfTheShareGPTTrace(t *testing.T) {
	recorded := readFile(t, trace.LLMServingSim, testdata.File(t, "traces", "llmservingsim-vllm-measured", "sharegpt-llama-3.1-8b-300-sps10.slim.jsonl"))
	s := statistics(t, recorded)
	got := []float64{float64(s.Requests), math.Round(10 * s.Span.Seconds()), math.Round(10 * s.RatePerSecond), math.Round(s.Input.Mean), math.Round(10 * s.Output.Mean)}
	if diff := cmp.Diff([]float64{300, 291, 103, 857, 6525}, got); diff != "" {
		t.Errorf("requests, tenths of a second, tenths of a request a second, tokens of prompts, tenths of tokens of answers (-want +got):\n%s", diff)
	}
}

func TestWhatIsWrittenAsVidurIsReadAgain(t *testing.T) {
	recorded := readFile(t, trace.Azure, "testdata/azure-2024.csv")
	var text bytes.Buffer
	if err := trace.WriteVidur(&text, recorded.Replay(asRecorded, 1), 10); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(describe(recorded), describe(read(t, trace.Vidur, text.String())), cmp.AllowUnexported(described{})); diff != "" {
		t.Errorf("requests (-written +read):\n%s", diff)
	}
	if err := trace.WriteVidur(failingWriter{io.ErrClosedPipe}, recorded.Replay(asRecorded, 1), 10); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v, want the error of the writer", err)
	}
}
