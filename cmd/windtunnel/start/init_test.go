// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/preset"
)

// What init writes is valid, simulates, and has nothing that lint finds.
func TestAFirstScenarioRuns(t *testing.T) {
	gateway := cmdtest.TempFile(t, "gateway.csv", "ts,prompt,completion\n2026-01-01T00:00:00Z,500,20\n2026-01-01T00:00:01Z,90,7\n2026-01-01T00:00:03Z,800,60\n")
	columns := "time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion"
	values := filepath.Join(cmdtest.Samples, "tasks", "values.yaml")
	for name, tc := range map[string]struct {
		args []string
		want []string
	}{
		"nothing":                          {nil, []string{"kind: SimulationRun", "The preset Chatbot, at 4 arrivals a second", "clients:\n"}},
		"Helm values, which lie elsewhere": {[]string{"--epp", values}, []string{"version: auto", "file: ", "values.yaml"}},
		"another EPP":                      {[]string{"--epp", values, "--epp-version", "router-v0.9"}, []string{"version: router-v0.9"}},
		"a trace in batches":               {[]string{"--trace", cmdtest.Mooncake(t), "--replicas", "8"}, []string{"The trace has 200 requests in", "arrivals: Spread", "format: Mooncake", "requests: 200", "replicas: 8"}},
		"a CSV with its columns":           {[]string{"--trace", gateway, "--csv", columns}, []string{"format: CSV", "inputTokens: prompt"}},
		"an imitation":                     {[]string{"--trace", cmdtest.Mooncake(t), "--imitate"}, []string{"clients:", "distribution: Histogram"}},
		"a sweep of the default":           {[]string{"--kind", "sweep"}, []string{"kind: PolicySweep", `- {name: prefixCache, value: "3"}`, "follow: {best: 1}"}},
		"a sweep of Helm values":           {[]string{"--kind", "sweep", "--epp", values, "--preset", "RAG", "--rate", "0.5", "--ttft", "900ms"}, []string{`rate: "0.5"`, "value: 900ms", "ttft: 900ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "scenario.yaml")
			said := mustRun(t, append([]string{"init", "-o", file}, tc.args...)...)
			raw := testfile.Read(t, file)
			for _, want := range tc.want {
				if !strings.Contains(string(raw), want) {
					t.Errorf("there is no %q in\n%s", want, raw)
				}
			}
			verb := "run"
			if strings.Contains(string(raw), "kind: PolicySweep") {
				verb = "sweep"
			}
			if want := file + " has a first scenario. next: windtunnel " + verb + " -f " + file + "\n"; !strings.HasSuffix(said, want) || strings.Contains(said, "does not tell which prompts share a beginning") != slices.Contains(tc.args, gateway) {
				t.Errorf("it said %q, want %q", said, want)
			}
			mustRun(t, "lint", file)
			mustRun(t, verb, "-f", file, "--dry-run")
			if verb == "run" {
				if _, err := windtunnel(t, verb, "-f", file); cli.ExitCode(err) == cli.ExitBadInput {
					t.Error(err)
				}
			}
			if _, err := windtunnel(t, "init", "-o", file); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "--force") {
				t.Errorf("the file is replaced: %v", err)
			}
			mustRun(t, "init", "-o", file, "--force")
		})
	}
}

func TestEachPresetMakesAFirstScenario(t *testing.T) {
	for _, name := range preset.Names() {
		file := filepath.Join(t.TempDir(), "scenario.yaml")
		mustRun(t, "init", "-o", file, "--preset", string(name))
		mustRun(t, "run", "-f", file, "--dry-run")
	}
}

func TestInitRefusesBadInput(t *testing.T) {
	noWeights := cmdtest.TempFile(t, "epp.yaml", "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins: [{type: random-picker}]\nschedulingProfiles: [{name: a, plugins: [{pluginRef: random-picker}]}]\n")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an unknown kind":        {[]string{"--kind", "x"}, "must be run or sweep"},
		"several faults":         {[]string{"--replicas", "0", "--rate", "-1"}, "--replicas must be at least 1\n--rate must be"},
		"an unknown preset":      {[]string{"--preset", "x"}, "must be one of Chatbot"},
		"an unknown model":       {[]string{"--model", "x"}, "spec.scenario.pools[0].model"},
		"an unknown accelerator": {[]string{"--accelerator", "x"}, "spec.scenario.pools[0].accelerator"},
		"a preset and a trace":   {[]string{"--trace", cmdtest.Mooncake(t), "--preset", "RAG"}, "for traffic without a trace"},
		"an imitation of none":   {[]string{"--imitate"}, "--imitate needs --trace"},
		"no such trace":          {[]string{"--trace", "/nowhere"}, "--trace: "},
		"no trace":               {[]string{"--trace", noWeights}, "--trace: "},
		"no such configuration":  {[]string{"--epp", "/nowhere"}, "--epp: "},
		"no configuration":       {[]string{"--epp", cmdtest.Mooncake(t)}, "is a trace in the format Mooncake, and --epp names an EndpointPickerConfig"},
		"nothing to vary":        {[]string{"--kind", "sweep", "--epp", noWeights}, "has nothing to vary"},
		"no folder":              {[]string{"-o", "/nowhere/scenario.yaml"}, "/nowhere"},
		"a folder":               {[]string{"-o", t.TempDir(), "--force"}, "is there"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "scenario.yaml")
			_, err := windtunnel(t, append([]string{"init", "-o", file}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, want %q: %v", cli.ExitCode(err), tc.want, err)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a file was written")
			}
		})
	}
}
