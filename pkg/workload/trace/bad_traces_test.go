// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// goodFiles are small files in testdata of each format with rows, but for those that everything is
// written in.
var goodFiles = map[trace.Format]string{
	trace.Azure: "azure-2024.csv", trace.BurstGPT: "burstgpt.csv", trace.GenericCSV: "gateway.csv", trace.Vidur: "vidur.csv",
	trace.LLMServingSim: "llmservingsim.jsonl", trace.Mooncake: "mooncake.jsonl", trace.QwenBailian: "qwen-bailian.jsonl",
	trace.TraceV2: "tracev2.csv", trace.Weka: "weka.jsonl", trace.AIBrix: "aibrix.jsonl", trace.OTel: "otel.jsonl", trace.AccessLog: "access-log.jsonl",
	trace.TraceLab: "tracelab.jsonl",
}

// recognisable are the files in testdata whose beginning says their format: no format begins as a
// CSV of any columns does.
func recognisable() map[string]trace.Format {
	files := map[string]trace.Format{"azure.csv": trace.Azure}
	for f, file := range goodFiles {
		if f != trace.GenericCSV {
			files[file] = f
		}
	}
	return files
}

// goodFile is a file of a format, and the options to read it with.
func goodFile(t *testing.T, f trace.Format) (string, trace.Options) {
	t.Helper()
	o := readOptions(f)
	switch f {
	case trace.Parquet:
		text, _ := convert(t, trace.Windtunnel, []byte(everything), f)
		return string(text), o
	case trace.Windtunnel:
		return everything, o
	case trace.GenericCSV:
		o.CSV, o.Order = gateway(), trace.Sort
	}
	return string(readGoodFile(t, f)), o
}

func readGoodFile(t testing.TB, f trace.Format) []byte {
	t.Helper()
	if goodFiles[f] == "" {
		t.Fatalf("goodFiles has no file of the format %s", f)
	}
	return testfile.Read(t, "testdata/"+goodFiles[f])
}

// Each fault is refused with the file, the row and the field.
func TestBadTracesNameTheRowAndTheField(t *testing.T) {
	const (
		azure    = "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:01+00:00,10,5\n"
		burst    = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,GPT-4,10,5,15,API log\n"
		gate     = "when;team;level;chat;target;rank;prompt;completion\n2026-01-01T10:00:05Z;a;b;c;d;1;10;5\n"
		serving  = `{"timestamp_ns": 5, "input_length": 10, "output_length": 5, "hash_ids": []}` + "\n"
		mooncake = `{"timestamp": 5, "input_length": 10, "output_length": 5, "hash_ids": [1]}` + "\n"
		bailian  = `{"chat_id": 7, "parent_chat_id": -1, "timestamp": 5, "input_length": 10, "output_length": 5, "hash_ids": []}` + "\n"
		v2       = "request_id,client_id,prefix_group,prefix_length,input_tokens,output_tokens,arrival_time_us\n0,c,,0,10,5,5\n"
		weka     = `{"id":"s","block_size":64,"requests":[{"t":1,"type":"n","in":10,"out":5,"hash_ids":[3]}]}` + "\n"
		tracelab = `{"session_id":"s","round_index":0,"input_tokens_total":10,"prefix_tokens":5,"output_tokens":5,"timing_events":[{"timestamp":"2026-08-25T10:00:00Z"}]}` + "\n"
		aibrix   = `{"timestamp": 5, "requests": [{"prompt_length": 10, "output_length": 5, "agent": {"node_id": "a", "parent_ids": []}}]}` + "\n"
		otel     = `{"trace_id": "t", "span_id": "a", "start_time": 5, "end_time": 9, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}}` + "\n"
		access   = `{"start_time": "2026-11-28T09:00:00Z", "duration": 5, "response_code": 200, "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}` + "\n"
		vidur    = "arrived_at,num_prefill_tokens,num_decode_tokens\n5,10,5\n"
		own      = `{"windtunnel_trace": 1, "block_tokens": 16}` + "\n" + `{"arrival_ns": 5, "input_tokens": 10, "output_tokens": 5}` + "\n"
	)
	type fault struct {
		name, text, want string
	}
	for format, faults := range map[trace.Format][]fault{
		trace.Azure: {
			{"wrong header", strings.Replace(azure, "ContextTokens", "Tokens", 1), `row 1: must be a header with the columns TIMESTAMP,ContextTokens,GeneratedTokens, got "TIMESTAMP,Tokens,GeneratedTokens"`},
			{"NaN", azure + "2024-05-10 00:00:02+00:00,NaN,5\n", `row 3: ContextTokens: must be a whole number of tokens, got "NaN"`},
			{"negative", azure + "2024-05-10 00:00:02+00:00,10,-5\n", `row 3: GeneratedTokens: must be a whole number of tokens, got "-5"`},
			{"unordered", azure + "2024-05-10 00:00:00+00:00,10,5\n", `row 3: TIMESTAMP: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.BurstGPT: {
			{"wrong header", "Time" + burst, `row 1: must be a header with the columns Timestamp,Request tokens,Response tokens,Total tokens, got "TimeTimestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"`},
			{"NaN", burst + "NaN,GPT-4,10,5,15,API log\n", `row 3: Timestamp: must be a decimal number of seconds, got "NaN"`},
			{"negative", burst + "6,GPT-4,-10,5,15,API log\n", `row 3: Request tokens: must be a whole number of tokens, got "-10"`},
			{"unordered", burst + "4,GPT-4,10,5,15,API log\n", `row 3: Timestamp: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.GenericCSV: {
			{"wrong header", strings.Replace(gate, "prompt", "tokens", 1), `row 1: must be a header with the columns when;prompt;completion;team;level;chat;target;rank, got "when;team;level;chat;target;rank;tokens;completion"`},
			{"NaN", gate + "NaN;a;b;c;d;1;10;5\n", `row 3: when: must look like 2024-05-10 00:00:00.009930+00:00 and lie between the years 1970 and 2200, got "NaN"`},
			{"negative", gate + "2026-01-01T10:00:05Z;a;b;c;d;1;-10;5\n", `row 3: prompt: must be a whole number of tokens, got "-10"`},
		},
		trace.LLMServingSim: {
			{"wrong header", azure, `row 1: must be a JSON object`},
			{"NaN", serving + strings.Replace(serving, "5,", "NaN,", 1), `row 2: timestamp_ns: must be a decimal number of nanoseconds, got "NaN"`},
			{"negative", serving + strings.Replace(serving, "10", "-10", 1), `row 2: input_length: must not be negative, got -10`},
			{"unordered", serving + strings.Replace(serving, ": 5", ": 4", 1), `row 2: timestamp_ns: is earlier than in the row before: order (--order) Sort sorts rows`},
			{"duplicate field", strings.Replace(serving, "{", `{"timestamp_ns": 5, `, 1), `row 1: timestamp_ns: occurs twice`},
		},
		trace.Mooncake: {
			{"wrong header", azure, `row 1: must be a JSON object`},
			{"NaN", mooncake + strings.Replace(mooncake, "5,", "NaN,", 1), `row 2: timestamp: must be an integer`},
			{"negative", mooncake + strings.Replace(mooncake, "10", "-10", 1), `row 2: input_length: must not be negative, got -10`},
			{"unordered", mooncake + strings.Replace(mooncake, ": 5", ": 4", 1), `row 2: timestamp: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.QwenBailian: {
			{"wrong header", azure, `row 1: must be a JSON object`},
			{"NaN", strings.Replace(bailian, ": 5", ": NaN", 1), `row 1: timestamp: must be a decimal number of seconds, got "NaN"`},
			{"negative", strings.Replace(bailian, "10", "-10", 1), `row 1: input_length: must not be negative, got -10`},
			{"unordered", bailian + strings.NewReplacer("7", "8", ": 5", ": 4").Replace(bailian), `row 2: timestamp: is earlier than in the row before: order (--order) Sort sorts rows`},
			{"duplicate ids", bailian + bailian, `row 2: chat_id: must be unique, but an earlier row has 7, too`},
			{"a cycle of parents", strings.Replace(bailian, "-1", "8", 1) + strings.NewReplacer("7", "8", "-1", "7").Replace(bailian),
				`row 1: parent_chat_id: must be -1 or the chat_id of an earlier row, got 8`},
		},
		trace.TraceV2: {
			{"wrong header", strings.Replace(v2, "input_tokens", "tokens", 1), `row 1: must be a header with the columns arrival_time_us,input_tokens,output_tokens, got "request_id,client_id,prefix_group,prefix_length,tokens,output_tokens,arrival_time_us"`},
			{"NaN", v2 + "1,c,,0,10,5,NaN\n", `row 3: arrival_time_us: must be a decimal number of microseconds, got "NaN"`},
			{"negative", v2 + "1,c,,-1,10,5,6\n", `row 3: prefix_length: must be a whole number of tokens, got "-1"`},
			{"duplicate ids", v2 + "0,c,,0,10,5,6\n", `row 3: request_id: must be unique, but an earlier row has "0", too`},
			{"no id", v2 + ",c,,0,10,5,6\n", `row 3: request_id: must not be empty`},
			{"unordered", v2 + "1,c,,0,10,5,4\n", `row 3: arrival_time_us: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.Vidur: {
			{"wrong header", "5,10,5\n", `row 1: must be a header with the columns arrived_at,num_prefill_tokens,num_decode_tokens, got "5,10,5"`},
			{"NaN", vidur + "NaN,10,5\n", `row 3: arrived_at: must be a decimal number of seconds, got "NaN"`},
			{"negative", vidur + "-1,10,5\n", `row 3: arrived_at: must not be negative, got "-1"`},
			{"unordered", vidur + "4,10,5\n", `row 3: arrived_at: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.Windtunnel: {
			{"wrong header", strings.Replace(own, ": 1", ": 2", 1), `row 1: windtunnel_trace: must be the version 1, got 2`},
			{"a run that begins too late", strings.Replace(own, "16", `16, "begin_ns": 6`, 1), `row 2: arrival_ns: is before begin_ns of the header, 6`},
			{"NaN", strings.Replace(own, ": 5", ": NaN", 1), `row 2: arrival_ns: must be an integer`},
			{"negative", strings.Replace(own, ": 10", ": -10", 1), `row 2: input_tokens: must not be negative, got -10`},
			{"unordered", own + `{"arrival_ns": 4, "input_tokens": 10, "output_tokens": 5}`, `row 3: arrival_ns: is earlier than in the row before: order (--order) Sort sorts rows`},
		},
		trace.Weka: {
			{"no JSON", weka + "{", `row 2: is not valid JSON: unexpected EOF`},
			{"NaN", strings.Replace(weka, `"t":1`, `"t":"x"`, 1), `row 1: is no session: json: invalid number literal, trying to unmarshal "\"x\"" into Number`},
			{"negative", strings.Replace(weka, `"in":10`, `"in":-10`, 1), `row 1: requests[0].in: must not be negative, got -10`},
			{"a time before all", strings.Replace(weka, `"t":1`, `"t":-1`, 1), `row 1: requests[0].t: must not be negative, got "-1"`},
			{"too many ids", strings.Replace(weka, `[3]`, `[3,4]`, 1), `row 1: requests[0].hash_ids: must have at most 1 ids, one for each block of 64 tokens of in, got 2`},
			{"duplicate ids", weka + weka, `row 2: id: must be unique, but an earlier row has "s", too`},
			{"another size of blocks", weka + strings.NewReplacer(`"s"`, `"z"`, "64", "32").Replace(weka), `row 2: block_size: must be 64, as in the rows before, got 32`},
			{"another type", strings.Replace(weka, `"n"`, `"q"`, 1), `row 1: requests[0].type: must be n, s or subagent, got "q"`},
			{"no length", strings.Replace(weka, `"out":5`, `"outs":5`, 1), `row 1: requests[0].out: is missing`},
			{"an agent without a name", strings.Replace(weka, `"n"`, `"subagent"`, 1), `row 1: requests[0].agent_id: is missing`},
			{"no requests", `{"id":"s","block_size":64,"requests":[]}`, `row 1: requests: is missing, or has no request`},
		},
		trace.TraceLab: {
			{"no session", strings.Replace(tracelab, `"s"`, `""`, 1), `row 1: session_id: is missing`},
			{"no round", strings.Replace(tracelab, `"round_index":0`, `"round_index":null`, 1), `row 1: round_index: is missing`},
			{"negative", strings.Replace(tracelab, `10,`, `-10,`, 1), `row 1: input_tokens_total: must not be negative, got -10`},
			{"more cached than there is", strings.Replace(tracelab, `"prefix_tokens":5`, `"prefix_tokens":11`, 1), `row 1: prefix_tokens: must be at most the 10 of input_tokens_total, got 11`},
			{"no answer", strings.Replace(tracelab, "output_tokens", "outputs", 1), `row 1: output_tokens: is missing`},
			{"no events", strings.Replace(tracelab, "timing_events", "events", 1), `row 1: timing_events: is missing, or has no event`},
			{"another time", strings.Replace(tracelab, "T10", " 10", 1), `row 1: timing_events[0].timestamp: must be a time such as 2026-08-25T00:00:01.5Z, got "2026-08-25 10:00:00Z"`},
		},
		trace.AIBrix: {
			{"negative", strings.Replace(aibrix, "10", "-10", 1), `row 1: requests[0].prompt_length: must not be negative, got -10`},
			{"no time", strings.Replace(aibrix, "timestamp", "time", 1), `row 1: timestamp: is missing`},
			{"a null length of a prompt", strings.Replace(aibrix, "10", "null", 1), `row 1: requests[0].prompt_length: is missing`},
			{"a null length of an answer", strings.Replace(aibrix, `h": 5`, `h": null`, 1),
				`row 1: output_length: must be between 1 and 10000000 tokens, got 0: zeroOutput (--zero-output) may be Skip, which leaves such rows out, or PrefillOnly, which sends their prompts`},
			{"a parent that is not there", strings.Replace(aibrix, "[]", `["b"]`, 1), `row 1: agent.parent_ids: must lead to node_ids of the file, got "b"`},
			{"a cycle of parents", strings.Replace(aibrix, "[]", `["a"]`, 1), `row 1: agent.parent_ids: must lead to requests that begin earlier, or at the same time and stand before this one`},
			{"a circle of events", strings.Replace(aibrix, "[]}}]", `["b"]}}], "events": [{"node_id": "b", "parent_ids": ["c"]}, {"node_id": "c", "parent_ids": ["b"]}]`, 1),
				`row 1: agent.parent_ids: leads round in a circle, through "b"`},
			{"duplicate ids", aibrix + aibrix, `row 2: requests[0].agent.node_id: must be unique, but an earlier node has "a", too`},
		},
		trace.OTel: {
			{"no spans", `{"resourceMetrics": []}`, `row 1: has no spans`},
			{"no requests", `{"spans": []}`, `a trace without requests`},
			{"no time", strings.Replace(otel, "start_time", "begin", 1), `row 1: spans[0].startTimeUnixNano: is missing`},
			{"an end before the beginning", strings.Replace(otel, `: 9`, `: 3`, 1), `row 1: spans[0].endTimeUnixNano: must not be before startTimeUnixNano`},
			{"negative", strings.Replace(otel, `: 10`, `: -10`, 1), `row 1: span "a": gen_ai.usage.input_tokens: must not be negative, got -10`},
			{"no length", strings.Replace(otel, "output", "out", 1), `row 1: span "a": gen_ai.usage.output_tokens: is missing`},
			{"more cached than there is", strings.Replace(otel, `"gen_ai.usage.input`, `"gen_ai.usage.cache_read.input_tokens": 11, "gen_ai.usage.input`, 1),
				`row 1: span "a": gen_ai.usage.cache_read.input_tokens: must be at most the 10 tokens of the whole input, got 11`},
			{"a circle of spans", strings.Replace(otel, `"span_id": "a"`, `"span_id": "a", "parent_span_id": "b"`, 1) + strings.Replace(otel, `"span_id": "a"`, `"span_id": "b", "parent_span_id": "a"`, 1),
				`row 1: span "a": parentSpanId: leads round in a circle, or through more than 1000 spans`},
			{"a trace without a name", strings.Replace(otel, `"trace_id": "t"`, `"trace": "t"`, 1), `row 1: span "a": traceId: is missing, and there is no gen_ai.conversation.id`},
		},
		trace.AccessLog: {
			{"no time", strings.Replace(access, "start_time", "begin", 1), `row 1: start_time: is missing`},
			{"no duration", strings.Replace(access, "duration", "took", 1), `row 1: duration: is missing`},
			{"a negative duration", strings.Replace(access, ": 5,", ": -5,", 1), `row 1: duration: must not be negative, got "-5"`},
			{"no numbers of tokens", strings.Replace(access, "input_tokens", "input", 1), `row 1: gen_ai.usage.input_tokens: is missing: the gateway's llmRequestCosts count tokens`},
			{"a code that is none", strings.Replace(access, "200", `"OK"`, 1), `row 1: response_code: must be an integer`},
			{"a code beyond HTTP's", strings.Replace(access, "200", "1000", 1), `row 1: response_code: must be a status of HTTP from 100 to 599, got 1000`},
			{"only rejections", strings.Replace(strings.Replace(access, "200", "503", 1), ": 10", ": null", 1), `a trace without requests`},
		},
		trace.ServeGen: {
			{"wrong header", azure, `must be a tar archive of a ServeGen folder: unexpected EOF`},
		},
	} {
		for _, f := range faults {
			t.Run(fmt.Sprintf("%s/%s", format, f.name), func(t *testing.T) {
				o := trace.Options{}
				if format == trace.GenericCSV {
					o.CSV = gateway()
				}
				recorded, err := trace.ReadWith(format, o, strings.NewReader(f.text), "day")
				if recorded != nil {
					t.Error("a trace beside the error")
				}
				if diff := cmp.Diff("day: "+f.want, fmt.Sprint(err)); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Half of a compressed file is never a trace.
func TestTruncatedTracesAreRefused(t *testing.T) {
	for _, f := range trace.Formats() {
		text, o := string(serveGenArchive(t)), trace.Options{}
		if f != trace.ServeGen {
			text, o = goodFile(t, f)
		}
		packed := compress(t, []byte(text))
		if _, err := trace.ReadWith(f, o, bytes.NewReader(packed), "day"); err != nil {
			t.Fatalf("%s: the whole file: %v", f, err)
		}
		recorded, err := trace.ReadWith(f, o, bytes.NewReader(packed[:len(packed)/2]), "day")
		if recorded != nil || err == nil || !strings.HasPrefix(err.Error(), "day: ") {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

// Behind a good row, a line of 300 MB ends the reading after some MB.
func TestALineOf300MBIsRefused(t *testing.T) {
	for _, f := range textFormats() {
		text, o := goodFile(t, f)
		rest := &endless{}
		text = strings.TrimRight(text, "\r\n") + "\n"
		_, err := trace.ReadWith(f, o, io.MultiReader(strings.NewReader(text), io.LimitReader(rest, 300<<20)), "day")
		want := fmt.Sprintf("day: row %d: longer than 1048576 bytes", strings.Count(text, "\n")+1)
		if err == nil || err.Error() != want || rest.read > 4<<20 {
			t.Errorf("%s: got %v after %d bytes, want %s", f, err, rest.read, want)
		}
	}
}
