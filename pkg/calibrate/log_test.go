// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	goodLine = `{"request_id": "a", "input_toks": 100, "output_toks": 3, "queued_ts": 10.5, "scheduled_ts": 10.6, "first_token_ts": 11, "last_token_ts": 12.25}`
	laterOne = `{"input_toks": 7, "output_toks": 1, "queued_ts": 10.25, "first_token_ts": 11, "last_token_ts": 11}`
	goodCSV  = "id,queued_ts,first_token_ts,last_token_ts,input_toks,output_toks\n"
)

func TestReadLog(t *testing.T) {
	want := []Request{
		{Queued: 10.5e9, FirstToken: 11e9, LastToken: 12.25e9, InputTokens: 100, OutputTokens: 3},
		{Queued: 10.25e9, FirstToken: 11e9, LastToken: 11e9, InputTokens: 7, OutputTokens: 1},
	}
	for name, tc := range map[string]struct {
		format Format
		text   string
	}{
		"JSON lines, with more fields than are needed": {JSONL, goodLine + "\n" + laterOne + "\n"},
		"CSV, columns in any order":                    {CSV, goodCSV + "a,10.5,11,12.25,100,3\r\nb, 10.25,11,11,7,1\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadLog(tc.format, strings.NewReader(tc.text), "log")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
		})
	}
}

func TestARunIsInOrderOfArrivalFromZero(t *testing.T) {
	requests, err := ReadLog(JSONL, strings.NewReader(goodLine+"\n"+laterOne), "log")
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{
		{Queued: 0, FirstToken: 0.75e9, LastToken: 0.75e9, InputTokens: 7, OutputTokens: 1},
		{Queued: 0.25e9, FirstToken: 0.75e9, LastToken: 2e9, InputTokens: 100, OutputTokens: 3},
	}
	if diff := cmp.Diff(want, NewRun("r", Engine{}, requests).Requests); diff != "" {
		t.Errorf("requests (−want +got):\n%s", diff)
	}
	if requests[0].Queued != 10.5e9 {
		t.Error("the caller's requests were changed")
	}
}

func TestBadLogs(t *testing.T) {
	edit := func(old, new string) string { return goodLine + "\n" + strings.Replace(goodLine, old, new, 1) }
	for name, tc := range map[string]struct {
		format Format
		text   string
		want   string
	}{
		"nothing":               {JSONL, "\n", "log: a log without requests"},
		"an unknown format":     {"Parquet", goodLine, `log: unknown log format "Parquet", want one of [JSONL CSV]`},
		"no JSON":               {JSONL, "x", "log: line 1: must be a JSON object: invalid character 'x' looking for beginning of value"},
		"a field missing":       {JSONL, edit(`"queued_ts": 10.5, `, ""), "log: line 2: queued_ts: is missing"},
		"a text for a number":   {JSONL, edit(`10.5`, `"10.5"`), "log: line 2: queued_ts: must be a number, got a JSON string"},
		"half a token":          {JSONL, edit(`100`, `100.5`), "log: line 2: input_toks: must be a whole number of tokens between 1 and 10000000, got 100.5"},
		"no answer":             {JSONL, edit(`"output_toks": 3`, `"output_toks": 0`), "log: line 2: output_toks: must be a whole number of tokens between 1 and 10000000, got 0"},
		"milliseconds":          {JSONL, edit(`10.5`, `1787267980082.7`), "log: line 2: queued_ts: must be seconds, got 1.7872679800827e+12"},
		"an answer too early":   {JSONL, edit(`"first_token_ts": 11`, `"first_token_ts": 10.5`), "log: line 2: first_token_ts: must be later than queued_ts"},
		"an answer all at once": {JSONL, edit(`12.25`, `11`), "log: line 2: last_token_ts: must be later than first_token_ts"},
		"a CSV without a column": {CSV, "queued_ts,first_token_ts\n",
			`log: line 1: the header must name last_token_ts, got "queued_ts,first_token_ts"`},
		"a CSV with a header only": {CSV, goodCSV, "log: a log without requests"},
		"a CSV line too short":     {CSV, goodCSV + "a,10.5,11\n", "log: line 2: must have the 6 fields of the header, got 3"},
		"a CSV with a text":        {CSV, goodCSV + "a,early,11,12,100,3\n", `log: line 2: queued_ts: must be a number, got "early"`},
		"a CSV with no number":     {CSV, goodCSV + "a,NaN,11,12,100,3\n", "log: line 2: queued_ts: must be seconds, got NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			requests, err := ReadLog(tc.format, strings.NewReader(tc.text), "log")
			if requests != nil {
				t.Error("requests beside the error")
			}
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (−want +got):\n%s", diff)
			}
		})
	}
}

func TestReadBlocks(t *testing.T) {
	const line = `{"timestamp_ns": 5, "input_length": 100, "output_length": 3, "hash_ids": [7, 8, 9]}`
	for name, tc := range map[string]struct{ text, want string }{
		"good, and one more":      {line + "\n" + line, ""},
		"no line for the request": {"", "b: has 0 lines for 1 requests"},
		"no JSON":                 {"x", "b: line 1: must be a JSON object: invalid character 'x' looking for beginning of value"},
		"another prompt":          {strings.Replace(line, "100", "101", 1), "b: line 1: input_length: must be the log's 100 tokens"},
		"no length":               {strings.Replace(line, "input_length", "input", 1), "b: line 1: input_length: must be the log's 100 tokens"},
		"another answer":          {strings.Replace(line, ": 3", ": 4", 1), "b: line 1: output_length: must be the log's 3 tokens"},
		"a partial block too":     {strings.Replace(line, "9]", "9, 10]", 1), "b: line 1: hash_ids: must have 3 ids, one for each full block of 32 tokens, got 4"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := []Request{{InputTokens: 100, OutputTokens: 3}}
			err := ReadBlocks(strings.NewReader(tc.text), "b", 32, requests)
			if tc.want != "" {
				if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
					t.Errorf("error (−want +got):\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Request{{InputTokens: 100, OutputTokens: 3, Blocks: []uint64{7, 8, 9}, BlockTokens: 32}}, requests); diff != "" {
				t.Errorf("requests (−want +got):\n%s", diff)
			}
		})
	}
}

func FuzzReadLog(f *testing.F) {
	f.Add(true, goodLine+"\n"+laterOne)
	f.Add(false, goodCSV+"a,10.5,11,12.25,100,3\n")
	f.Fuzz(func(t *testing.T, jsonLines bool, text string) {
		format := CSV
		if jsonLines {
			format = JSONL
		}
		requests, err := ReadLog(format, strings.NewReader(text), "log")
		if (err == nil) == (len(requests) == 0) {
			t.Fatalf("%d requests and error %v", len(requests), err)
		}
		for _, q := range requests {
			if q.FirstToken <= q.Queued || q.LastToken < q.FirstToken || q.InputTokens < 1 || q.OutputTokens < 1 {
				t.Fatalf("took %+v", q)
			}
		}
	})
}
