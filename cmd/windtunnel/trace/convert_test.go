// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// converted runs trace convert and returns what it says on standard error.
func converted(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return windtunnel(t, append([]string{"trace", "convert"}, args...)...)
}

func TestTraceConvert(t *testing.T) {
	folder := t.TempDir()
	mooncake, own, back := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "b.jsonl.gz"), filepath.Join(folder, "c.jsonl")
	mustRun(t, "trace", "generate", "--requests", "200", "-o", mooncake)
	said, err := converted(t, mooncake, "--to", "Windtunnel", "-o", own)
	if err != nil || said != "200 requests written as Windtunnel\n" {
		t.Fatalf("said %q, %v", said, err)
	}
	if said, err := converted(t, own, "--to", "Mooncake", "-o", back); err != nil || said != "200 requests written as Mooncake\n" {
		t.Fatalf("said %q, %v", said, err)
	}
	described := func(file string) string {
		return strings.Join(strings.Split(mustRun(t, "trace", "inspect", file), "\n")[1:8], "\n")
	}
	for _, file := range []string{own, back} {
		if diff := cmp.Diff(described(mooncake), described(file)); diff != "" {
			t.Errorf("%s (-trace +converted):\n%s", file, diff)
		}
	}
	packed, err := os.ReadFile(own)
	if err != nil || !bytes.HasPrefix(packed, []byte("\x1f\x8b")) {
		t.Errorf("a file with the name %s is not compressed: %v", own, err)
	}
}

func TestTraceConvertSaysWhatIsLost(t *testing.T) {
	in := cmdtest.TempFile(t, "trace", `{"windtunnel_trace": 1, "block_tokens": 16}
{"arrival_ns": 0, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9], "tenant": "gold"}
{"arrival_ns": 1, "input_tokens": 40, "output_tokens": 3, "blocks": [7, 9]}
`)
	said, err := converted(t, in, "--to", "Azure", "-o", filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "2 requests written as Azure\nlost: blocks of 2 requests\nlost: tenant of 1 requests\nlost: time below 100ns of 1 requests\n"
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

func TestTraceConvertSaysWhatIsAdded(t *testing.T) {
	in := cmdtest.TempFile(t, "trace", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,20,3\n2,15,3\n")
	said, err := converted(t, in, "--to", "QwenBailian", "-o", filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "2 requests written as QwenBailian\nadded: session to 2 requests\nadded: ids of blocks that no other row has to 1 requests\n"
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

func TestABadTraceLeavesNoFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x")
	in := cmdtest.TempFile(t, "trace", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n0,2,3\n")
	_, err := converted(t, in, "--to", "Windtunnel", "-o", out)
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "row 3: arrived_at: is earlier than in the row before") {
		t.Errorf("got %v", err)
	}
	if left, err := filepath.Glob(out + "*"); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if _, err := converted(t, in, "--to", "Avro"); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("an unknown format: %v", err)
	}
}

// TestThePageOnFormatsSaysWhatTheyLoseAndAdd holds the table of docs/trace-formats.md against the formats.
func TestThePageOnFormatsSaysWhatTheyLoseAndAdd(t *testing.T) {
	page := cmdtest.TextOf(t, filepath.Join("..", "..", "docs", "trace-formats.md"))
	for _, f := range trace.Formats() {
		if described, _, _ := strings.Cut(page, "\nColumns of a CSV"); !strings.Contains(described, fmt.Sprintf("\n| `%s` | ", f)) {
			t.Errorf("the first table of docs/trace-formats.md has no row of %s", f)
		}
	}
	for _, c := range trace.Carriages() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", c.Format, c.Tick, listed(c.Lost), listed(c.Adds))
		if !strings.Contains(page, row) {
			t.Errorf("docs/trace-formats.md lacks the row\n%s", row)
		}
	}
}

// listed is a list of a page.
func listed(all []string) string {
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

func TestTraceConvertSelectsRows(t *testing.T) {
	in := cmdtest.TempFile(t, "trace", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,5\n3,6,7\n")
	out, err := converted(t, in, "--to", "Vidur", "--slice", "from=1s,to=2s")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("arrived_at,num_prefill_tokens,num_decode_tokens\n0,4,5\n1 requests written as Vidur\n", out); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	out, err = converted(t, in, "--to", "Vidur", "--too-long", "maxTokens=10,action=Skip")
	if want := "arrived_at,num_prefill_tokens,num_decode_tokens\n0,2,3\n1,4,5\n2 requests written as Vidur\nleft out: 1 requests that are too long\n"; err != nil || out != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
	failed := cmdtest.TempFile(t, "trace", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,0\n3,6,7\n")
	for option, want := range map[string]string{
		"Skip":        "0,2,3\n2,6,7\n2 requests written as Vidur\nleft out: 1 requests without output\n",
		"PrefillOnly": "0,2,3\n1,4,1\n2,6,7\n3 requests written as Vidur\nchanged: 1 requests without output have 1 output token\n",
	} {
		out, err := converted(t, failed, "--to", "Vidur", "--zero-output", option)
		if diff := cmp.Diff("arrived_at,num_prefill_tokens,num_decode_tokens\n"+want, out); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", option, err, diff)
		}
	}
	for _, bad := range [][]string{{"--slice", "from=x"}, {"--slice", "until=1s"}, {"--slice", "from=2s,to=1s"}, {"--sample", "1"}, {"--sample", "NaN"},
		{"--too-long", "maxTokens=x,action=Skip"}, {"--too-long", "maxTokens=5"}, {"--too-long", "most=5"}, {"--block-tokens", "4"},
		{"--too-long", "maxTokens=10,action=Refuse"}, {"--zero-output", "Keep"}} {
		if _, err := converted(t, append([]string{in, "--to", "Vidur"}, bad...)...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// A trace that is converted to Parquet is the same trace, and so is its replay.
func TestParquetTraces(t *testing.T) {
	folder := t.TempDir()
	mooncake, columns := filepath.Join(folder, "trace.jsonl"), filepath.Join(folder, "trace.parquet")
	mustRun(t, "trace", "generate", "--requests", "200", "-o", mooncake)
	if said, err := converted(t, mooncake, "--to", "Parquet", "-o", columns); err != nil || said != "200 requests written as Parquet\n" {
		t.Fatalf("said %q, %v", said, err)
	}
	described := func(file string) string {
		return strings.Join(strings.Split(mustRun(t, "trace", "inspect", file), "\n")[1:8], "\n")
	}
	if diff := cmp.Diff(described(mooncake), described(columns)); diff != "" {
		t.Errorf("(-trace +converted):\n%s", diff)
	}
	figures := func(manifest string) string {
		file := filepath.Join(folder, "run.yaml")
		testfile.Write(t, file, []byte(manifest))
		out := mustRun(t, "run", "-f", file)
		return out[:strings.Index(out, "Workload")]
	}
	want := figures(traceRun)
	if diff := cmp.Diff(want, figures(strings.NewReplacer("Mooncake", "Parquet", "jsonl", "parquet").Replace(traceRun))); diff != "" {
		t.Errorf("figures (-of the trace +of the converted one):\n%s", diff)
	}
	cut := testfile.Read(t, filepath.Clean(columns))
	short := cmdtest.TempFile(t, "short.parquet", string(cut[:len(cut)-9]))
	if _, err := windtunnel(t, "trace", "inspect", short); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "short.parquet: must be a whole Parquet file") {
		t.Errorf("a file without its end: %v", err)
	}
}
