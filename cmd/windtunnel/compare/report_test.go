// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// The ending of the file says which report compare writes: a page or Markdown. Both have the verdict
// of the gates and what differs.
func TestCompareWritesAReportByItsEnding(t *testing.T) {
	slower := cmdtest.Edited(t, "testdata/run.yaml", "replicas: 2", "replicas: 1")
	folder := t.TempDir()
	for file, c := range map[string]struct{ begins, without string }{
		"x.html": {"<!doctype html>", "\n# "},
		"x.md":   {"# ", "<html"},
	} {
		name := filepath.Join(folder, file)
		_, err := windtunnel(t, "compare", "testdata/run.yaml", slower, "--gate", "ttft.p99<=1ms", "--report", name)
		if cli.ExitCode(err) != cli.ExitFailed {
			t.Fatalf("error %v, want that of a gate that fails", err)
		}
		text := cmdtest.TextOf(t, name)
		if !strings.HasPrefix(text, c.begins) || strings.Contains(text, c.without) {
			t.Errorf("%s is another format:\n%.300s", file, text)
		}
		for _, want := range []string{"above the limit of 1 ms", "ttft.p99", "What differs"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q", file, want)
			}
		}
	}
}
