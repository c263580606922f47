// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestTraceGenerateWritesAWorkload(t *testing.T) {
	sample := filepath.Join("..", "..", "config", "samples", "simulationrun-poisson.yaml")
	file := filepath.Join(t.TempDir(), "poisson.jsonl.gz")
	said := mustRun(t, "trace", "generate", "-f", sample, "--requests", "500", "-o", file)
	if !strings.HasPrefix(said, "500 requests of SimulationRun ") {
		t.Errorf("said %q", said)
	}
	if out := mustRun(t, "trace", "inspect", file); !strings.Contains(out, "format               Windtunnel\nrequests             500\n") {
		t.Errorf("described as\n%s", out)
	}
	text := func(seed string) string {
		return mustRun(t, "trace", "generate", "-f", sample, "--requests", "20", "--seed", seed)
	}
	if diff := cmp.Diff(text("7"), text("7")); diff != "" {
		t.Errorf("the same seed (-first +second):\n%s", diff)
	}
	if text("7") == text("8") {
		t.Error("two seeds give the same trace")
	}
}

// traceRun replays trace.jsonl.
const traceRun = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata:
  name: replay
spec:
  scenario:
    horizon: {duration: 10h}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 2}
    router:
      endpointPickerConfig:
        inline: "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: queue-scorer}]"
    workload:
      trace: {format: Mooncake, file: trace.jsonl}
`

// The trace of a trace has the same requests and shares the same tokens.
func TestTraceGenerateWritesTheTraceOfATrace(t *testing.T) {
	folder := t.TempDir()
	recorded, again := filepath.Join(folder, "trace.jsonl"), filepath.Join(folder, "again.jsonl")
	mustRun(t, "trace", "generate", "--requests", "300", "-o", recorded)
	manifest := filepath.Join(folder, "run.yaml")
	testfile.Write(t, manifest, []byte(traceRun))
	mustRun(t, "trace", "generate", "-f", manifest, "-o", again)
	described := func(file string) string {
		return strings.Join(strings.Split(mustRun(t, "trace", "inspect", file), "\n")[1:8], "\n")
	}
	if diff := cmp.Diff(described(recorded), described(again)); diff != "" {
		t.Errorf("(-trace +its replay):\n%s", diff)
	}
}

func TestTraceGenerateOfUsersWhoWait(t *testing.T) {
	sample := filepath.Join("..", "..", "config", "samples", "simulationrun-closed-loop.yaml")
	_, err := windtunnel(t, "trace", "generate", "-f", sample)
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "say with --requests after how many it ends") {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(t.TempDir(), "x")
	said := mustRun(t, "trace", "generate", "-f", sample, "--requests", "50", "-o", file)
	if !strings.Contains(said, "requests that wait for answers are written as if each request were answered at once") {
		t.Errorf("said %q", said)
	}
	if _, err := windtunnel(t, "trace", "generate", "-f", sample, "--requests", "50", "--block-tokens", "0"); cli.ExitCode(err) != cli.ExitBadInput {
		t.Errorf("blocks of nothing: %v", err)
	}
}
