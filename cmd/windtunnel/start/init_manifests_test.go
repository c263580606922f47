// SPDX-License-Identifier: Apache-2.0

package start_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// manifests are texts of clusters, each with what is read of it beside it.
const manifests = "../../pkg/starter/deployment/testdata"

// What manifests say becomes a scenario that simulates, with what flags add to it.
func TestManifestsBecomeAScenarioThatRuns(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want []string // in the scenario
		said []string
	}{
		"chart": {nil,
			[]string{"version: router-v0.10.0", "file: ", "chart.yaml", "metricsRefreshInterval: 200ms", "replicas: 1\n      # The flag", "replicas: 2\n      engine:", "horizontalPodAutoscaler:",
				"name: interactive\n        preset:\n          name: Chatbot\n          rate: \"1\"\n        priority: 10", "class: batch"},
			[]string{"chat: options of vLLM that are not simulated: --enforce-eager\n", "--new-flag\n", "DestinationRule\n"}},
		"script":         {[]string{"--rate", "2"}, []string{"maxModelLen: 16384", "adapters:\n        max: 2"}, []string{"--speculative-config\n"}},
		"groups":         {nil, []string{"dataParallelism: 8", "accelerator: h200-sxm", "version: auto"}, []string{"the files have no EPP"}},
		"disaggregated":  {[]string{"--accelerator", "h100-sxm"}, []string{"role: Prefill", "always-disagg-pd-decider"}, nil},
		"kserve":         {nil, []string{"weights: fp8", "scaledObject:"}, []string{"2 EPPs elect a leader"}},
		"kserve-default": {[]string{"--accelerator", "l40s"}, []string{"no-hit-lru-scorer", "lora-affinity-scorer"}, []string{"no other service of the group llamas"}},
		"canary": {nil,
			[]string{"inferencePool: llama\n      metricsRefreshInterval: 200ms", "name: llama-canary\n      pools:\n      - llama-canary\n      replicas: 2", "httpRoute:\n        inline: |", "weight: 10}", "modelRewrites:"},
			[]string{"failureMode FailClose", "HTTPRoute other is for InferencePools that have no engine"}},
		"kserve-group": {nil, []string{"backends:\n      - router: stable\n        weight: 80\n      - router: canary\n        weight: 20"}, nil},
		"values":       {[]string{"--epp-version", "router-v0.10"}, []string{"version: router-v0.10\n", "replicas: 3", "metricsRefreshInterval: 5s", "tensorParallelism: 2"}, []string{"3 EPPs route"}},
		"chart-default": {[]string{"--model", "Qwen/Qwen3-8B", "--accelerator", "l40s", "--replicas", "2"},
			[]string{"a prefix index of its own.\n      replicas: 3\n", "metricsRefreshInterval: 5s"}, []string{"3 EPPs route"}},
		"old-values": {[]string{"--model", "Qwen/Qwen3-8B", "--accelerator", "l40s", "--replicas", "2"},
			[]string{"inference.networking.x-k8s.io/v1alpha1", "version: scheduler-v0.7.1", "replicas: 2"}, []string{"does not read"}},
		"analyser":  {nil, []string{"workloadVariantAutoscaler:", "activator: {maxWait: 5m}"}, []string{"web, which is no pool"}},
		"two-pools": {[]string{"--pool", "new", "--kind", "sweep"}, []string{"Qwen/Qwen3-14B", "kind: PolicySweep"}, []string{"Deployment old is in no InferencePool"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "scenario.yaml")
			said := mustRun(t, append([]string{"init", filepath.Join(manifests, name+".yaml"), "-o", file}, tc.args...)...)
			text := cmdtest.TextOf(t, file)
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %q in\n%s", want, text)
				}
			}
			for _, want := range tc.said {
				if !strings.Contains(said, want) {
					t.Errorf("it did not say %q in\n%s", want, said)
				}
			}
			verb := "run"
			if strings.Contains(text, "kind: PolicySweep") {
				verb = "sweep"
			}
			mustRun(t, "lint", file)
			mustRun(t, verb, "-f", file, "--dry-run")
		})
	}
}

// One scenario of manifests is simulated.
func TestAScenarioOfManifestsIsSimulated(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "run.yaml")
	testfile.Write(t, filepath.Join(folder, "chart.yaml"), []byte(cmdtest.TextOf(t, filepath.Join(manifests, "chart.yaml"))))
	for range 2 { // the second time beside the scenario of the first
		mustRun(t, "init", folder, "-o", file, "--force")
	}
	if out, err := windtunnel(t, "run", "-f", file); cli.ExitCode(err) == cli.ExitBadInput || !strings.Contains(out, "gate fast") {
		t.Errorf("%v\n%s", err, out)
	}
}

// What manifests leave open is asked for, and what is wrong with them is refused by its path.
func TestInitRefusesManifests(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"an accelerator that no label says": {[]string{manifests + "/disaggregated.yaml"}, "--accelerator is required: DisaggregatedSet pd may run on h100-sxm and on h200-sxm"},
		"an EPP alone":                      {[]string{manifests + "/old-values.yaml"}, "--model is required: the files have an EPP and no engine\n--accelerator is required: the files have an EPP and no engine\n--replicas is required: "},
		"replicas that are there":           {[]string{manifests + "/groups.yaml", "--replicas", "2"}, "--replicas is for manifests without an engine"},
		"no engine":                         {[]string{manifests + "/nothing.yaml"}, "there is no engine of vLLM"},
		"a file that is not there":          {[]string{manifests + "/absent-file.yaml"}, `router.epp.pluginsConfigFile: Invalid value: "second.yaml"`},
		"several InferencePools":            {[]string{manifests + "/two-pools.yaml"}, "name the one to simulate with --pool"},
		"a sweep of several routers":        {[]string{manifests + "/kserve-group.yaml", "--kind", "sweep"}, "--kind sweep varies the weights of one EPP"},
		"an InferencePool that is not":      {[]string{manifests + "/two-pools.yaml", "--pool", "x"}, `--pool: Unsupported value: "x": supported values: "old", "new"`},
		"a pool without manifests":          {[]string{"--pool", "x"}, "--pool needs MANIFESTS"},
		"no YAML":                           {[]string{cmdtest.TempFile(t, "a.yaml", "a: [")}, "a.yaml: "},
		"a list":                            {[]string{cmdtest.TempFile(t, "a.json", "[1, 2]")}, "a.json: must be objects of Kubernetes or Helm values"},
		"a folder without files":            {[]string{t.TempDir()}, "has no YAML or JSON file"},
		"a file of 1 TB":                    {[]string{fileOf(t, 1<<40)}, "have more than 67108864 bytes"},
		"no such file":                      {[]string{"/nowhere"}, "/nowhere"},
		"a trace":                           {[]string{cmdtest.Mooncake(t)}, "is a trace in the format Mooncake"},
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

// fileOf is a file with a number of bytes, none of which is on the disk.
func fileOf(t *testing.T, bytes int64) string {
	file := cmdtest.TempFile(t, "large.yaml", "")
	if err := os.Truncate(file, bytes); err != nil {
		t.Fatal(err)
	}
	return file
}
