// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

// lineWith is the line of a text that holds a part of it.
func lineWith(t *testing.T, text, part string) int {
	t.Helper()
	before, _, found := strings.Cut(text, part)
	if !found {
		t.Fatalf("no %q in\n%s", part, text)
	}
	return 1 + strings.Count(before, "\n")
}

func TestLintChecksManifests(t *testing.T) {
	sound := lint.Lookup("manifest").GoodExample()
	for name, tc := range map[string]struct {
		old, new string
		// at is a part of the line that has the finding; "" is none.
		at       string
		severity lint.Severity
		want     int
	}{
		"sound":               {"", "", "", "", cli.ExitOK},
		"a wrong field":       {"horizon: {requests: 20}", "horizont: {requests: 20}", "horizont", lint.Error, cli.ExitFailed},
		"a wrong kind":        {"kind: PolicySweep", "kind: PolicySweeep", "kind: PolicySweeep", lint.Error, cli.ExitFailed},
		"a CEL rule":          {"values: [\"1\", \"2\"]", "values: [\"1\"], range: {min: \"1\", max: \"2\", step: \"1\"}", "name: replicas, path", lint.Error, cli.ExitFailed},
		"a path to nothing":   {"pools[llama]", "pools[other]", "pools[other]", lint.Error, cli.ExitFailed},
		"an unknown metric":   {"ttft.p99", "ttft.p98765", "ttft.p98765", lint.Error, cli.ExitFailed},
		"a bad EPP file":      {"epp.yaml", "bad.yaml", "bad.yaml", lint.Error, cli.ExitFailed},
		"no EPP file":         {"epp.yaml", "none.yaml", "none.yaml", lint.Error, cli.ExitFailed},
		"an absent ConfigMap": {"{file: epp.yaml}", "{configMapRef: {name: epp, key: a}}", "configMapRef", lint.Info, cli.ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			text := "# A comment.\n---\n" + strings.Replace(sound, tc.old, tc.new, 1)
			folder := cmdtest.WriteFiles(t, map[string]string{"sweep.yaml": text, "epp.yaml": soundEPP, "bad.yaml": brokenEPP})
			file := filepath.Join(folder, "sweep.yaml")
			out, err := windtunnel(t, "lint", file)
			if got := cli.ExitCode(err); got != tc.want {
				t.Errorf("exit code %d, want %d: %v", got, tc.want, err)
			}
			want := file + ": PolicySweep replicas: no findings\n"
			if tc.at != "" {
				want = fmt.Sprintf("%s:%d:1: %s manifest: ", file, lineWith(t, text, tc.at), tc.severity)
			}
			if !strings.HasPrefix(out, want) || tc.at == "" && out != want {
				t.Errorf("want %q, got\n%s", want, out)
			}
			if tc.at != "" {
				checkSARIF(t, file, lineWith(t, text, tc.at))
				checkJSON(t, file, lineWith(t, text, tc.at))
			}
		})
	}
}

func checkSARIF(t *testing.T, file string, line int) {
	t.Helper()
	out, _ := windtunnel(t, "lint", file, "-o", "sarif", "--fail-on", "never")
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID    string
				Locations []struct {
					PhysicalLocation struct{ Region struct{ StartLine int } }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	first := log.Runs[0].Results[0]
	if got := first.Locations[0].PhysicalLocation.Region.StartLine; first.RuleID != "manifest" || got != line {
		t.Errorf("SARIF has rule %s on line %d, want line %d", first.RuleID, got, line)
	}
}

func checkJSON(t *testing.T, file string, line int) {
	t.Helper()
	out, _ := windtunnel(t, "lint", file, "-o", "json", "--fail-on", "never")
	all := jsontest.Decode[struct{ Reports []lint.Report }](t, []byte(out))
	if found := all.Reports[0].Manifests; len(found) == 0 || found[0].Rule != "manifest" || found[0].Line != line {
		t.Errorf("JSON has %+v, want line %d", found, line)
	}
}

func TestTheExamplesOfRuleManifest(t *testing.T) {
	rule := lint.Lookup("manifest")
	folder := cmdtest.WriteFiles(t, map[string]string{"good.yaml": rule.GoodExample(), "bad.yaml": rule.BadExample(), "epp.yaml": soundEPP})
	mustRun(t, "lint", filepath.Join(folder, "good.yaml"), "--fail-on", "info")
	if out, err := windtunnel(t, "lint", filepath.Join(folder, "bad.yaml")); cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "error manifest: spec.objectives[0].metric: ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSamplesLintClean(t *testing.T) {
	mustRun(t, "lint", "../../config/samples", "--summary")
}

// An inline configuration's mistakes are findings with lines of their own: rule
// manifest does not tell them again.
func TestInlineConfigurationsAreReportedOnce(t *testing.T) {
	inline := "\n        inline: |\n          " + strings.ReplaceAll(strings.TrimSpace(brokenEPP), "\n", "\n          ")
	text := strings.Replace(cmdtest.TinyRun("r", "2"), " {file: epp.yaml}", inline, 1)
	out, err := windtunnel(t, "lint", cmdtest.TempFile(t, "run.yaml", text), "--epp-version", "router-v0.10")
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, " error unknown-type: ") {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(out) {
		if strings.Contains(line, " manifest: ") && strings.Contains(line, "plugins[") {
			t.Errorf("told twice:\n%s", out)
		}
	}
}

func TestLinesOfItemsOfLists(t *testing.T) {
	item := strings.ReplaceAll(strings.TrimSpace(lint.Lookup("manifest").BadExample()), "\n", "\n  ")
	text := "apiVersion: v1\nkind: List\nitems:\n- " + item + "\n"
	file := filepath.Join(cmdtest.WriteFiles(t, map[string]string{"list.yaml": text, "epp.yaml": soundEPP}), "list.yaml")
	out, _ := windtunnel(t, "lint", file)
	if want := fmt.Sprintf("%s:%d:1: error manifest: ", file, lineWith(t, text, "p98765")); !strings.HasPrefix(out, want) {
		t.Errorf("want %s, got\n%s", want, out)
	}
}

// What only has a label of Windtunnel is no object of it.
func TestLabelsAreNoObjects(t *testing.T) {
	labelled := cmdtest.TempFile(t, "service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: s, labels: {sim.windtunnel.dev/run: r}}\n")
	checkExit(t, cli.ExitBadInput, "holds objects of v1 Service", "lint", labelled)
	mustRun(t, "lint", labelled, "--skip-others")
}

// A deprecated field is a warning of lint and of run, and changes nothing.
func TestADeprecatedFieldIsAWarning(t *testing.T) {
	rule := lint.Lookup(lint.DeprecatedField)
	file := cmdtest.TempFile(t, "run.yaml", rule.BadExample())
	const want = "spec.trace.anomalies: is deprecated, use spec.trace.thresholds"
	if out := mustRun(t, "lint", file, "--fail-on", string(lint.Error)); !strings.Contains(out, "warning deprecated-field: "+want) {
		t.Errorf("lint printed\n%s", out)
	}
	if out := mustRun(t, "run", "-f", file); !strings.Contains(out, want+" [deprecated-field]") {
		t.Errorf("run printed\n%s", out)
	}
	if out := mustRun(t, "lint", cmdtest.TempFile(t, "good.yaml", rule.GoodExample())); strings.Contains(out, lint.DeprecatedField) {
		t.Errorf("lint printed\n%s", out)
	}
}
