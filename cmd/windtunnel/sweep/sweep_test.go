// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/state"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
)

const sampleGate = "metric: ttft.p99, operator: AtMost, value: 2s"

// A target of 350 ms is one that some requests miss, so that two seeds do not decide on goodput and
// eight do.
func TestGatesDecideTheExitCode(t *testing.T) {
	for name, tc := range map[string]struct {
		gate, seeds string
		code        int
		text        string
	}{
		"passes":      {sampleGate, "confirm: 8", cli.ExitOK, "gate slow-requests: pass: "},
		"fails":       {"metric: ttft.p99, operator: AtMost, value: 1ms", "confirm: 8", cli.ExitFailed, "gate slow-requests: fail: "},
		"is not sure": {sampleGate, "confirm: 2", cli.ExitUnknown, "gate goodput: undecided: "},
	} {
		t.Run(name, func(t *testing.T) {
			file := cmdtest.GatesSample(t, "ttft: 1s", "ttft: 350ms", sampleGate, tc.gate, "confirm: 8", tc.seeds)
			promoted := filepath.Join(t.TempDir(), "epp.yaml")
			out, err := windtunnel(t, "sweep", "-f", file, "--promote", promoted)
			if got := cli.ExitCode(err); got != tc.code {
				t.Errorf("exit code %d, want %d: %v\n%s", got, tc.code, err, out)
			}
			if !strings.Contains(out, tc.text) {
				t.Errorf("output lacks %q:\n%s", tc.text, out)
			}
			if _, err := os.Stat(promoted); (err == nil) != (tc.code == cli.ExitOK) {
				t.Errorf("promoted: %v", err)
			}
		})
	}
}

func TestGatesOfARunDecideTheExitCode(t *testing.T) {
	raw := cmdtest.TextOf(t, "../../config/samples/simulationrun-poisson.yaml")
	for bound, code := range map[string]int{"1h": cli.ExitOK, "1us": cli.ExitFailed} {
		gates := "spec:\n  gates:\n  - {name: all, metric: ttft.p99, operator: AtMost, value: " + bound + ", confidence: \"0.95\"}\n"
		file := cmdtest.TempFile(t, "run.yaml", strings.Replace(raw, "spec:\n", gates, 1))
		out, err := windtunnel(t, "run", "-f", file)
		// One seed is no evidence, unless the sample has more.
		if got := cli.ExitCode(err); got != code && got != cli.ExitUnknown || !strings.Contains(out, "gate all: ") {
			t.Errorf("%s: exit code %d, want %d: %v", bound, got, code, err)
		}
	}
}

func TestPromoteChangesTheChosenLines(t *testing.T) {
	file, promoted := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "epp.yaml")
	mustRun(t, "sweep", "-f", file, "--promote", promoted)
	got := testfile.Read(t, promoted)
	for _, want := range []string{"# The EPP's configuration as it is in Git.\n", "- type: queue-scorer          # short queues\n", "weight: 1                 # not before it is measured\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the promoted file lacks %q:\n%s", want, got)
		}
	}
	mustRun(t, "lint", promoted)
	printed, err := windtunnel(t, "sweep", "-f", file, "--promote", "-")
	if err != nil || !strings.Contains(printed, string(got)) {
		t.Errorf("printed, %v:\n%s", err, printed)
	}
}

func TestPromoteAnyway(t *testing.T) {
	file := cmdtest.GatesSample(t, sampleGate, "metric: ttft.p99, operator: AtMost, value: 1ms")
	promoted := filepath.Join(t.TempDir(), "epp.yaml")
	_, err := windtunnel(t, "sweep", "-f", file, "--promote", promoted, "--promote-anyway")
	if _, statErr := os.Stat(promoted); cli.ExitCode(err) != cli.ExitFailed || statErr != nil {
		t.Errorf("exit %d, %v", cli.ExitCode(err), statErr)
	}
}

func TestAKilledSweepGoesOnWithItsState(t *testing.T) {
	file, folder := cmdtest.GatesSample(t), t.TempDir()
	whole := filepath.Join(folder, "whole")
	want := mustRun(t, "sweep", "-f", file, "--state", whole, "-o", "json")
	raw := testfile.Read(t, whole)
	lines := bytes.SplitAfter(raw, []byte("\n"))
	foreign := append([]byte(nil), bytes.Replace(lines[1], []byte(`"key":"`), []byte(`"key":"0`), 1)...)
	for name, begun := range map[string][]byte{
		"nothing was done":       nil,
		"the header is cut off":  raw[:10],
		"some rows":              bytes.Join(lines[:7], nil),
		"a row that is cut off":  append(bytes.Join(lines[:7], nil), lines[7][:40]...),
		"all rows":               raw,
		"a row of another sweep": append(bytes.Join(lines[:3], nil), foreign...),
	} {
		kept := filepath.Join(folder, "begun")
		testfile.Write(t, kept, begun)
		if diff := cmp.Diff(want, mustRun(t, "sweep", "-f", file, "--state", kept, "-o", "json")); diff != "" {
			t.Errorf("%s (−want +got):\n%s", name, diff)
		}
		after := testfile.Read(t, kept)
		if name != "a row of another sweep" && bytes.Count(after, []byte("\n")) != len(lines)-1 {
			t.Errorf("%s: the state has %d lines, want %d", name, bytes.Count(after, []byte("\n")), len(lines)-1)
		}
	}
}

// A trial that failed as the machine had too little for it is tried again, on a machine that
// may have more.
func TestAStateTriesAgainWhatTheMachineDecided(t *testing.T) {
	file, kept := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "state")
	want := mustRun(t, "sweep", "-f", file, "--state", kept, "-o", "json")
	rows := mustRun(t, "results", "-f", kept)
	raw := testfile.Read(t, kept)
	lines := bytes.SplitAfter(raw, []byte("\n"))
	l := jsontest.Decode[state.Line](t, lines[1])
	l.Row.Metrics, l.Row.RejectedBy, l.Row.Decisions = result.Metrics{}, nil, result.Decisions{}
	l.Row.Error, l.Row.ByMachine = "out of memory", true
	failed := jsontest.Encode(t, l)
	begun := bytes.Join([][]byte{lines[0], append(failed, '\n')}, nil)
	testfile.Write(t, kept, begun)
	if diff := cmp.Diff(want, mustRun(t, "sweep", "-f", file, "--state", kept, "-o", "json")); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
	if diff := cmp.Diff(rows, mustRun(t, "results", "-f", kept)); diff != "" {
		t.Errorf("rows of the state (−want +got):\n%s", diff)
	}
}

func TestAStateIsNoOtherFile(t *testing.T) {
	file := cmdtest.GatesSample(t)
	_, err := windtunnel(t, "sweep", "-f", file, "--state", file)
	if cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("a manifest is taken for a state: %v", err)
	}
}

func TestFollowWritesRunsOfTheBestPoints(t *testing.T) {
	file, folder := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "best")
	out := mustRun(t, "sweep", "-f", file, "--follow", folder, "-o", "json")
	var sweep struct {
		Leaderboard struct {
			Candidates []struct {
				Point   int
				Metrics map[string]struct{ Mean float64 }
			}
		}
		Rows []struct {
			Point   int
			Key     string
			Seed    int64
			Metrics map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(out), &sweep); err != nil {
		t.Fatal(err)
	}
	var run struct {
		Rows []struct {
			Seed    int64
			Metrics map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(mustRun(t, "run", "-f", filepath.Join(folder, "gates-best-1.yaml"), "-o", "json")), &run); err != nil {
		t.Fatal(err)
	}
	best := sweep.Leaderboard.Candidates[0].Point
	for _, row := range run.Rows {
		for _, other := range sweep.Rows {
			if other.Point == best && other.Seed == row.Seed {
				if diff := cmp.Diff(other.Metrics, row.Metrics); diff != "" {
					t.Errorf("seed %d (−sweep +run):\n%s", row.Seed, diff)
				}
			}
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.yaml")); len(files) != 3 || len(run.Rows) != 3 {
		t.Errorf("%d files, a run of %d rows", len(files), len(run.Rows))
	}
}

func TestTopBoundsTheTable(t *testing.T) {
	file := cmdtest.GatesSample(t)
	if out := mustRun(t, "sweep", "-f", file, "--top", "2"); !strings.Contains(out, "--top 0 lists all candidates.") {
		t.Errorf("nothing is left out:\n%s", out)
	}
	if out := mustRun(t, "sweep", "-f", file); strings.Contains(out, "--top 0 lists all candidates.") {
		t.Errorf("something is left out:\n%s", out)
	}
}

func TestReportSaysWhatChangesAndOnWhatItRests(t *testing.T) {
	file, report := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "report.md")
	mustRun(t, "sweep", "-f", file, "--report", report)
	got := testfile.Read(t, report)
	for _, want := range []string{"# PolicySweep gates\n", "| prefix | 0 | **1** |", "version router-v0.10.0", "300 requests"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}
