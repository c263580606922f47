// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/printable"
)

// rollout is the scenario of the sweep of docs/first-sweep.md as a SimulationRun with some gates,
// and its EPP configuration with other weights of the prefix scorer.
func rollout(t *testing.T, gates string) (scenario string, epp func(weight string) string) {
	t.Helper()
	readme := cmdtest.TextOf(t, "../../docs/first-sweep.md")
	body := cmdtest.Between(t, readme, "spec:\n  scenario:\n    horizon: {requests: 2000}", "  parameters:\n")
	text := "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: rollout}\nspec:\n" +
		"  scenario:\n    horizon: {requests: 2000}" + body + "  replications: {seed: 42, count: 3}\n" + gates
	config := cmdtest.Between(t, readme, "        inline: |\n", "    workload:\n")
	config = strings.ReplaceAll(config, "\n          ", "\n")
	config = strings.TrimPrefix(config, "          ")
	return cmdtest.TempFile(t, "rollout.yaml", text), func(weight string) string {
		changed := strings.Replace(config, "prefix-cache-scorer, weight: 3", "prefix-cache-scorer, weight: "+weight, 1)
		return cmdtest.TempFile(t, "epp-"+weight+".yaml", changed)
	}
}

func TestCompareSaysWhetherTheSecondMayShip(t *testing.T) {
	const own = "  gates:\n  - {name: served, metric: completionRate, operator: AtLeast, value: 99%, confidence: \"0.95\"}\n"
	for name, tc := range map[string]struct {
		old, new, gates string
		flags           []string
		code            int
		want            string // the beginning of the first line
	}{
		"a worse one":                   {"3", "5", own, []string{"--gate", "ttft.p99<=+5%"}, cli.ExitFailed, "verdict: fail: gate ttft.p99<=+5%: the 99th percentile of the time to first token is 249 times the baseline's, above the limit of +5 %"},
		"a like one, with few seeds":    {"3", "3.6", own, []string{"--gate", "ttft.p99<=+5%"}, cli.ExitUnknown, "verdict: undecided: gate ttft.p99<=+5%: the 99th percentile of the time to first token is 1.95 % below the baseline's, and 3 seeds do not tell on which side of the limit of +5 % it lies; try about 19 seeds (replications.count)"},
		"a better one":                  {"0", "3", own, []string{"--gate", "ttft.p99<=-10%", "--gate", "ttft.p99 <= 500ms"}, cli.ExitOK, "verdict: pass: all 3 gates pass"},
		"gates of the file alone":       {"0", "3", own, nil, cli.ExitOK, "verdict: pass: the gate passes"},
		"a gate of a class and an unit": {"3", "5", "", []string{"--gate", "e2e.mean{tenant=default} <= 1s"}, cli.ExitFailed, "verdict: fail: gate e2e.mean{tenant=default}<=1s: the mean of the time to the last token of requests with tenant=default is 6.71 s, above the limit of 1 s"},
		"an equal one":                  {"3", "3", own, []string{"--gate", "ttft.p99<=+5%"}, cli.ExitOK, "verdict: pass: all 2 gates pass; both sides have the same effective configuration"},
		"an equal one that fails":       {"3", "3", "", []string{"--gate", "ttft.p99<=-5%"}, cli.ExitFailed, "verdict: fail: gate ttft.p99<=-5%: the 99th percentile of the time to first token is equal to the baseline's, above the limit of -5 %"},
		"an equal one without gates":    {"3", "3", "", nil, cli.ExitOK, "verdict: not judged: no gates are stated; both sides have the same effective configuration"},
		"less confidence":               {"3", "3.6", "", []string{"--gate", "ttft.p99<=+8%", "--confidence", "0.8"}, cli.ExitOK, "verdict: pass: the gate passes"},
		"no gates":                      {"3", "5", "", nil, cli.ExitOK, "verdict: not judged: no gates are stated; OLD wins: NEW is worse in 7 metrics (first itl.p50 +52.3 ± 2.8 %, p = 0.0071), better in none"},
	} {
		t.Run(name, func(t *testing.T) {
			scenario, epp := rollout(t, tc.gates)
			report := filepath.Join(t.TempDir(), "report.md")
			args := append([]string{"compare", epp(tc.old), epp(tc.new), "--scenario", scenario, "--report", report}, tc.flags...)
			out, err := windtunnel(t, args...)
			if cli.ExitCode(err) != tc.code {
				t.Errorf("it ends with %d (%v), want %d", cli.ExitCode(err), err, tc.code)
			}
			first := cmdtest.FirstLine(out)
			tc.want = strings.NewReplacer("OLD", args[1], "NEW", args[2]).Replace(tc.want)
			if !strings.HasPrefix(first, tc.want) {
				t.Errorf("the first line is %q, want %q", first, tc.want)
			}
			text, err := os.ReadFile(report)
			word, why, _ := strings.Cut(strings.TrimPrefix(first, "verdict: "), ": ")
			inReport := fmt.Sprintf("**%s**: %s", strings.ToUpper(word[:1])+word[1:], printable.Markdown(why))
			if err != nil || !strings.Contains(string(text), inReport) {
				t.Errorf("the report (%v) does not say %q:\n%.600s", err, inReport, text)
			}
		})
	}
}

// TestCompareJudgesResults: gates serve where nothing is simulated too.
func TestCompareJudgesResults(t *testing.T) {
	scenario, _ := rollout(t, "")
	results := cmdtest.TempFile(t, "run.json", mustRun(t, "run", "-f", scenario, "-o", "json"))
	out, err := windtunnel(t, "compare", results, results, "--gate", "goodput>=99%", "--gate", "ttft.p99<=+1%", "-o", "json")
	var got Output
	if cli.ExitCode(err) != cli.ExitUnknown || json.Unmarshal([]byte(out), &got) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Gates) != 2 || got.Gates[1].Verdict != "Pass" || !strings.HasPrefix(got.Verdict, "undecided: gate goodput>=99%") {
		t.Errorf("verdict %q, gates %+v", got.Verdict, got.Gates)
	}
}

func TestCompareTakesTheScenarioOfASweep(t *testing.T) {
	out, err := windtunnel(t, "compare", "epp.yaml", "epp.yaml", "--scenario", cmdtest.IsMyChangeSafe(t, "5", ""))
	if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "epp.yaml") {
		t.Fatalf("a file that is not there: %v, %s", err, out)
	}
	_, epp := rollout(t, "")
	out, err = windtunnel(t, "compare", epp("3"), epp("5"), "--scenario", cmdtest.IsMyChangeSafe(t, "5", ""))
	if cli.ExitCode(err) != cli.ExitFailed || !strings.HasPrefix(cmdtest.FirstLine(out), "verdict: fail: gate no-worse: the 99th percentile of the time to first token is 249 times the baseline's") {
		t.Errorf("%v: %s", err, cmdtest.FirstLine(out))
	}
	if !errors.As(err, new(cli.ReportedError)) {
		t.Error("standard error repeats the verdict")
	}
	// The sweep's only objective is the first row.
	_, table, _ := strings.Cut(out, "\nmetric ")
	_, rows, _ := strings.Cut(table, "\n")
	if !strings.HasPrefix(rows, "ttft.p99") {
		t.Errorf("the table does not begin with ttft.p99:\n%s", out)
	}
}

func TestGatesOfCompareAreReadWithTheirPlace(t *testing.T) {
	scenario, epp := rollout(t, "")
	for gate, want := range map[string]string{
		"ttft.p99":                       `--gate "ttft.p99": must be a metric, <= or >=, and a bound`,
		"ttft.p98<=5s":                   `--gate "ttft.p98<=5s".metric: Invalid value: "ttft.p98"`,
		"ttft.p99<=":                     `--gate "ttft.p99<="`,
		"ttft.p99<=fast":                 `--gate "ttft.p99<=fast".value`,
		"ttft.p99<=+5s":                  `--gate "ttft.p99<=+5s": a change from A must be in percent`,
		"ttft.p99{class=none}<=1s":       `--gate "ttft.p99{class=none}<=1s".metric: Invalid value: "ttft.p99{class=none}": the scenario has no such class`,
		"goodput>=95%":                   `--gate "goodput>=95%".metric: Invalid value: "goodput": needs latency targets`,
		"queueing.mean<=+5% in baseline": `--gate "queueing.mean<=+5% in baseline"`,
	} {
		_, err := windtunnel(t, "compare", epp("3"), epp("5"), "--scenario", scenario, "--gate", gate)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", gate, err, want)
		}
	}
}
