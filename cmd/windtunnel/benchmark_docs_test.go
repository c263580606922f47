// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
)

// TestThePageOnBenchmarkReportsWorks types what the page tells to type, and reads its
// description of a run.
func TestThePageOnBenchmarkReportsWorks(t *testing.T) {
	page := cmdtest.TextOf(t, "../../docs/benchmark-report.md")
	folder := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(folder, "windtunnel"), ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	config, err := filepath.Abs("../../config")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(config, filepath.Join(folder, "config")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	script, _ := typed(page)
	if out := inShell(t, folder, "set -e\n"+script); !strings.Contains(out, "B is a report of a simulation") {
		t.Errorf("the commands print\n%s", out)
	}
	for _, file := range []string{"benchmark_report_v0.2_sessions.yaml", "reports/benchmark_report_v0.2_gates-point-0.yaml"} {
		raw := testfile.Read(t, filepath.Join(folder, file))
		if _, errs := benchmark.Read(raw); len(errs) > 0 {
			t.Error(errs.ToAggregate())
		}
	}
}
