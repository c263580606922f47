// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// asked is what an agent asks.
type asked struct {
	At      string
	Input   int
	Output  int
	Session int32
	Model   string
}

// agents replays what agents ask, where each answer takes a time.
func agents(t *testing.T, format trace.Format, text []byte, latency func(workload.Request) (time.Duration, workload.Ending)) []asked {
	t.Helper()
	recorded, err := trace.Read(format, bytes.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	source := recorded.Replay(asRecorded, 1)
	var all []asked
	for _, r := range workloadtest.Serve(source, 100, latency) {
		a := asked{At: time.Duration(r.Arrival).String(), Input: r.Prompt.Tokens(), Output: r.OutputTokens, Session: r.Session}
		if r.Model > 0 {
			a.Model = source.Labels().Models[r.Model-1]
		}
		all = append(all, a)
	}
	return all
}

// recordedTimes makes each answer take as long as it was recorded, by the length of its prompt.
func recordedTimes(seconds map[int]float64) func(workload.Request) (time.Duration, workload.Ending) {
	return func(r workload.Request) (time.Duration, workload.Ending) {
		return time.Duration(seconds[r.Prompt.Tokens()] * 1e9), workload.Completed
	}
}

// With the recorded times, each request comes when it was recorded. With answers that come at once, what is left are the
// waits: the first agent begins at 0 and its answer ends at 0. Agent a1 comes 2.5−2.0 = 0.5 s later and asks again
// 5.0−4.0 = 1 s after its answer, at 1.5 s. Agent a2, at 3.0+0.5 = 3.5 s in the file, comes 1.5 s after the first answer; nobody
// waits for it, as its duration is null. The second request waits 9.5−8.5 = 1 s for a1, so 2.5 s. The third one comes
// 14−10.5 = 3.5 s after that, at 6 s. The other session begins at 1 s in any case.
func TestAgentsOfWeka(t *testing.T) {
	text := testfile.Read(t, "testdata/weka.jsonl")
	recorded := agents(t, trace.Weka, text, recordedTimes(map[int]float64{200: 2, 130: 1.5, 260: 3.5, 140: 2, 330: 1, 100: 0.5}))
	want := []asked{
		{"0s", 200, 40, 1, "big"}, {"1s", 100, 5, 2, "big"}, {"2.5s", 130, 10, 3, "small"}, {"3.5s", 140, 15, 4, "small"},
		{"5s", 260, 20, 3, "small"}, {"9.5s", 330, 30, 1, "big"}, {"14s", 400, 30, 1, "big"},
	}
	if diff := cmp.Diff(want, recorded); diff != "" {
		t.Errorf("as recorded (-want +got):\n%s", diff)
	}
	atOnce := agents(t, trace.Weka, text, workloadtest.Completed(0))
	want = []asked{
		{"0s", 200, 40, 1, "big"}, {"500ms", 130, 10, 3, "small"}, {"1s", 100, 5, 2, "big"}, {"1.5s", 140, 15, 4, "small"},
		{"1.5s", 260, 20, 3, "small"}, {"2.5s", 330, 30, 1, "big"}, {"6s", 400, 30, 1, "big"},
	}
	if diff := cmp.Diff(want, atOnce); diff != "" {
		t.Errorf("answered at once (-want +got):\n%s", diff)
	}
}

// Ids are local to a session: block 1 of the second one is another. Within the first, the agents share two blocks of 64
// tokens twice (a1 again, and a2), and the first agent has 3 and then 5 blocks again: (2+2+3+5)·64 = 768 of 1,560 tokens.
func TestReuseOfWeka(t *testing.T) {
	recorded, err := trace.Read(trace.Weka, bytes.NewReader(testfile.Read(t, "testdata/weka.jsonl")), "t")
	if err != nil {
		t.Fatal(err)
	}
	s := statistics(t, recorded)
	if s.Requests != 7 || s.Waiting != 5 || s.InputTokens != 1560 || s.ReusableTokens != 768 {
		t.Errorf("%d requests, of which %d wait, %d of %d tokens reusable; want 7, 5, 768 of 1560", s.Requests, s.Waiting, s.ReusableTokens, s.InputTokens)
	}
	// The waits are 0.5, 1.5, 1, 1 and 3.5 s.
	if s.MeanDelay != 1500*time.Millisecond {
		t.Errorf("waits of %s on average, want 1.5 s", s.MeanDelay)
	}
}

// The answer to the plan is expected after 100 ms, and the tools take 450 ms at most: the second request waits 450 ms. Both
// prompts begin with the same 64 bytes, which are a block of 16 tokens.
func TestAgentsOfAIBrix(t *testing.T) {
	text := testfile.Read(t, "testdata/aibrix.jsonl")
	want := []asked{{"0s", 18, 6, 1, ""}, {"0s", 5, 9, 2, ""}, {"2.45s", 24, 8, 1, ""}}
	if diff := cmp.Diff(want, agents(t, trace.AIBrix, text, workloadtest.Completed(2*time.Second))); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	recorded, err := trace.Read(trace.AIBrix, bytes.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	if s := statistics(t, recorded); s.ReusableTokens != 16 {
		t.Errorf("%d tokens are reusable, want 16", s.ReusableTokens)
	}
}

// The helper begins 0.2 s after the first answer, and the second request comes 0.3 s after the helper's: with answers after 1 s,
// at 1.2 s and at 1.2+1+0.3 = 2.5 s. Of 688 cached tokens, all 43 blocks of 16 are of the first prompt.
func TestAgentsOfOTel(t *testing.T) {
	text := testfile.Read(t, "testdata/otel.jsonl")
	want := []asked{{"0s", 700, 30, 1, "m"}, {"1.2s", 100, 10, 2, ""}, {"2.5s", 900, 40, 1, "m"}}
	if diff := cmp.Diff(want, agents(t, trace.OTel, text, workloadtest.Completed(time.Second))); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	recorded, err := trace.Read(trace.OTel, bytes.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	if s := statistics(t, recorded); s.ReusableTokens != 688 {
		t.Errorf("%d tokens are reusable, want 688", s.ReusableTokens)
	}
}

// Without agents inside, a tool's time is the wait: a chat of 2.0 to 2.6 s, and the next one at 4.1 s.
func TestToolGapsOfOTel(t *testing.T) {
	const flat = `{"trace_id": "a", "span_id": "%d", "start_time": "2026-01-01T00:00:%s", "end_time": "2026-01-01T00:00:%s", "attributes": {"gen_ai.operation.name": "%s", "gen_ai.usage.input_tokens": %d, "gen_ai.usage.output_tokens": 5}}` + "\n"
	var spans []string
	for i, s := range [][3]string{{"02.0", "02.6", "chat"}, {"02.6", "04.1", "execute_tool"}, {"04.1", "05.0", "chat"}} {
		spans = append(spans, fmt.Sprintf(flat, i, s[0], s[1], s[2], 700+100*i))
	}
	object := `{"trace_id": "a", "spans": [` + strings.Join(spans, ",") + `]}`
	for name, text := range map[string]string{"a span a line": strings.Join(spans, ""), "an object": object, "an array": "[" + strings.Join(spans, ",") + "]"} {
		want := []asked{{"0s", 700, 5, 1, ""}, {"2.5s", 900, 5, 1, ""}}
		if diff := cmp.Diff(want, agents(t, trace.OTel, []byte(text), workloadtest.Completed(time.Second))); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", name, diff)
		}
	}
}

// Without counts, a length is that of the text: 100 bytes are 25 tokens, and 10 bytes are 3. Prompts with texts share what
// they begin with: 64 bytes are a block of 16 tokens.
func TestLengthsAndPrefixesOfTexts(t *testing.T) {
	prompt := strings.Repeat("abcdefghij", 10)
	span := func(id string, at int, prompt string) string {
		return fmt.Sprintf(`{"traceId": "t", "spanId": %q, "startTimeUnixNano": %d, "endTimeUnixNano": %d, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": %q, "gen_ai.output.text": "0123456789"}}`+"\n", id, at, at+1, prompt)
	}
	recorded, err := trace.Read(trace.OTel, strings.NewReader(span("a", 10, prompt)+span("b", 20, prompt+"kl")), "t")
	if err != nil {
		t.Fatal(err)
	}
	s := statistics(t, recorded)
	if s.Input.Min != 25 || s.Input.Max != 26 || s.Output.Max != 3 || s.ReusableTokens != 16 {
		t.Errorf("prompts of %d and %d tokens, answers of %d, %d tokens reusable; want 25, 26, 3 and 16", s.Input.Min, s.Input.Max, s.Output.Max, s.ReusableTokens)
	}
	if want := "2 requests have no numbers of tokens: their lengths are those of their texts, at 4 bytes a token"; recorded.Warning() != want {
		t.Errorf("warning %q, want %q", recorded.Warning(), want)
	}
}

// What is read of agents is the same when it is written as Windtunnel and read again, whatever answers take.
func TestAgentsSurviveAConversion(t *testing.T) {
	for format, file := range map[trace.Format]string{trace.Weka: "weka.jsonl", trace.AIBrix: "aibrix.jsonl", trace.OTel: "otel.jsonl", trace.TraceLab: "tracelab.jsonl"} {
		text := testfile.Read(t, "testdata/"+file)
		written, c := convert(t, format, text, trace.Windtunnel)
		if len(c.Lost) > 0 {
			t.Errorf("%s loses %v", format, c.Lost)
		}
		for _, seconds := range []time.Duration{0, 1, 3} {
			want, got := agents(t, format, text, workloadtest.Completed(seconds*time.Second)), agents(t, trace.Windtunnel, written, workloadtest.Completed(seconds*time.Second))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, answers after %d s (-of the trace +written again):\n%s", format, seconds, diff)
			}
		}
		again, _ := convert(t, trace.Windtunnel, written, trace.Windtunnel)
		if diff := cmp.Diff(string(written), string(again)); diff != "" {
			t.Errorf("%s: written twice (-once +twice):\n%s", format, diff)
		}
	}
}

// A session without agents of its own is a chain, which Mooncake can say.
func TestAChainOfWekaIsOneOfMooncake(t *testing.T) {
	const chain = `{"id":"s1","models":[],"block_size":512,"requests":[{"t":0,"type":"n","in":600,"out":12,"hash_ids":[1],"api_time":3.1},{"t":9.5,"type":"s","in":1200,"out":8,"hash_ids":[1,2],"api_time":2.0,"think_time":1.5}]}`
	written, _ := convert(t, trace.Weka, []byte(chain), trace.Mooncake)
	if !strings.Contains(string(written), `"delay": 6400`) {
		t.Errorf("no delay of 9.5−3.1 = 6.4 s:\n%s", written)
	}
}

// Requests without api_time end a think time before the next one.
func TestAnAnswerWithoutATimeEndsBeforeSomebodyThinks(t *testing.T) {
	const text = `{"id":"s","block_size":64,"requests":[{"t":0,"type":"n","in":10,"out":1},{"t":5,"type":"n","in":20,"out":1,"think_time":2}]}`
	got := agents(t, trace.Weka, []byte(text), workloadtest.Completed(time.Second))
	if diff := cmp.Diff([]asked{{"0s", 10, 1, 1, ""}, {"3s", 20, 1, 1, ""}}, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// The answer comes after 1 s. Requests of one time are in the order of the file, also of several sessions. 100,000 events
// lead from the second request to the first one, which comes 9−4 = 5 s before it. No time after an answer is the next ns.
func TestWaitsOfAIBrix(t *testing.T) {
	const first = `{"timestamp": 4000, "requests": [{"prompt_length": 10, "output_length": 5, "session_id": "a", "agent": {"node_id": "e0"}}]}` + "\n"
	var events strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&events, `,{"node_id": "e%d", "parent_ids": ["e%d"]}`, i+1, i)
	}
	for name, tc := range map[string]struct {
		text string
		want []asked
	}{
		"a long line of events": {
			first + `{"timestamp": 9000, "requests": [{"prompt_length": 20, "output_length": 5, "session_id": "a", "agent": {"node_id": "r", "parent_ids": ["e100000"]}}], "events": [` + events.String()[1:] + "]}",
			[]asked{{"0s", 10, 5, 1, ""}, {"6s", 20, 5, 1, ""}},
		},
		"a parent of the same time in another session": {
			first + `{"timestamp": 9000, "requests": [{"prompt_length": 20, "output_length": 5, "session_id": "b", "agent": {"node_id": "p"}},` +
				`{"prompt_length": 30, "output_length": 5, "session_id": "a", "agent": {"node_id": "c", "parent_ids": ["p"]}}]}`,
			[]asked{{"0s", 10, 5, 1, ""}, {"5s", 20, 5, 2, ""}, {"6.000000001s", 30, 5, 1, ""}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, agents(t, trace.AIBrix, []byte(tc.text), workloadtest.Completed(time.Second))); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// Two requests under agents, the second of which begins 2 s after the first answer, come at 0 and, after an answer of
// 1 s, at 3 s.
func TestSpansOfOTel(t *testing.T) {
	const (
		counts = `"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":%d,"gen_ai.usage.output_tokens":5`
		flat   = `{"traceId":"t","spanId":"%s","parentSpanId":"r","startTimeUnixNano":%d000000000,"endTimeUnixNano":%d000000000,"attributes":{` + counts + `}}`
		python = `{"name":"chat","context":{"trace_id":"0x1","span_id":"%s","trace_state":"[]"},"parent_id":"0xa","start_time":"2026-01-01T00:00:%02d.000000Z","end_time":"2026-01-01T00:00:%02d.000000Z","status":{"status_code":"UNSET"},"attributes":{` + counts + `}}`
		agent  = `{"context":{"trace_id":"0x1","span_id":"%s"},"parent_id":%s,"start_time":"2026-01-01T00:00:00Z","end_time":"2026-01-01T00:00:09Z","attributes":{"gen_ai.operation.name":"invoke_agent"}}`
		root   = `{"traceId":"t","spanId":"r","startTimeUnixNano":1000000000,"endTimeUnixNano":9000000000%s}`
	)
	two := func(span string) string {
		return fmt.Sprintf(span, "0xb", 2, 3, 700) + "\n" + fmt.Sprintf(span, "0xc", 5, 6, 900) + "\n"
	}
	for name, text := range map[string]string{
		"a span without attributes":     fmt.Sprintf(root, "") + two(flat),
		"a span with null attributes":   fmt.Sprintf(root, `,"attributes":null`) + two(flat),
		"an export with such a span":    `{"resourceSpans":[{"scopeSpans":[{"spans":[` + fmt.Sprintf(root, "") + "," + strings.Replace(strings.TrimSpace(two(flat)), "\n", ",", 1) + `]}]}]}`,
		"the SDK of Python":             two(python),
		"an agent of the SDK of Python": fmt.Sprintf(agent, "0xa", "null") + two(python),
	} {
		t.Run(name, func(t *testing.T) {
			want := []asked{{"0s", 700, 5, 1, ""}, {"3s", 900, 5, 1, ""}}
			if diff := cmp.Diff(want, agents(t, trace.OTel, []byte(text), workloadtest.Completed(time.Second))); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
	// The second agent's parent is the first one: its request is of a session of its own.
	nested := fmt.Sprintf(agent, "0x0", "null") + fmt.Sprintf(agent, "0xa", `"0x0"`) + fmt.Sprintf(python, "0xd", 2, 3, 700) +
		fmt.Sprintf(strings.Replace(python, "0xa", "0x0", 1), "0xe", 5, 6, 900)
	want := []asked{{"0s", 700, 5, 1, ""}, {"3s", 900, 5, 2, ""}}
	if diff := cmp.Diff(want, agents(t, trace.OTel, []byte(nested), workloadtest.Completed(time.Second))); diff != "" {
		t.Errorf("a nested agent (-want +got):\n%s", diff)
	}
}

// The first answer takes 1 s, as recorded. A subagent's times count from its beginning if the first one is before it by more than
// a rounding: times of 0, 3, 6 and 8 s after 5 s are 5, 8, 11 and 13 s, also where 6 is above 5. A time of 100.499999 s is no
// time from 100.5 s on.
func TestTimesOfASubagentOfWeka(t *testing.T) {
	const text = `{"id":"s","block_size":64,"requests":[{"t":0,"type":"n","in":100,"out":5,"api_time":1},{"t":%s,"type":"subagent","agent_id":"a","duration_ms":9000,"requests":[%s]}]}`
	for name, tc := range map[string]struct {
		begin string
		times []string
		want  []string
	}{
		"all from the beginning": {"5", []string{"0", "3", "6", "8"}, []string{"0s", "5s", "8s", "11s", "13s"}},
		"rounded":                {"100.5", []string{"100.499999", "102"}, []string{"0s", "1m40.499999s", "1m42s"}},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []string
			for _, at := range tc.times {
				requests = append(requests, `{"t":`+at+`,"type":"n","in":100,"out":5,"api_time":1}`)
			}
			var got []string
			for _, a := range agents(t, trace.Weka, fmt.Appendf(nil, text, tc.begin, strings.Join(requests, ",")), workloadtest.Completed(time.Second)) {
				got = append(got, a.At)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("times (-want +got):\n%s", diff)
			}
		})
	}
}

// 300 calls run before 300 others, for each of which a call and its span take some 0.5 KB: less than 1 MiB while they grow. Lists
// of 300 calls each that are equal are one. Lists of 1 to 300 calls have 300·301/2·8 = 361 KB, 813 KB while they grow. A JSON value
// may have an eighth of the memory: 512 KiB of 4 MiB.
func TestFilesOfAgentsKeepToTheirMemory(t *testing.T) {
	calls := func(stagger int) string {
		var spans strings.Builder
		for i := range 600 {
			start, end := 0, 1000+stagger*i
			if i >= 300 {
				start, end = 1000+stagger*(i-300), 9000
			}
			fmt.Fprintf(&spans, `{"traceId":"t","spanId":"%d","startTimeUnixNano":%d,"endTimeUnixNano":%d,"attributes":{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":9,"gen_ai.usage.output_tokens":1}}`+"\n", i, start, end)
		}
		return spans.String()
	}
	session := func(id, padding int) string {
		return fmt.Sprintf(`{"id":"%d","block_size":64,"requests":[{"t":0,"type":"n","in":9,"out":1}],"padding":%q}`, id, strings.Repeat("a", padding))
	}
	var list []string
	for i := range 64 {
		list = append(list, session(i, 100_000))
	}
	for name, tc := range map[string]struct {
		format trace.Format
		text   string
		memory int64
		want   string // part of the error
	}{
		"equal lists of waits":       {trace.OTel, calls(0), 1 << 20, ""},
		"lists of waits that differ": {trace.OTel, calls(1), 1 << 20, "MiB of memory up to here"},
		"a long array":               {trace.Weka, "[" + strings.Join(list, ",") + "]", 4 << 20, ""},
		"a long value":               {trace.Weka, session(1, 1<<20), 4 << 20, "row 1: is longer than 524288 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := trace.Convert(tc.format, trace.Options{MemoryBytes: tc.memory}, strings.NewReader(tc.text), "t", trace.Windtunnel, io.Discard)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// The file has two sessions in the order of no time: one of three rounds, with 5 s for a tool and 10 s for a user between them, and one of
// one round. Of 128 tokens that both had cached first, 640 and 130 of the later prompts, whole blocks of 16 are shared: 128 of
// the second session, 640 and 128.
func TestAgentsOfTraceLab(t *testing.T) {
	recorded, err := trace.Read(trace.TraceLab, bytes.NewReader(testfile.Read(t, "testdata/tracelab.jsonl")), "t")
	if err != nil {
		t.Fatal(err)
	}
	s, err := recorded.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	if s.Requests != 4 || s.Waiting != 2 || s.MeanDelay != 7500*time.Millisecond || s.InputTokens != 640+300+200+720 || s.ReusableTokens != 128+640+128 {
		t.Errorf("%d requests, of which %d wait and come %s after answers, with %d tokens, of which %d are reusable; want 4, 2, 7.5s, 1860, 896",
			s.Requests, s.Waiting, s.MeanDelay, s.InputTokens, s.ReusableTokens)
	}
	want := []asked{{"0s", 640, 40, 1, "m"}, {"1.5s", 300, 7, 2, "m"}, {"7s", 720, 30, 1, "m"}, {"20s", 200, 9, 1, "m"}}
	got := agents(t, trace.TraceLab, testfile.Read(t, "testdata/tracelab.jsonl"), recordedTimes(map[int]float64{640: 2, 300: 1.5, 720: 3, 200: 1}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("as recorded (-want +got):\n%s", diff)
	}
}
