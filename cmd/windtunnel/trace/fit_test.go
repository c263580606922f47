// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// TestAFitIsAWorkloadThatRuns fits a trace, and runs what comes of it.
func TestAFitIsAWorkloadThatRuns(t *testing.T) {
	folder := t.TempDir()
	recorded, traffic := filepath.Join(folder, "recorded.jsonl"), filepath.Join(folder, "traffic.yaml")
	mustRun(t, "trace", "generate", "-o", recorded, "--requests", "500")
	comparison := mustRun(t, "trace", "fit", recorded, "-o", traffic)
	for _, want := range []string{"requests  ", "KS distance, input tokens", "KS distance, gaps", "reuse, unbounded"} {
		if !strings.Contains(comparison, want) {
			t.Errorf("the comparison lacks %q:\n%s", want, comparison)
		}
	}
	fitted := cmdtest.TextOf(t, filepath.Clean(traffic))
	if !strings.HasPrefix(fitted, "# An imitation of the trace ") {
		t.Errorf("the file begins with %q", cmdtest.FirstLine(fitted))
	}
	run := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: fit}\nspec:\n  scenario:\n" +
		"    pools:\n    - {name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 4}\n" +
		"    router: {policies: {routing: {policy: round-robin}}}\n    " +
		strings.ReplaceAll(strings.TrimSpace(fitted), "\n", "\n    ") + "\n"
	if out := mustRun(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", run)); !strings.Contains(out, "ttft") && !strings.Contains(out, "TTFT") {
		t.Errorf("the run says:\n%s", out)
	}
	if again := mustRun(t, "trace", "fit", recorded); !strings.HasPrefix(again, fitted) {
		t.Error("standard output has another fit than the file")
	}
}

func TestAFitOfNothingIsBadInput(t *testing.T) {
	few := cmdtest.TempFile(t, "few.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,100,10\n")
	_, err := windtunnel(t, "trace", "fit", few)
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "few.csv: 1 requests are too few") {
		t.Errorf("error %v", err)
	}
}

// TestAnInterruptedFitWritesNothing ends the fit after the trace is read.
func TestAnInterruptedFitWritesNothing(t *testing.T) {
	text := mustRun(t, "trace", "generate", "--requests", "100")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := filepath.Join(t.TempDir(), "traffic.yaml")
	var said bytes.Buffer
	cmd := newRootCommand()
	cmd.SetArgs([]string{"trace", "fit", "-", "-o", out})
	cmd.SetIn(io.MultiReader(strings.NewReader(text), cancelling(cancel)))
	cmd.SetOut(&said)
	cmd.SetErr(&said)
	if err := cmd.ExecuteContext(ctx); err == nil || said.Len() > 0 {
		t.Errorf("error %v, said\n%s", err, said.String())
	}
	if left, err := filepath.Glob(out + "*"); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// cancelling is an empty reader that cancels a context.
type cancelling context.CancelFunc

func (c cancelling) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}

// TestAFitOfATraceWithoutBlocksDrawsNone bounds what the drawn imitation takes: a block a
// token would be some hundred MB.
func TestAFitOfATraceWithoutBlocksDrawsNone(t *testing.T) {
	text := []byte("arrived_at,num_prefill_tokens,num_decode_tokens\n")
	for i := range 500 {
		text = fmt.Appendf(text, "%d,%d,10\n", i, 50_000+i)
	}
	file := cmdtest.TempFile(t, "long.csv", string(text))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustRun(t, "trace", "fit", file, "-o", filepath.Join(t.TempDir(), "traffic.yaml"))
	runtime.ReadMemStats(&after)
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 100 {
		t.Errorf("allocates %d MiB", mib)
	}
}
