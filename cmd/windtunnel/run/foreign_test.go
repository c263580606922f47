// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// What is told of a program that runs behind a fence is what is told of one in this process.
func TestStoriesOfForeignPrograms(t *testing.T) {
	run := filepath.Join(cmdtest.Samples, "simulationrun-bundle.yaml")
	for name, args := range map[string][]string{
		"a request":           {"--explain", "100"},
		"a request in JSON":   {"--explain", "100", "-o", "json"},
		"a request elsewhere": {"--explain", "100", "--what-if", "--what-if-window", "1s", "--what-if-flips", "2", "-o", "yaml"},
		"a summary":           {"--reflect", "issue_focused"},
		"a report":            {"--reflect", "decision_audit", "-o", "json"},
	} {
		t.Run(name, func(t *testing.T) {
			args = append([]string{"run", "-f", run}, args...)
			want := mustRun(t, append(args, "--trust-programs")...)
			if diff := cmp.Diff(want, mustRun(t, args...)); diff != "" {
				t.Errorf("(-trusted +fence):\n%s", diff)
			}
		})
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no such request": {[]string{"--explain", "9999999"}, "--explain 9999999: "},
		"no scaler":       {[]string{"--explain", "scaling"}, "state one in spec.scenario.scalers"},
		"each decision":   {[]string{"--trace", filepath.Join(t.TempDir(), "a.jsonl")}, "--trust-programs"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, append([]string{"run", "-f", run}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("exit code %d: %v, want %q in it; output %q", cli.ExitCode(err), err, tc.want, out)
			}
		})
	}
}
