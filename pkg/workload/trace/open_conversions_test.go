// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// openTraces are published files.
var openTraces = map[trace.Format][]string{
	trace.Azure:         {"azure-2023", "AzureLLMInferenceTrace_code.csv"},
	trace.LLMServingSim: {"llmservingsim-vllm-measured", "sharegpt-llama-3.1-8b-300-sps10.slim.jsonl"},
	trace.Mooncake:      {"mooncake-fast25", "conversation_trace.jsonl"},
}

// A published file that is converted to a format and to our own has the rows that it has in our
// own, and so the ids of their blocks: each row is compared as text. What the format loses or adds
// is taken from the rows of both, and nothing else is.
func TestOpenTracesSurviveEveryFormat(t *testing.T) {
	if testing.Short() {
		t.Skip("converts 12,031 rows into each format, which takes seconds")
	}
	for from, path := range openTraces {
		t.Run(string(from), func(t *testing.T) {
			file := testfile.Read(t, testdata.File(t, append([]string{"traces"}, path...)...))
			own, _ := convert(t, from, file, trace.Windtunnel)
			for _, c := range trace.Carriages() {
				there, done := convert(t, from, file, c.Format)
				if diff := diffLosses(from, c.Format, done); diff != "" {
					t.Errorf("%s: %s", c.Format, diff)
				}
				if !slices.Contains(c.Lost, "blocks") && c.BlockTokens > 0 && c.Format != from {
					// Blocks have another size or are chained, so they have other ids.
					checkShared(t, from, file, c, there)
					continue
				}
				back, _ := convert(t, c.Format, there, trace.Windtunnel)
				if at, want, got := firstOther(rowsWithout(own, c, done), rowsWithout(back, c, done)); at > 0 {
					t.Errorf("%s: row %d of our own format is\n%s\nwant\n%s", c.Format, at, got, want)
				}
			}
		})
	}
}

// diffLosses says what a conversion of a published file loses or adds that it should not, or the
// other way round. Its rows say nothing but blocks, and its times are multiples of the unit of its
// format.
func diffLosses(from, to trace.Format, done trace.Conversion) string {
	var lost []string
	for _, loss := range done.Lost {
		lost = append(lost, loss.What)
	}
	var want []string
	if from != trace.Azure && !slices.Contains([]trace.Format{trace.LLMServingSim, trace.Mooncake, trace.QwenBailian, trace.Parquet, trace.Windtunnel}, to) {
		want = append(want, "blocks")
	}
	switch {
	case from == trace.LLMServingSim && to == trace.Azure:
		want = append(want, "time below 100ns")
	case from == trace.LLMServingSim && to == trace.TraceV2:
		want = append(want, "time below 1µs")
	case from != trace.Mooncake && to == trace.Mooncake:
		want = append(want, "time below 1ms")
	}
	if !slices.Equal(want, lost) {
		return fmt.Sprintf("lost %q, want %q", lost, want)
	}
	return ""
}

// rowsWithout are the lines of a trace in our own format without what a conversion loses or adds.
func rowsWithout(text []byte, c trace.Carriage, done trace.Conversion) []string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if slices.Contains(c.Lost, "blocks") {
		lines[0] = "" // which says the size of blocks
		for i := range lines {
			lines[i] = blocksOfLine.ReplaceAllString(lines[i], "")
		}
	}
	if len(done.Lost) > 0 && strings.HasPrefix(done.Lost[len(done.Lost)-1].What, "time below") {
		for i := range lines {
			lines[i] = arrivalOfLine.ReplaceAllStringFunc(lines[i], func(field string) string {
				var ns int64
				_, _ = fmt.Sscanf(field, arrivalField, &ns)
				return fmt.Sprintf(arrivalField, ns-ns%int64(c.Tick))
			})
		}
	}
	return lines
}

const arrivalField = `"arrival_ns": %d`

var (
	blocksOfLine  = regexp.MustCompile(`, "blocks": \[[^]]*\]`)
	arrivalOfLine = regexp.MustCompile(`"arrival_ns": \d+`)
)

// firstOther is the first line, counted from 1, that two texts have not in common; 0 for none.
func firstOther(want, got []string) (at int, wanted, is string) {
	if len(want) != len(got) {
		return 1, fmt.Sprintf("%d lines", len(want)), fmt.Sprintf("%d lines", len(got))
	}
	for i := range want {
		if want[i] != got[i] {
			return i + 1, want[i], got[i]
		}
	}
	return 0, "", ""
}

// checkShared checks that requests share the blocks of 512 tokens that they shared before.
func checkShared(t *testing.T, from trace.Format, file []byte, to trace.Carriage, converted []byte) {
	t.Helper()
	want, got := replayAll(t, from, file, 512), replayAll(t, to.Format, converted, 512)
	for i := range min(len(want), len(got)) {
		forget(&want[i], to)
		if to.Format == trace.QwenBailian { // a row is a chat, which names its session
			got[i].Request.Session = 0
		}
	}
	if diff := diffReplayed(want, got); diff != "" {
		t.Errorf("%s: requests (-of the trace +of the converted one):\n%.2000s", to.Format, diff)
	}
}
