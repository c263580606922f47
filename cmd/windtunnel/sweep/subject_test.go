// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// TestIsMyChangeSafe asks of a change that ruins TTFT whether it may ship. The
// baseline, which is the best point, must not answer for it.
func TestIsMyChangeSafe(t *testing.T) {
	const fails = "gate no-worse: fail: prefixWeight=5: ttft.p99 ≤ baseline +5 % fails: 249 times the baseline"
	for name, tc := range map[string]struct {
		subject string
		want    []string
		code    int
	}{
		"of the best point": {"", []string{
			"gate no-worse: not judged: ttft.p99 ≤ baseline +5 % is not judged, because the baseline is the best point",
			"verdict: fail: keep what you have: the baseline ranks first; next is prefixWeight=5 with ttft.p99 249 ± 123 times the baseline's (worse)",
		}, cli.ExitFailed},
		"of the change":          {`, subject: Point, point: [{name: prefixWeight, value: "5"}]`, []string{fails}, cli.ExitFailed},
		"of every other point":   {`, subject: EveryOther`, []string{fails}, cli.ExitFailed},
		"of a point that is not": {`, subject: Point, point: [{name: prefixWeight, value: "4"}]`, []string{"gate no-worse: undecided: ttft.p99 ≤ baseline +5 %: the search did not simulate prefixWeight=4"}, cli.ExitUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			promoted := filepath.Join(t.TempDir(), "epp.yaml")
			report := filepath.Join(t.TempDir(), "report.md")
			out, err := windtunnel(t, "sweep", "-f", cmdtest.IsMyChangeSafe(t, "5", tc.subject), "--promote", promoted, "--report", report)
			if cli.ExitCode(err) != tc.code {
				t.Errorf("it ends with %d (%v), want %d", cli.ExitCode(err), err, tc.code)
			}
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("it does not say %q, but\n%s", want, out)
				}
			}
			if _, err := os.Stat(promoted); err == nil {
				t.Error("something is promoted")
			}
			text, err := os.ReadFile(report)
			if keep := strings.Contains(string(text), "**Fail**: keep what you have"); err != nil || keep != (tc.subject == "") {
				t.Errorf("the report (%v) begins\n%.300s", err, text)
			}
		})
	}
}
