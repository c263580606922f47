// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const (
	// publishedTimes is what rests on an accelerator whose shares are published,
	// extrapolatedTimes on one whose shares were fitted on another model.
	publishedTimes = "llama on gb200, TP 1: shares of peak published (one MFU for both phases), fitted to no engine; " +
		"unchecked: no measurement of dense models on gb200, so calibrate before you rely on absolute times"
	extrapolatedTimes = "llama on rtx-4090, TP 1: shares of peak fitted on Llama-3.1-8B at TP 1 (a run of vLLM 0.19), not on Qwen/Qwen3-8B at TP 1; " +
		"unchecked: no measurement of Qwen/Qwen3-8B with these shares at TP 1, so calibrate before you rely on absolute times"
	warnedOfFit = "the shares of rtx-4090 were fitted on Llama-3.1-8B at TP 1, and this pool serves Qwen/Qwen3-8B at TP 1"
)

// steppedRun writes a run of one pool.
func steppedRun(t *testing.T, model, accelerator string) string {
	t.Helper()
	raw := cmdtest.TextOf(t, "testdata/step-times.yaml")
	return cmdtest.TempFile(t, accelerator+".yaml", strings.NewReplacer("MODEL", model, "ACCELERATOR", accelerator).Replace(raw))
}

func TestRunSaysWhatItsStepTimesRestOn(t *testing.T) {
	run := steppedRun(t, "Qwen/Qwen3-8B", "rtx-4090")
	table := mustRun(t, "run", "-f", run)
	if want := "\nStep times: " + extrapolatedTimes + ".\n"; !strings.Contains(table, want) {
		t.Errorf("the table lacks %q:\n%s", want, table)
	}
	if head, _, _ := strings.Cut(table, extrapolatedTimes); !strings.Contains(head, "warning: spec.scenario.pools[0]: "+warnedOfFit) {
		t.Errorf("there is no warning before the figures:\n%s", table)
	}
	var out struct {
		Status struct{ StepTimes, Warnings []string }
	}
	if err := json.Unmarshal([]byte(mustRun(t, "run", "-f", run, "-o", "json")), &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{extrapolatedTimes}, out.Status.StepTimes); diff != "" {
		t.Errorf("stepTimes in JSON (−want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(out.Status.Warnings, "\n"), warnedOfFit) {
		t.Errorf("warnings in JSON are %q", out.Status.Warnings)
	}
}

func TestSweepSaysWhatItsStepTimesRestOn(t *testing.T) {
	sweep, report := cmdtest.GatesSample(t, "accelerator: h100-sxm", "accelerator: gb200"), filepath.Join(t.TempDir(), "report.md")
	table := mustRun(t, "sweep", "-f", sweep, "--report", report)
	if want := "\nStep times: " + publishedTimes + ".\n"; !strings.Contains(table, want) {
		t.Errorf("the table lacks %q:\n%s", want, table)
	}
	raw := testfile.Read(t, report)
	if want := "\n- Step times: " + publishedTimes + ".\n"; !strings.Contains(string(raw), want) {
		t.Errorf("the report lacks %q:\n%s", want, raw)
	}
}

// Each side of a comparison says so where they differ, a simulated one and one
// that was read; where they do not, it is said once.
func TestCompareSaysWhatStepTimesRestOn(t *testing.T) {
	published, extrapolated := steppedRun(t, "Qwen/Qwen3-8B", "gb200"), steppedRun(t, "Qwen/Qwen3-8B", "rtx-4090")
	read := cmdtest.TempFile(t, "gb200.json", mustRun(t, "run", "-f", published, "-o", "json"))
	out := mustRun(t, "compare", read, extrapolated)
	for _, want := range []string{
		"\nStep times in " + read + ": " + publishedTimes + ".\n",
		"\nStep times in " + extrapolated + ": " + extrapolatedTimes + ".\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out = mustRun(t, "compare", read, published)
	if want := "\nStep times: " + publishedTimes + ".\n"; strings.Count(out, want) != 1 {
		t.Errorf("%q is not there once:\n%s", want, out)
	}
}
