// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/trace/parquetfile"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// readOptions are those that a file of testdata, or one that was written, needs.
func readOptions(f trace.Format) trace.Options {
	o := trace.Options{Parquet: parquetfile.Codec{}}
	switch f {
	case trace.GenericCSV:
		columns := trace.WrittenCSV()
		o.CSV = &columns
	case trace.BurstGPT, trace.TraceV2: // whose files have failed requests
		o.ZeroOutput = trace.SkipZeroOutput
	}
	return o
}

func convert(t *testing.T, from trace.Format, text []byte, to trace.Format) ([]byte, trace.Conversion) {
	t.Helper()
	var out bytes.Buffer
	c, err := trace.Convert(from, readOptions(from), bytes.NewReader(text), "t", to, &out)
	if err != nil {
		t.Fatalf("%s to %s: %v", from, to, err)
	}
	return out.Bytes(), c
}

// replayed is a request with what it shares with those before it.
type replayed struct {
	Request described
	// Blocks are its full blocks, numbered in order of first mention over all requests.
	Blocks []int
}

func diffReplayed(want, got []replayed) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(described{}))
}

// replayAll replays a trace, with the blocks of prompts at so many tokens.
func replayAll(t *testing.T, f trace.Format, text []byte, blockTokens int) []replayed {
	t.Helper()
	recorded, err := trace.ReadWith(f, readOptions(f), bytes.NewReader(text), "t")
	if err != nil {
		t.Fatalf("%s: %v\n%s", f, err, text)
	}
	requests := workloadtest.Take(workload.AnsweredAtOnce(recorded.Replay(asRecorded, 1)), -1)
	numbers := map[uint64]int{}
	var all []replayed
	for i, d := range describe(recorded) {
		d.Extents = []int32{int32(requests[i].Prompt.Tokens())}
		r := replayed{Request: d}
		for _, id := range requests[i].Prompt.FullBlocks(nil, blockTokens) {
			if _, known := numbers[id]; !known {
				numbers[id] = len(numbers)
			}
			r.Blocks = append(r.Blocks, numbers[id])
		}
		all = append(all, r)
	}
	return all
}

// everything is a trace in which rows say all that rows can.
const everything = `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 5000000000, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9], "session": "a", "tenant": "gold \"x\", y", "class": "chat", "priority": -2, "model": "llama", "adapter": "sql"}
{"arrival_ns": 5000000123, "input_tokens": 1100, "output_tokens": 1, "blocks": [7]}
{"delay_ns": 1500000001, "input_tokens": 64, "output_tokens": 2, "blocks": [7, 9, 11], "session": "a", "tenant": "silver"}
{"arrival_ns": 7000000000, "input_tokens": 15, "output_tokens": 2, "session": "b\\"}
{"arrival_ns": 8000000000, "input_tokens": 1100, "output_tokens": 1, "blocks": [7, 8]}
`

// withoutDelays is everything with arrivals for rows that wait.
var withoutDelays = strings.Replace(everything, `"delay_ns": 1500000001`, `"arrival_ns": 6500000001`, 1)

// whatIsLost is what a conversion of everything loses, by format.
var whatIsLost = map[trace.Format][]trace.Loss{
	trace.Azure:         {{"blocks", 4}, {"session", 3}, {"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}, {"time below 100ns", 2}},
	trace.Vidur:         {{"blocks", 4}, {"session", 3}, {"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}},
	trace.BurstGPT:      {{"blocks", 4}, {"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}},
	trace.GenericCSV:    {{"blocks", 4}, {"adapter", 1}},
	trace.LLMServingSim: {{"session", 3}, {"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}},
	trace.Mooncake:      {{"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}, {"time below 1ms", 2}},
	trace.QwenBailian:   {{"tenant", 2}, {"class", 1}, {"priority", 1}, {"model", 1}, {"adapter", 1}},
	trace.TraceV2:       {{"blocks", 4}, {"priority", 1}, {"time below 1µs", 2}},
	trace.Parquet:       nil,
	trace.Windtunnel:    nil,
}

// whatIsAdded is what a conversion of everything adds, by format. The prompt of 15 tokens has no
// full block, and that of 40 tokens names all of its full blocks.
var whatIsAdded = map[trace.Format][]trace.Addition{
	trace.LLMServingSim: {{"ids of blocks that no other row has", 3}},
	trace.Mooncake:      {{"ids of blocks that no other row has", 2}},
	trace.QwenBailian:   {{"session", 2}, {"ids of blocks that no other row has", 3}},
}

func TestConversionsSayWhatTheyLoseAndAdd(t *testing.T) {
	for _, f := range trace.WrittenFormats() {
		_, c := convert(t, trace.Windtunnel, []byte(withoutDelays), f)
		if diff := cmp.Diff(whatIsLost[f], c.Lost); diff != "" || c.Requests != 5 {
			t.Errorf("%s: %d requests, lost, which whatIsLost lists (-want +got):\n%s", f, c.Requests, diff)
		}
		if diff := cmp.Diff(whatIsAdded[f], c.Added); diff != "" {
			t.Errorf("%s: added, which whatIsAdded lists (-want +got):\n%s", f, diff)
		}
	}
}

// A row that says nothing says nothing after a conversion there and back, but for what is added.
func TestConversionsAddNothingElse(t *testing.T) {
	const plain = `{"windtunnel_trace": 1}
{"arrival_ns": 0, "input_tokens": 1100, "output_tokens": 1}
{"arrival_ns": 1000000000, "input_tokens": 1024, "output_tokens": 2}
`
	for _, carriage := range trace.Carriages() {
		there, c := convert(t, trace.Windtunnel, []byte(plain), carriage.Format)
		back, _ := convert(t, carriage.Format, there, trace.Windtunnel)
		for _, a := range c.Added {
			if !slices.Contains(carriage.Adds, a.What) || a.Rows != 2 {
				t.Errorf("%s: adds %+v, want some of %q to 2 rows", carriage.Format, a, carriage.Adds)
			}
		}
		_, rows, _ := strings.Cut(string(back), "\n") // behind the header
		if added := len(c.Added) > 0; added == strings.HasSuffix(plain, "\n"+rows) || len(c.Added) != len(carriage.Adds) {
			t.Errorf("%s: adds %v of %q, and the rows become\n%s", carriage.Format, c.Added, carriage.Adds, back)
		}
	}
}

// A trace that is converted and replayed has the requests of the trace that is replayed,
// but for what the format does not carry.
func TestConvertedTracesReplayTheSameRequests(t *testing.T) {
	for _, c := range trace.Carriages() {
		t.Run(string(c.Format), func(t *testing.T) {
			text, _ := convert(t, trace.Windtunnel, []byte(withoutDelays), c.Format)
			blockTokens := max(16, c.BlockTokens)
			want, got := replayAll(t, trace.Windtunnel, []byte(withoutDelays), blockTokens), replayAll(t, c.Format, text, blockTokens)
			for i := range want {
				forget(&want[i], c)
				if c.Format == trace.QwenBailian { // each row is a chat, which names its session
					want[i].Request.Session, got[i].Request.Session = 0, 0
				}
			}
			if slices.Contains(c.Lost, "blocks") {
				for i := range want {
					want[i].Blocks, got[i].Blocks = nil, nil
				}
			}
			if diff := diffReplayed(want, got); diff != "" {
				t.Errorf("requests (-of the trace +of the converted one):\n%s\n%s", diff, text)
			}
		})
	}
}

// forget takes from a request what a format does not carry.
func forget(r *replayed, c trace.Carriage) {
	r.Request.Arrival -= r.Request.Arrival % simtime.Time(c.Tick)
	for _, lost := range c.Lost {
		switch lost {
		case "session":
			r.Request.Session = 0
		case "tenant":
			r.Request.Tenant = workload.DefaultLabel
		case "class":
			r.Request.Class = workload.DefaultLabel
		case "priority":
			r.Request.Priority = 0
		case "model":
			r.Request.Model = ""
		case "adapter":
			r.Request.Adapter = ""
		}
	}
}

// Converting the file of each format to our own and back gives the same requests.
func TestFormatsSurviveTheWayThroughOurOwn(t *testing.T) {
	for file, f := range recognisable() {
		t.Run(file, func(t *testing.T) {
			original := testfile.Read(t, "testdata/"+file)
			own, lost := convert(t, f, original, trace.Windtunnel)
			if len(lost.Lost) > 0 {
				t.Errorf("lost %v", lost.Lost)
			}
			want := replayAll(t, f, original, 16)
			if diff := diffReplayed(want, replayAll(t, trace.Windtunnel, own, 16)); diff != "" {
				t.Errorf("requests (-of the trace +of our own format):\n%s\n%s", diff, own)
			}
			if f == trace.TraceV2 || !slices.Contains(trace.WrittenFormats(), f) { // TraceV2 has prefix groups, which blocks do not become again
				return
			}
			back, lost := convert(t, trace.Windtunnel, own, f)
			if len(lost.Lost) > 0 {
				t.Errorf("lost on the way back: %v", lost.Lost)
			}
			if diff := diffReplayed(want, replayAll(t, f, back, 16)); diff != "" {
				t.Errorf("requests (-of the trace +after both ways):\n%s\n%s", diff, back)
			}
		})
	}
}

func TestRowsThatWaitNeedAFormatThatCarriesThem(t *testing.T) {
	for _, c := range trace.Carriages() {
		var out bytes.Buffer
		_, err := trace.Convert(trace.Windtunnel, readOptions(trace.Windtunnel), strings.NewReader(everything), "t", c.Format, &out)
		want := "<nil>"
		if slices.Contains(c.Lost, "delay") {
			want = fmt.Sprintf("t: row 4: request 3 waits for an answer and has no arrival, which the format %s does not carry: use Mooncake or Parquet or Windtunnel", c.Format)
		}
		if fmt.Sprint(err) != want {
			t.Errorf("%s: got %v, want %s", c.Format, err, want)
		}
	}
	for _, f := range []trace.Format{trace.Parquet, trace.Windtunnel} {
		text, _ := convert(t, trace.Windtunnel, []byte(everything), f)
		if diff := diffReplayed(replayAll(t, trace.Windtunnel, []byte(everything), 16), replayAll(t, f, text, 16)); diff != "" {
			t.Errorf("%s: requests (-of the trace +of the converted one):\n%s", f, diff)
		}
	}
}

func TestConversionSorts(t *testing.T) {
	const unsorted = "arrived_at,num_prefill_tokens,num_decode_tokens\n2,20,2\n1,10,1\n3.5,30,3\n"
	var out bytes.Buffer
	if _, err := trace.Convert(trace.Vidur, trace.Options{Order: trace.Sort}, strings.NewReader(unsorted), "t", trace.Vidur, &out); err != nil {
		t.Fatal(err)
	}
	const want = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,1\n1,20,2\n2.5,30,3\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// Blocks of other sizes are shared where whole blocks of that size are.
func TestConversionToLargerBlocks(t *testing.T) {
	text := `{"windtunnel_trace": 1, "block_tokens": 200}
{"arrival_ns": 0, "input_tokens": 1100, "output_tokens": 1, "blocks": [1, 2, 3, 4, 5]}
{"arrival_ns": 1, "input_tokens": 1100, "output_tokens": 1, "blocks": [1, 2, 3, 6, 7]}
{"arrival_ns": 2, "input_tokens": 1100, "output_tokens": 1, "blocks": [1, 2]}
`
	mooncake, _ := convert(t, trace.Windtunnel, []byte(text), trace.Mooncake)
	var got [][]int
	for _, r := range replayAll(t, trace.Mooncake, mooncake, 512) {
		got = append(got, r.Blocks)
	}
	if diff := cmp.Diff([][]int{{0, 1}, {0, 2}, {3, 4}}, got); diff != "" {
		t.Errorf("blocks of 512 tokens (-want +got):\n%s", diff)
	}
}

func TestWindtunnelErrors(t *testing.T) {
	const (
		header = `{"windtunnel_trace": 1, "block_tokens": 16}` + "\n"
		row    = `{"arrival_ns": 5, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9]}`
	)
	for name, tc := range map[string]struct{ text, want string }{
		"a version to come":      {`{"windtunnel_trace": 2}` + "\n" + row, "t: row 1: windtunnel_trace: must be the version 1, got 2"},
		"no version":             {`{"block_tokens": 2}`, "t: row 1: windtunnel_trace: is missing"},
		"a block of nothing":     {`{"windtunnel_trace": 1, "block_tokens": 0}`, "t: row 1: block_tokens: must be between 1 and 1048576 tokens, got 0"},
		"no requests":            {header, "t: a trace without requests"},
		"an unknown field":       {header + `{"arrival": 5}`, `t: row 2: unknown field "arrival"`},
		"no arrival":             {header + `{"input_tokens": 4, "output_tokens": 1}`, "t: row 2: arrival_ns: is missing"},
		"no output":              {header + `{"arrival_ns": 4, "input_tokens": 1}`, "t: row 2: output_tokens: is missing"},
		"a negative arrival":     {header + strings.Replace(row, "5", "-5", 1), "t: row 2: arrival_ns: must not be negative, got -5"},
		"too many blocks":        {header + strings.Replace(row, "7,", "7, 8,", 1), "t: row 2: blocks: must have at most 2 ids, one for each full block of 16 tokens of input_tokens, got 3"},
		"an empty name":          {header + strings.Replace(row, "}", `, "tenant": ""}`, 1), "t: row 2: tenant: must have 1 to 253 bytes, got 0"},
		"a name without end":     {header + `{"tenant": "\"}`, "t: row 2: tenant: is a string without its closing quote"},
		"a name that is none":    {header + `{"tenant": "\x"}`, "t: row 2: tenant: is not a string of JSON"},
		"a priority too high":    {header + strings.Replace(row, "}", `, "priority": 1000001}`, 1), "t: row 2: priority: must be between -1000000 and 1000000, got 1000001"},
		"arrivals out of order":  {header + row + "\n" + strings.Replace(row, "5", "4", 1), "t: row 3: arrival_ns: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a delay and no session": {header + strings.Replace(row, "arrival", "delay", 1), "t: row 2: delay_ns: needs a session: it counts from the end of the session's request before"},
		"a time of centuries":    {header + strings.Replace(row, "5", "9000000000000000001", 1), "t: row 2: arrival_ns: must be at most 9000000000000000000 ns, got 9000000000000000001"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := trace.Read(trace.Windtunnel, strings.NewReader(tc.text), "t")
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
