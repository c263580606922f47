// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// blindSweep is a sweep of the weight of prefixes, with what it says of its baseline and gates.
func blindSweep(t *testing.T, clients, more string) string {
	t.Helper()
	text := strings.NewReplacer("HORIZON", "requests: 300", "POOLS", blindPools, "ROUTER", blindEPP("prefix-cache-scorer"), "CLIENTS", clients, "EXTRA", "").Replace(blindScenario)
	text = strings.Replace(text, "kind: SimulationRun", "kind: PolicySweep", 1)
	return cmdtest.TempFile(t, "sweep.yaml", text+more)
}

const (
	blindWeights = `  parameters:
  - {name: prefix, path: "router.endpointPickerConfig.schedulingProfiles[default].plugins[prefix-cache-scorer].weight", values: ["0.3", "2", "9"]}
  objectives: [{metric: ttft.mean, direction: Minimize}]
  baseline: {parameters: [{name: prefix, value: "BASELINE"}]}
`
	blindGates = `  gates:
  - {name: served, metric: completionRate, operator: AtLeast, value: 1%, confidence: "0.95"}
  - {name: no-worse, metric: throughput.outputTokens, operator: AtLeast, versusBaseline: -99%, confidence: "0.95"}
`
)

// TestSweepsOfWhatNothingExercisesAreUndecided: whichever of the equal points ranks first, and
// whichever points gates are about, nothing is promoted.
func TestSweepsOfWhatNothingExercisesAreUndecided(t *testing.T) {
	const shared = `, copies: {count: 6, prefixes: Own}, prefix: {group: system, tokens: 2048}`
	every := strings.ReplaceAll(blindGates, "{name", "{subject: EveryOther, name")
	proposal := "  proposal:\n    endpointPickerConfig:\n" + strings.Replace(
		strings.SplitAfterN(blindEPP("prefix-cache-scorer"), "endpointPickerConfig:\n", 2)[1], "scorer, weight: 2", "scorer, weight: 0.3", 1) + "\n"
	for name, tc := range map[string]struct {
		more string
	}{
		"a better point than the baseline": {strings.Replace(blindWeights, "BASELINE", "2", 1) + blindGates},
		"the baseline is first":            {strings.Replace(blindWeights, "BASELINE", "0.3", 1) + blindGates},
		"gates about all other points":     {strings.Replace(blindWeights, "BASELINE", "0.3", 1) + every},
		"a proposal":                       {proposal + blindGates},
	} {
		t.Run(name, func(t *testing.T) {
			promoted := filepath.Join(t.TempDir(), "new.yaml")
			out, err := windtunnel(t, "sweep", "-f", blindSweep(t, blindPlain, tc.more), "--promote", promoted)
			if cli.ExitCode(err) != cli.ExitUnknown || !strings.Contains(out, "verdict: undecided: 0 of 600 decisions differ over 2 seeds") || !strings.Contains(out, "no prompt found its beginning in a cache") {
				t.Errorf("exit code %d, %v\n%s", cli.ExitCode(err), err, out)
			}
			if _, err := os.Stat(promoted); err == nil {
				t.Error("it is promoted")
			}
			out, err = windtunnel(t, "sweep", "-f", blindSweep(t, clientOf("120", shared), tc.more))
			if cli.ExitCode(err) == cli.ExitUnknown || strings.Contains(out, "verdict: undecided") {
				t.Errorf("with shared prefixes: exit code %d, %v\n%s", cli.ExitCode(err), err, out)
			}
		})
	}
}

// TestReportsOfWhatNothingExercisedSaySo reads the verdict in each form of report.
func TestReportsOfWhatNothingExercisedSaySo(t *testing.T) {
	file := blindSweep(t, blindPlain, strings.Replace(blindWeights, "BASELINE", "0.3", 1)+blindGates)
	printed, _ := windtunnel(t, "sweep", "-f", file, "-o", "json")
	sweep := cmdtest.TempFile(t, "sweep.json", printed)
	for _, args := range [][]string{
		{"sweep", "-f", file, "--report", "report.md"}, {"sweep", "-f", file, "--report", "report.html"},
		{"report", sweep, "-o", "markdown"}, {"report", sweep},
	} {
		var told string
		if args[0] == "report" {
			told = mustRun(t, args...)
		} else {
			to := filepath.Join(t.TempDir(), args[4])
			_, _ = windtunnel(t, append(args[:4:4], to)...)
			raw := cmdtest.TextOf(t, to)
			told = raw
		}
		if !strings.Contains(told, "0 of 600 decisions differ over 2 seeds") || strings.Contains(told, "**Pass**") || strings.Contains(told, "**Fail**") || strings.Contains(told, "</span> Pass</h1>") || strings.Contains(told, "</span> Fail</h1>") {
			t.Errorf("%v:\n%.3000s", args, told)
		}
	}
}
