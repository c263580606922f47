// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Errors of the trace verbs say which option helps.
func TestTraceErrorsNameTheOption(t *testing.T) {
	plain := tempFile(t, "gateway.csv", "ts;prompt;completion\n1;2;3\n")
	disorder := tempFile(t, "disorder.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n2,1,1\n1,1,1\n")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown column": {[]string{plain, "--csv", "input=prompt"},
			`--csv: unknown key "input", want time, timeFormat, inputTokens, outputTokens, tenant, class, session, model, priority, delimiter`},
		"an unknown end":    {[]string{plain, "--slice", "start=5s"}, `--slice: unknown key "start", want from, to`},
		"no columns":        {[]string{plain, "--format", "CSV"}, "the delimiter of csv (--csv) may be Semicolon"},
		"no format":         {[]string{plain}, "or is any CSV whose columns csv (--csv) names"},
		"another delimiter": {[]string{plain, "--csv", "time=ts,timeFormat=Seconds,inputTokens=prompt,outputTokens=completion"}, "the delimiter of csv (--csv) may be Semicolon"},
		"rows in disorder":  {[]string{disorder}, "row 3: arrived_at: is earlier than in the row before: order (--order) Sort sorts rows"},
		"a slice beyond":    {[]string{disorder, "--order", "Sort", "--slice", "from=5s"}, "no request arrives in the slice from 5s on: the trace spans 1s"},
	} {
		for _, verb := range []string{"stat", "inspect"} {
			_, err := windtunnel(t, append([]string{"trace", verb}, tc.args...)...)
			if exitCode(err) != exitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s, %s: got %v, want %s", verb, name, err, tc.want)
			}
		}
	}
}

// What convert writes as CSV, the other verbs read without an option.
func TestAWrittenCSVIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "day.csv")
	in := tempFile(t, "day", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,5\n")
	if _, err := converted(t, in, "--to", "CSV", "-o", file); err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, "trace", "stat", file); !strings.HasPrefix(out, "format               CSV\nrequests             2\n") {
		t.Errorf("stat prints\n%s", out)
	}
	if out, err := converted(t, file, "--to", "Vidur"); err != nil || !strings.HasSuffix(out, "0,2,3\n1,4,5\n2 requests written as Vidur\n") {
		t.Errorf("convert prints\n%s%v", out, err)
	}
	run := edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: CSV, file: "+file+"}\n      clients:")
	mustRun(t, "run", "-f", run)
}

// configmap recognises formats, as the other verbs do.
func TestTheFormatOfAConfigMapsTraceIsRecognised(t *testing.T) {
	in := tempFile(t, "day.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n2,4,5\n")
	if out := mustRun(t, "trace", "configmap", in, "--name", "day"); !strings.Contains(out, "  day.csv.gz: ") {
		t.Errorf("prints\n%s", out)
	}
	folder := filepath.Join("..", "..", "pkg", "workload", "servegen", "testdata", "day")
	if out := mustRun(t, "trace", "configmap", folder, "--name", "day"); !strings.Contains(out, "  day.tar.gz: ") {
		t.Errorf("prints\n%s", out)
	}
}

// A trace in place of a manifest has a few errors, and not one for each row.
func TestATraceIsNoManifest(t *testing.T) {
	file := tempFile(t, "day.jsonl", mustRun(t, "trace", "generate", "--requests", "500"))
	_, err := windtunnel(t, "run", "-f", file)
	if exitCode(err) != exitBadInput || strings.Count(err.Error(), "\n") != mostInvalid || !strings.HasSuffix(err.Error(), "480 more documents are invalid") {
		t.Errorf("got %v", err)
	}
}

// The error of a trace's row names its file once, as the manifest does.
func TestErrorsOfRowsNameTheFile(t *testing.T) {
	file := tempFile(t, "day.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n2,1,1\n1,1,1\n")
	run := edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: Vidur, file: "+file+"}\n      clients:")
	_, err := windtunnel(t, "run", "-f", run)
	want := fmt.Sprintf("spec.scenario.workload.trace.file: Invalid value: %q: trace %s: row 3: arrived_at: is earlier", file, file)
	if exitCode(err) != exitBadInput || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Times in another unit are a warning of each verb.
func TestOddTimesAreWarnings(t *testing.T) {
	file := tempFile(t, "day.csv", "ts,in,out\n1700000000,10,5\n1700003600,10,5\n")
	csv := "time=ts,timeFormat=Milliseconds,inputTokens=in,outputTokens=out"
	const want = "times such as 1700000000 are read as milliseconds, but look like seconds since 1970"
	run := edited(t, "testdata/run.yaml", "      clients:", "      trace: {format: CSV, file: "+file+", csv: {"+
		strings.ReplaceAll(strings.ReplaceAll(csv, "=", ": "), ",", ", ")+"}}\n      clients:")
	for _, args := range [][]string{
		{"trace", "stat", file, "--csv", csv}, {"trace", "inspect", file, "--csv", csv}, {"trace", "convert", file, "--to", "Vidur", "--csv", csv}, {"run", "-f", run},
	} {
		if out := mustRun(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v does not warn:\n%s", args, out)
		}
	}
}
