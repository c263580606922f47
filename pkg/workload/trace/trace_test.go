// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

const ms = simtime.Time(1e6)

// asRecorded replays a trace as it is.
var asRecorded = trace.Replay{RateScale: 1, Arrivals: trace.AsRecorded}

// outline is what a request looks like but for the sources of its texts.
type outline struct {
	Arrival simtime.Time
	Extents []int32
	Output  int
}

func outlines(requests []workload.Request) []outline {
	var all []outline
	for _, r := range requests {
		o := outline{Arrival: r.Arrival, Output: r.OutputTokens}
		for _, e := range r.Prompt.Extents {
			o.Extents = append(o.Extents, e.Tokens)
		}
		all = append(all, o)
	}
	return all
}

func read(t testing.TB, format trace.Format, text string) *trace.Trace {
	t.Helper()
	recorded, err := trace.Read(format, strings.NewReader(text), "trace")
	if err != nil {
		t.Fatal(err)
	}
	return recorded
}

func statistics(t testing.TB, recorded *trace.Trace) trace.Statistics {
	t.Helper()
	s, err := recorded.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compress(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		format trace.Format
		file   string
		want   []outline
	}{
		"Mooncake times are ms, and blocks are extents": {
			trace.Mooncake, "testdata/mooncake.jsonl", []outline{
				{0, []int32{512, 512}, 20},
				{0, []int32{512, 512, 276}, 1},
				{0, []int32{512, 512, 376}, 7},
				{3001 * ms, []int32{100}, 300},
				{6000 * ms, []int32{512, 512, 512}, 40},
				{6000 * ms, []int32{512}, 2},
			},
		},
		"Azure times have steps of 100 ns, and each prompt is one text": {
			trace.Azure, "testdata/azure.csv", []outline{
				{0, []int32{4808}, 10},
				{200, []int32{3180}, 8},
				{2500*ms + 100, []int32{512}, 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := testfile.Read(t, tc.file)
			sum := sha256.Sum256(text)
			for form, data := range map[string][]byte{"plain": text, "gzip": compress(t, text)} {
				recorded, err := trace.Read(tc.format, iotest.HalfReader(bytes.NewReader(data)), tc.file)
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				if recorded.Requests() != len(tc.want) {
					t.Errorf("%s: %d requests, want %d", form, recorded.Requests(), len(tc.want))
				}
				if got, want := recorded.Digest(), hex.EncodeToString(sum[:]); got != want {
					t.Errorf("%s: digest %s, want that of the text, %s", form, got, want)
				}
				if diff := cmp.Diff(tc.want, outlines(workloadtest.Take(recorded.Replay(asRecorded, 1), -1))); diff != "" {
					t.Errorf("%s: requests (−want +got):\n%s", form, diff)
				}
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	const good = `{"timestamp": 3, "input_length": 600, "output_length": 2, "hash_ids": [7, 8]}` + "\n"
	for name, tc := range map[string]struct {
		format trace.Format
		text   string
		want   string
	}{
		"nothing": {trace.Mooncake, "", "t: a trace without requests"},
		"one byte": {trace.Mooncake, "\x1f",
			"t: row 1: must be a JSON object"},
		"an unknown format": {"Avro", good,
			fmt.Sprintf(`t: unknown trace format "Avro", want one of %v`, trace.Formats())},
		"gzip's first bytes and no more": {trace.Mooncake, "\x1f\x8b", "t: gzip: unexpected EOF"},
		"gzip cut off": {trace.Mooncake, string(compress(t, []byte(good))[:40]),
			"t: row 1: read: unexpected EOF"},

		"an arrival out of order": {trace.Mooncake, good + good + strings.Replace(good, "3", "2", 1),
			"t: row 3: timestamp: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a blank line": {trace.Mooncake, good + "\n" + good, "t: row 2: must be a JSON object"},
		"a row cut off": {trace.Mooncake, good + good[:36],
			"t: row 2: is not valid JSON: want , or } after a field"},
		"a row cut off in a name": {trace.Mooncake, good + good[:22],
			"t: row 2: is not valid JSON: a name without its closing quote"},
		"two rows in a line": {trace.Mooncake, strings.TrimSpace(good) + good,
			"t: row 1: is not valid JSON: text after the object"},
		"a line without end": {trace.Mooncake, good + strings.Repeat(" ", 1<<20) + good,
			"t: row 2: longer than 1048576 bytes"},
		"too few ids": {trace.Mooncake, good + strings.Replace(good, "7, 8", "7", 1),
			"t: row 2: hash_ids: must have 2 ids, one for each block of 512 tokens of input_length, got 1"},
		"an id for an empty last block": {trace.Mooncake, strings.Replace(good, "600", "512", 1),
			"t: row 1: hash_ids: must have 1 ids, one for each block of 512 tokens of input_length, got 2"},
		"an id that is no integer": {trace.Mooncake, strings.Replace(good, "7, 8", "7, 8.0", 1),
			"t: row 1: hash_ids: must be an integer"},
		"an id that is a text": {trace.Mooncake, strings.Replace(good, "7, 8", `7, "8"`, 1),
			"t: row 1: hash_ids: must be an integer"},
		"a negative id": {trace.Mooncake, strings.Replace(good, "7, 8", "7, -8", 1),
			"t: row 1: hash_ids: must not be negative, got -8"},
		"an id beyond 64 bits": {trace.Mooncake, strings.Replace(good, "7, 8", "7, 18446744073709551616", 1),
			"t: row 1: hash_ids: does not fit in 64 bits"},
		"a comma too many": {trace.Mooncake, strings.Replace(good, "7, 8", "7, 8,", 1),
			"t: row 1: hash_ids: must be an integer"},
		"ids without commas": {trace.Mooncake, strings.Replace(good, "7, 8", "7 8", 1),
			"t: row 1: hash_ids: is not valid JSON: want , or ] after an integer"},
		"ids that are no array": {trace.Mooncake, strings.Replace(good, "[7, 8]", "7", 1),
			"t: row 1: hash_ids: must be an array of integers"},
		"a leading zero": {trace.Mooncake, strings.Replace(good, "600", "0600", 1),
			"t: row 1: input_length: must be an integer"},
		"a time in exponent form": {trace.Mooncake, strings.Replace(good, "3", "3e3", 1),
			"t: row 1: timestamp: must be an integer"},
		"a time beyond ns": {trace.Mooncake, strings.Replace(good, "3", "9000000000001", 1),
			"t: row 1: timestamp: must be at most 9000000000000 ms, got 9000000000001"},
		"no prompt": {trace.Mooncake, strings.Replace(good, "600", "0", 1),
			"t: row 1: input_length: must be between 1 and 10000000 tokens, got 0"},
		"no answer": {trace.Mooncake, good + strings.Replace(good, `h": 2`, `h": 0`, 1),
			"t: row 2: output_length: must be between 1 and 10000000 tokens, got 0" + zeroOutputHint},
		"a field missing": {trace.Mooncake, strings.Replace(good, `"output_length": 2, `, "", 1),
			"t: row 1: output_length: is missing"},
		"a field twice": {trace.Mooncake, strings.Replace(good, `{`, `{"timestamp": 3, `, 1),
			"t: row 1: timestamp: occurs twice"},
		"a name in another case": {trace.Mooncake, strings.Replace(good, "timestamp", "Timestamp", 1),
			`t: row 1: unknown field "Timestamp"`},
		"a field of another format": {trace.Mooncake, strings.Replace(good, `{`, `{"chat_id": 1, `, 1),
			`t: row 1: unknown field "chat_id"`},
		"a name without a value": {trace.Mooncake, `{"timestamp"}`,
			`t: row 1: is not valid JSON: want : after the name "timestamp"`},
		"a session with a number": {trace.Mooncake, good + strings.Replace(good, `{`, `{"session_id": 7, `, 1),
			"t: row 2: session_id: must be a string"},
		"a session without a name": {trace.Mooncake, good + strings.Replace(good, `{`, `{"session_id": "", `, 1),
			"t: row 2: session_id: must not be empty"},
		"a session with an escape": {trace.Mooncake, good + strings.Replace(good, `{`, `{"session_id": "a\n", `, 1),
			"t: row 2: session_id: must be plain text without escapes"},
		"a delay without a session": {trace.Mooncake, strings.Replace(good, `{"timestamp": 3`, `{"delay": 9`, 1),
			"t: row 1: delay: needs a session: it counts from the end of the session's request before"},
		"a delay of the first turn": {trace.Mooncake, strings.Replace(good, `{"timestamp": 3`, `{"session_id": "a", "delay": 9`, 1),
			"t: row 1: timestamp: is missing: the first request of a session has no other to wait for"},
		"a negative delay": {trace.Mooncake, strings.Replace(good, `{`, `{"session_id": "a", "delay": -9, `, 1),
			"t: row 1: delay: must not be negative, got -9"},
		"an array": {trace.Mooncake, "[1]", "t: row 1: must be a JSON object"},
		"a name without quotes": {trace.Mooncake, "{timestamp: 3}",
			"t: row 1: is not valid JSON: want a field's name in quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			recorded, err := trace.Read(tc.format, strings.NewReader(tc.text), "t")
			if recorded != nil {
				t.Error("a trace beside the error")
			}
			if diff := cmp.Diff(tc.want, fmt.Sprint(err)); diff != "" {
				t.Errorf("error (−want +got):\n%s", diff)
			}
		})
	}
}

func TestReadReturnsReaderError(t *testing.T) {
	broken := errors.New("broken disk")
	for name, text := range map[string]string{
		"at once": "",
		"later":   `{"timestamp": 3, "input_length": 600, "output_length": 2, "hash_ids": [7, 8]}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := iotest.TimeoutReader(strings.NewReader(text)) // fails from the second read on
			if text == "" {
				r = iotest.ErrReader(broken)
			}
			if recorded, err := trace.Read(trace.Mooncake, r, "t"); err == nil || recorded != nil {
				t.Errorf("trace %v, error %v", recorded, err)
			}
		})
	}
}

// Rows 2 and 3 of the file name the same partial last block, after the same
// full ones; its content is each row's own all the same.
func TestPromptsShareBlocksOfEqualIDs(t *testing.T) {
	requests := workloadtest.Take(read(t, trace.Mooncake, string(testfile.Read(t, "testdata/mooncake.jsonl"))).Replay(asRecorded, 1), -1)
	for _, block := range []int{16, 512} {
		perBlock := 512 / block
		for _, tc := range []struct{ a, b, shared int }{
			{0, 1, 2}, {1, 2, 2}, {0, 3, 0}, {0, 4, 2}, {2, 4, 2}, {3, 5, 0}, {4, 4, 3},
		} {
			a := requests[tc.a].Prompt.FullBlocks(nil, block)
			b := requests[tc.b].Prompt.FullBlocks(nil, block)
			if got := workloadtest.CommonPrefix(a, b); got != tc.shared*perBlock {
				t.Errorf("requests %d and %d share %d blocks of %d tokens, want %d",
					tc.a, tc.b, got, block, tc.shared*perBlock)
			}
		}
	}
}

func TestTraceTextsAreDistinct(t *testing.T) {
	seen := map[uint64]string{}
	note := func(source uint64, what string) {
		if other, ok := seen[source]; ok && other != what {
			t.Errorf("%s and %s have one source", what, other)
		}
		seen[source] = what
	}
	for i, r := range workloadtest.Take(read(t, trace.Mooncake, string(testfile.Read(t, "testdata/mooncake.jsonl"))).Replay(asRecorded, 1), -1) {
		note(r.Response, fmt.Sprintf("row %d", i))
		start := int32(0)
		for _, e := range r.Prompt.Extents {
			if e.Tokens != trace.MooncakeBlockTokens {
				note(e.Source, fmt.Sprintf("row %d", i))
				start = e.Tokens
			}
		}
		if r.ResponseStart != start {
			t.Errorf("the answer of row %d begins at %d of its text, want %d", i, r.ResponseStart, start)
		}
	}
	if want := 6; len(seen) != want {
		t.Errorf("%d texts that belong to one row, want %d", len(seen), want)
	}
	var extent prompt.Extent
	if _, ok := seen[extent.Source]; ok {
		t.Error("a text with the zero source")
	}
}
