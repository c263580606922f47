// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// TestDocsSweeps: what the page on sweeps tells to type works, in its order.
func TestDocsSweeps(t *testing.T) {
	page := testfile.Read(t, "../../docs/sweeps.md")
	_, rest, ok := strings.Cut(string(page), "```sh\nwindtunnel sweep -f policysweep-gates.yaml")
	block, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatal("the page has no commands about gates")
	}
	sample := testfile.Read(t, "../../config/samples/policysweep-gates.yaml")
	folder := t.TempDir()
	testfile.Write(t, filepath.Join(folder, "policysweep-gates.yaml"), sample)
	t.Chdir(folder)
	for line := range strings.Lines("windtunnel sweep -f policysweep-gates.yaml" + block) {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		if out := mustRun(t, args[1:]...); len(out) == 0 {
			t.Errorf("%s prints nothing", line)
		}
	}
	for _, name := range []string{"epp.yaml", "report.md", "sweep.state"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// TestDocsCanaries: the page on sweeps shows what the samples of canaries print of their steps.
func TestDocsCanaries(t *testing.T) {
	page := testfile.Read(t, "../../docs/sweeps.md")
	for _, sample := range []string{"policysweep-canary.yaml", "policysweep-canary-stopped.yaml"} {
		out, _ := windtunnel(t, "sweep", "-f", "../../config/samples/"+sample) // that it fails is what the page shows
		_, steps, _ := strings.Cut(out, "\n\n")
		steps, _, _ = strings.Cut(steps, "\n\ndecisions:")
		command := "```sh\nwindtunnel sweep -f config/samples/" + sample + "\n```\n\n"
		if !strings.Contains(string(page), command+"```\n"+steps+"\n```\n") {
			t.Errorf("the page has not after %s\n%s", sample, steps)
		}
	}
}
