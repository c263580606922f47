// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// failing are the samples that show a gate that fails.
var failing = []string{"policysweep-canary-stopped.yaml"}

// TestSamplesRun runs every sample as its comments say.
func TestSamplesRun(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(cmdtest.Samples, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, name := range names {
		verb, _, _ := strings.Cut(filepath.Base(name), "-")
		verb = map[string]string{"simulationrun": "run", "policysweep": "sweep"}[verb]
		if verb == "" {
			continue
		}
		ran++
		t.Run(filepath.Base(name), func(t *testing.T) {
			want := cli.ExitOK
			if slices.Contains(failing, filepath.Base(name)) {
				want = cli.ExitFailed
			}
			out, err := windtunnel(t, verb, "-f", name)
			if got := cli.ExitCode(err); got != want || strings.TrimSpace(out) == "" {
				t.Errorf("exit code %d, want %d: %v\n%s", got, want, err, out)
			}
		})
	}
	if ran == 0 {
		t.Fatalf("there are no samples in %s", cmdtest.Samples)
	}
}

// TestBenchmarkSamplesRun runs the reference workloads with fewer requests: that
// they are fast is not for a test to say.
func TestBenchmarkSamplesRun(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(cmdtest.Samples, "bench", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no reference workloads in %s: %v", cmdtest.Samples, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text := cmdtest.TextOf(t, name)
			short := strings.Replace(text, "{requests: 50000}", "{requests: 2000}", 1)
			if short == text {
				t.Fatal("the sample does not have 50000 requests")
			}
			mustRun(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", short))
		})
	}
}

// TestDemo does what make demo does, in a folder of its own.
func TestDemo(t *testing.T) {
	manifest := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "demo", "sweep.yaml"))
	const recorded = "../../../dist/demo-trace.jsonl"
	if !strings.Contains(manifest, recorded) {
		t.Fatalf("the demo does not replay %s", recorded)
	}
	trace := filepath.Join(t.TempDir(), "trace.jsonl")
	mustRun(t, "trace", "generate", "--requests", "300", "--seed", "1", "-o", trace)
	name := cmdtest.TempFile(t, "sweep.yaml", strings.ReplaceAll(manifest, recorded, trace))
	if out := mustRun(t, "sweep", "-f", name); !strings.Contains(out, "PolicySweep") {
		t.Errorf("the demo printed\n%s", out)
	}
}
