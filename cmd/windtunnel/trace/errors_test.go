// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/workload/workloadtest"
)

// Errors of the trace verbs say which option helps.
func TestTraceErrorsNameTheOption(t *testing.T) {
	plain := cmdtest.TempFile(t, "gateway.csv", "ts;prompt;completion\n1;2;3\n")
	disorder := cmdtest.TempFile(t, "disorder.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n2,1,1\n1,1,1\n")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown column": {[]string{plain, "--csv", "input=prompt"},
			`--csv: unknown key "input"; there are time, timeFormat, inputTokens, outputTokens, tenant, class, session, model, priority, delimiter, did you mean "inputTokens"?`},
		"an unknown end":    {[]string{plain, "--slice", "start=5s"}, `--slice: unknown key "start"; there are from, to`},
		"columns alone":     {[]string{plain, "--csv", "time=ts"}, "the flags are invalid:\n  - trace.csv.inputTokens: Required value: the name of the column\n  - trace.csv.outputTokens: "},
		"no columns":        {[]string{plain, "--format", "CSV"}, "the delimiter of csv (--csv) may be Semicolon"},
		"no format":         {[]string{plain}, "or is any CSV whose columns csv (--csv) names"},
		"another delimiter": {[]string{plain, "--csv", "time=ts,timeFormat=Seconds,inputTokens=prompt,outputTokens=completion"}, "the delimiter of csv (--csv) may be Semicolon"},
		"rows in disorder":  {[]string{disorder}, "row 3: arrived_at: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a slice beyond":    {[]string{disorder, "--order", "Sort", "--slice", "from=5s"}, "no request arrives in the slice from 5s on: the trace spans 1s"},
	} {
		for _, verb := range []string{"stat", "inspect"} {
			_, err := windtunnel(t, append([]string{"trace", verb}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: got %v, want %s", verb, name, err, tc.want)
			}
		}
	}
}

// What convert writes as CSV, the other verbs read without an option.
func TestAWrittenCSVIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "day.csv")
	in := cmdtest.TempFile(t, "day", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,5\n")
	if _, err := converted(t, in, "--to", "CSV", "-o", file); err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, "trace", "inspect", file); !strings.Contains(out, "format               CSV\nrequests             2\n") {
		t.Errorf("inspect prints\n%s", out)
	}
	if out, err := converted(t, file, "--to", "Vidur"); err != nil || !strings.HasSuffix(out, "0,2,3\n1,4,5\n2 requests written as Vidur\n") {
		t.Errorf("convert prints\n%s%v", out, err)
	}
	run := cmdtest.Edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: CSV, file: "+file+"}\n      clients:")
	mustRun(t, "run", "-f", run)
}

// configmap recognises formats, as the other verbs do.
func TestTheFormatOfAConfigMapsTraceIsRecognised(t *testing.T) {
	in := cmdtest.TempFile(t, "day.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,5\n")
	if out := mustRun(t, "trace", "configmap", in, "--name", "day"); !strings.Contains(out, "  day.csv.gz: ") {
		t.Errorf("prints\n%s", out)
	}
	folder := filepath.Join("..", "..", "pkg", "workload", "servegen", "testdata", "day")
	if out := mustRun(t, "trace", "configmap", folder, "--name", "day"); !strings.Contains(out, "  day.tar.gz: ") {
		t.Errorf("prints\n%s", out)
	}
}

// Invalid documents are a few errors, and not one for each.
func TestManyInvalidDocumentsAreAFewErrors(t *testing.T) {
	file := cmdtest.TempFile(t, "day.jsonl", strings.Repeat(`{"some": "thing"}`+"\n", 500))
	_, err := windtunnel(t, "run", "-f", file)
	if cli.ExitCode(err) != cli.ExitBadInput || strings.Count(err.Error(), "\n") != 20 || !strings.HasSuffix(err.Error(), "480 more documents are invalid") {
		t.Errorf("got %v", err)
	}
}

// The error of a trace's row names its file once, as the manifest does.
func TestErrorsOfRowsNameTheFile(t *testing.T) {
	file := cmdtest.TempFile(t, "day.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n2,1,1\n1,1,1\n")
	run := cmdtest.Edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: Vidur, file: "+file+"}\n      clients:")
	_, err := windtunnel(t, "run", "-f", run)
	want := fmt.Sprintf("spec.scenario.workload.trace.file: Invalid value: %q: trace %s: row 3: arrived_at: is earlier", file, file)
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Times in another unit are a warning of each verb.
func TestOddTimesAreWarnings(t *testing.T) {
	file := cmdtest.TempFile(t, "day.csv", "ts,in,out\n1700000000,10,5\n1700003600,10,5\n")
	csv := "time=ts,timeFormat=Milliseconds,inputTokens=in,outputTokens=out"
	const want = "times such as 1700000000 are read as milliseconds, but look like seconds since 1970"
	run := cmdtest.Edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: CSV, file: "+file+", csv: {"+
		strings.ReplaceAll(strings.ReplaceAll(csv, "=", ": "), ",", ", ")+"}}\n      clients:")
	for _, args := range [][]string{
		{"trace", "inspect", file, "--csv", csv}, {"trace", "convert", file, "--to", "Vidur", "--csv", csv}, {"run", "-f", run},
	} {
		if out := mustRun(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v does not warn:\n%s", args, out)
		}
	}
}

// -o has formats in inspect and files elsewhere: a file with the name of a format is a mistake.
func TestOutputsWithTheNameOfAFormatAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	mustRun(t, "trace", "generate", "--requests", "100", "-o", "day.jsonl")
	for _, args := range [][]string{
		{"fit", "day.jsonl"}, {"convert", "day.jsonl", "--to", "Vidur"}, {"generate"}, {"configmap", "day.jsonl", "--name", "day"},
	} {
		for _, format := range inspectFormats {
			_, err := windtunnel(t, append(append([]string{"trace"}, args...), "-o", string(format))...)
			want := fmt.Sprintf("-o %s: must be a file, and %s is a format of windtunnel trace inspect: for a file of that name, use -o ./%s", format, format, format)
			if cli.ExitCode(err) != cli.ExitBadInput || err.Error() != want {
				t.Errorf("%s: got %v, want %s", args[0], err, want)
			}
		}
	}
	mustRun(t, "trace", "convert", "day.jsonl", "--to", "Vidur", "-o", "./svg")
	if left, err := filepath.Glob("*"); err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}

// inspect says of requests that wait how they are placed, and what is left out.
func TestInspectSaysWhatWaitsAndWhatIsLeftOut(t *testing.T) {
	file := cmdtest.TempFile(t, "day.jsonl", workloadtest.SessionTrace+`{"timestamp": 9000000, "input_length": 10, "output_length": 0, "hash_ids": [1]}`+"\n")
	out := mustRun(t, "trace", "inspect", file, "--zero-output", "Skip")
	for _, want := range []string{
		"wait for an answer   ", "they are placed as if each request were answered at once", "waiting-requests: ",
		"without output       1 requests have 0 output tokens, or wait for such a request, and are left out",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}

// TestTracesOfAgentsKeepToGOMEMLIMIT: the requests of agents are all in memory, which GOMEMLIMIT may bound.
func TestTracesOfAgentsKeepToGOMEMLIMIT(t *testing.T) {
	file := cmdtest.TempFile(t, "weka.jsonl", `{"id":"s","block_size":1,"requests":[{"t":0,"type":"n","in":200000,"out":1,"hash_ids":[`+strings.TrimSuffix(strings.Repeat("7,", 200000), ",")+`]}]}`)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(2 << 20))
	for _, args := range [][]string{{"inspect", file}, {"convert", file, "--to", "Windtunnel"}} {
		if out, err := windtunnel(t, append([]string{"trace"}, args...)...); err == nil {
			t.Errorf("trace %s takes more memory than there is:\n%s", args[0], out)
		} else if !strings.Contains(err.Error(), "row 1: ") {
			t.Errorf("trace %s: %v", args[0], err)
		}
	}
}
