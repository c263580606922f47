// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
)

func readLines(t *testing.T, name string) *result.Lines {
	t.Helper()
	raw := testfile.Read(t, name)
	lines := jsontest.Decode[result.Lines](t, raw)
	return &lines
}

func TestRunWritesSeries(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "a.json"), filepath.Join(folder, "b.json")
	with := mustRun(t, "run", "-f", "testdata/explain.yaml", "-o", "json", "--series", first)
	if with != mustRun(t, "run", "-f", "testdata/explain.yaml", "-o", "json") {
		t.Error("series change what is printed")
	}
	mustRun(t, "run", "-f", "testdata/explain.yaml", "--series", second, "--parallelism", "1", "--trace", filepath.Join(folder, "d.jsonl"))
	a, b := cmdtest.TextOf(t, first), cmdtest.TextOf(t, second)
	if a != b {
		t.Error("one simulation at a time, the series are others")
	}
	lines := readLines(t, first)
	if lines.Runs != 2 || len(lines.Pools) == 0 || len(lines.Replicas) == 0 || len(lines.Distributions) == 0 {
		t.Errorf("%d runs, %d pools, %d replicas, %d distributions", lines.Runs, len(lines.Pools), len(lines.Replicas), len(lines.Distributions))
	}
	if n := len(lines.BinsSeconds); n > result.MaxSeriesBins {
		t.Errorf("%d bins", n)
	}
}

func TestSeriesHaveTheBinsOfTheSpec(t *testing.T) {
	name := cmdtest.Edited(t, "testdata/run.yaml", "  replications:", "  trace: {series: {bins: 10}}\n  replications:")
	file := filepath.Join(t.TempDir(), "s.json")
	const want = "warning: spec.trace.series: only a cluster stores series"
	if out := mustRun(t, "run", "-f", name); !strings.Contains(out, want) {
		t.Errorf("there is no %q in\n%s", want, out)
	}
	if out := mustRun(t, "run", "-f", name, "--series", file); strings.Contains(out, want) {
		t.Errorf("it is said beside --series:\n%s", out)
	}
	if n := len(readLines(t, file).BinsSeconds); n < 5 || n > 10 {
		t.Errorf("%d bins", n)
	}
}

func TestSeriesThatCannotBeWrittenAreRefused(t *testing.T) {
	folder := t.TempDir()
	for name, args := range map[string][]string{
		"no such folder":            {"run", "-f", "testdata/explain.yaml", "--series", filepath.Join(folder, "missing", "s.json")},
		"beside an explanation":     {"run", "-f", "testdata/explain.yaml", "--series", filepath.Join(folder, "s.json"), "--explain", "17"},
		"beside a reflection":       {"run", "-f", "testdata/explain.yaml", "--series", filepath.Join(folder, "s.json"), "--reflect", "issue_focused"},
		"bins beyond those allowed": {"run", "-f", cmdtest.Edited(t, "testdata/run.yaml", "  replications:", "  trace: {series: {bins: 601}}\n  replications:")},
	} {
		if _, err := windtunnel(t, args...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: exit code %d: %v", name, cli.ExitCode(err), err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) != 0 {
		t.Errorf("there are %s", files)
	}
}
