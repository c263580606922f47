// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestTraceWritesEveryDecision(t *testing.T) {
	folder := t.TempDir()
	plain, packed := filepath.Join(folder, "d.jsonl"), filepath.Join(folder, "d.jsonl.gz")
	with := mustRun(t, "run", "-f", "testdata/explain.yaml", "--trace", plain)
	mustRun(t, "run", "-f", "testdata/explain.yaml", "--trace", packed, "--parallelism", "1")
	if with != mustRun(t, "run", "-f", "testdata/explain.yaml") {
		t.Error("a trace changes what is printed")
	}
	text := testfile.Read(t, plain)
	if !bytes.Equal(text, gunzip(t, packed)) {
		t.Error("compressed, the decisions are others")
	}
	type line struct {
		Seed    int64
		Request struct{ ID int }
	}
	var seeds []int64
	first := map[int64]map[int]bool{42: {}, 43: {}}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var l line
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, l.Seed)
		first[l.Seed][l.Request.ID] = true
	}
	if len(first[42]) != 400 || len(first[43]) != 400 || seeds[0] != 42 || seeds[len(seeds)-1] != 43 {
		t.Errorf("%d and %d requests, seeds from %d to %d", len(first[42]), len(first[43]), seeds[0], seeds[len(seeds)-1])
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 2 {
		t.Errorf("there are %s", files)
	}
}

func gunzip(t *testing.T, name string) []byte {
	t.Helper()
	f := testfile.Open(t, name)
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestATraceThatCannotBeWrittenLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "missing", "d.jsonl")
	if _, err := windtunnel(t, "run", "-f", "testdata/explain.yaml", "--trace", name); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "missing") {
		t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
	}
	// What stands there already is no file.
	name = filepath.Join(folder, "d.jsonl")
	if err := os.MkdirAll(filepath.Join(name, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := windtunnel(t, "run", "-f", "testdata/explain.yaml", "--trace", name); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 1 {
		t.Errorf("there are %s", files)
	}
}

func TestATraceThatIsForAClusterIsReported(t *testing.T) {
	name := cmdtest.Edited(t, "testdata/run.yaml", "  replications:", "  trace: {level: Decisions}\n  replications:")
	const want = "warning: spec.trace: only a cluster stores traces"
	if out := mustRun(t, "run", "-f", name); !strings.Contains(out, want) {
		t.Errorf("there is no %q in\n%s", want, out)
	}
	if out := mustRun(t, "run", "-f", name, "--trace", filepath.Join(t.TempDir(), "d.jsonl")); strings.Contains(out, want) {
		t.Errorf("it is said beside --trace:\n%s", out)
	}
}

// A table has what the lines have: as many decisions, in the same order.
func TestATraceAsATable(t *testing.T) {
	folder := t.TempDir()
	lines, table := filepath.Join(folder, "d.jsonl"), filepath.Join(folder, "d.parquet")
	mustRun(t, "run", "-f", "testdata/explain.yaml", "--trace", lines)
	mustRun(t, "run", "-f", "testdata/explain.yaml", "--trace", table)
	rows, err := parquet.ReadFile[result.DecisionRow](table)
	if err != nil {
		t.Fatal(err)
	}
	text := testfile.Read(t, lines)
	d, n, found := json.NewDecoder(bytes.NewReader(text)), 0, 0
	for ; d.More(); n++ {
		var l execute.RoutingRecord
		if err := d.Decode(&l); err != nil {
			t.Fatal(err)
		}
		r := &rows[n]
		if r.Seed != l.Seed || r.Request != int64(l.Request.ID) || r.Ended != l.Outcome.Ended || len(r.Endpoints) != len(l.Endpoints) {
			t.Fatalf("row %d is of request %d of seed %d, line of %d of %d", n, r.Request, r.Seed, l.Request.ID, l.Seed)
		}
		if l.Endpoint != nil && *r.Endpoint != l.Names[*l.Endpoint] {
			t.Errorf("row %d: endpoint %s, line %s", n, *r.Endpoint, l.Names[*l.Endpoint])
		}
		if len(l.Profiles) > 0 && len(l.Profiles[0].Scores) > 0 {
			got, want := r.Profiles[0].Scorers, l.Profiles[0].Scorers
			if len(got) != len(want) || got[0].Raw[0] != float64(want[0].Raw[0]) || r.Profiles[0].Scores[0] != float64(l.Profiles[0].Scores[0]) {
				t.Errorf("row %d: %+v, line %+v", n, r.Profiles[0], l.Profiles[0])
			}
		}
		for e := range l.Endpoints {
			if *r.Endpoints[e].ScrapeAgeSeconds != *l.Endpoints[e].ScrapeAgeSeconds {
				t.Fatalf("row %d: metrics of endpoint %d are %g s old, line %g", n, e, *r.Endpoints[e].ScrapeAgeSeconds, *l.Endpoints[e].ScrapeAgeSeconds)
			}
		}
		if l.Outcome.CacheHit != nil && *l.Outcome.CacheHit {
			found++
		}
	}
	if n != len(rows) || n < 800 || found == 0 {
		t.Errorf("%d lines, %d rows, %d with cached tokens", n, len(rows), found)
	}
}

// At level Full, tables have what the lines have: as many records of each kind, in the same order.
func TestAFullTraceAsTables(t *testing.T) {
	folder := t.TempDir()
	run := func(name string, flags ...string) string {
		file := filepath.Join(folder, name)
		mustRun(t, append([]string{"run", "-f", "testdata/trace-full.yaml", "--trace", file, "--trace-level", "Full"}, flags...)...)
		return file
	}
	lines := testfile.Read(t, run("t.jsonl"))
	if packed := gunzip(t, run("t.jsonl.gz", "--parallelism", "1")); !bytes.Equal(lines, packed) {
		t.Error("compressed, the records are others")
	}
	tables := strings.TrimSuffix(run("t.parquet"), ".parquet")
	want := map[string][]float64{}
	for line := range bytes.Lines(lines) {
		var r struct {
			Record    string
			AtSeconds float64
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		want[r.Record] = append(want[r.Record], r.AtSeconds)
	}
	type row struct {
		Object    string  `parquet:"object"`
		AtSeconds float64 `parquet:"at_seconds"`
	}
	for _, kind := range append(slices.Clone(result.RecordKinds), result.RoutingKind) {
		name := tables + "." + string(kind) + ".parquet"
		if kind == result.RoutingKind {
			name = tables + ".parquet"
		}
		rows, err := parquet.ReadFile[row](name)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, r := range rows {
			got = append(got, r.AtSeconds)
			if r.Object != "full" {
				t.Fatalf("a %s record is of %q", kind, r.Object)
			}
		}
		if diff := cmp.Diff(want[string(kind)], got); diff != "" {
			t.Errorf("times of %s records (−lines +table):\n%s", kind, diff)
		}
	}
	for _, kind := range []string{"admission", "priority", "routing", "batch", "preemption", "scaling", "replica"} {
		if len(want[kind]) == 0 {
			t.Errorf("there are no %s records", kind)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 2+1+len(result.RecordKinds) {
		t.Errorf("there are %s", files)
	}
}

func TestFlagsOfTraces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "d.jsonl")
	for name, tc := range map[string]struct {
		flags []string
		want  string
	}{
		"a level without a file":  {[]string{"--trace-level", "Full"}, "--trace-level needs --trace"},
		"a sample without a file": {[]string{"--trace-sample", "0.5"}, "--trace-sample needs --trace"},
		"no level":                {[]string{"--trace", file, "--trace-level", "Minimal"}, "must be Decisions or Full"},
		"a negative sample":       {[]string{"--trace", file, "--trace-sample", "-0.5"}, "must be greater than 0 and at most 1"},
		"all faults":              {[]string{"--trace-level", "all", "--trace-sample", "2"}, "--trace-sample needs --trace"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, append([]string{"run", "-f", "testdata/run.yaml"}, tc.flags...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, error %v, want %q", cli.ExitCode(err), err, tc.want)
			}
		})
	}
}

// The level and the sample of a run are the defaults of the flags.
func TestASampleOfATrace(t *testing.T) {
	folder := t.TempDir()
	lines := func(file string, flags ...string) int {
		name := filepath.Join(folder, "t.jsonl")
		mustRun(t, append([]string{"run", "-f", file, "--trace", name}, flags...)...)
		text := testfile.Read(t, name)
		return bytes.Count(text, []byte("\n"))
	}
	all := lines("testdata/explain.yaml")
	some := lines("testdata/explain.yaml", "--trace-sample", "0.25")
	if some == 0 || some >= all {
		t.Errorf("%d lines of %d", some, all)
	}
	spec := cmdtest.Edited(t, "testdata/explain.yaml", "  replications:", "  trace: {level: Full, sample: \"0.25\"}\n  replications:")
	if full := lines(spec); full <= some {
		t.Errorf("%d lines at level Full", full)
	}
	if same := lines(spec, "--trace-level", "Decisions"); same != some {
		t.Errorf("%d lines by the sample of the run, %d by the flag", same, some)
	}
}
