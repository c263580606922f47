// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

func TestReflectPrintsASummary(t *testing.T) {
	const run = "testdata/explain.yaml"
	for strategy, section := range map[string]string{
		"issue_focused":  "## Key issues",
		"decision_audit": "## Decisions at equal distances",
		"pattern_mining": "## Patterns of missed targets",
		"counterfactual": "## Counterfactual analysis",
	} {
		t.Run(strategy, func(t *testing.T) {
			got := mustRun(t, "run", "-f", run, "--reflect", strategy, "--max-tokens", "300")
			if !strings.HasPrefix(got, "## Outcome\n- Seed 42: ") || !strings.Contains(got, section) || len(got) > 1200 {
				t.Errorf("%d characters:\n%s", len(got), got)
			}
			if again := mustRun(t, "run", "-f", run, "--reflect", strategy, "--max-tokens", "300"); again != got {
				t.Errorf("another time:\n%s", again)
			}
		})
	}
}

func TestReflectWritesTheReport(t *testing.T) {
	var got struct {
		Kind    string
		Report  struct{ Seed int64 }
		Summary string
	}
	if err := json.Unmarshal([]byte(mustRun(t, "run", "-f", "testdata/explain.yaml", "--reflect", "issue_focused", "--seed", "7", "-o", "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "SimulationRun" || got.Report.Seed != 7 || !strings.HasPrefix(got.Summary, "## Outcome\n- Seed 7: ") {
		t.Errorf("%+v", got)
	}
}

func TestReflectRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an unknown strategy":   {[]string{"--reflect", "blame"}, "must be issue_focused, decision_audit, counterfactual or pattern_mining"},
		"a length alone":        {[]string{"--max-tokens", "700"}, "--max-tokens needs --reflect"},
		"too few tokens":        {[]string{"--reflect", "issue_focused", "--max-tokens", "9"}, "must be at least 100"},
		"an explanation beside": {[]string{"--reflect", "issue_focused", "--explain", "1"}, "use it without --explain"},
		"a format of metrics":   {[]string{"--reflect", "issue_focused", "-o", "prometheus"}, "use it without -o prometheus"},
		"all faults at once":    {[]string{"--reflect", "blame", "--max-tokens", "9"}, "must be at least 100"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, append([]string{"run", "-f", "testdata/explain.yaml"}, test.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), test.want) {
				t.Errorf("exit code %d: %v, want %q", cli.ExitCode(err), err, test.want)
			}
		})
	}
}
