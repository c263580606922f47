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
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

const scalerExamples = "../../pkg/policy/autoscaling/lint/examples"

func readExample(t *testing.T, name string) string {
	t.Helper()
	return cmdtest.TextOf(t, filepath.Join(scalerExamples, name))
}

func TestLintOfAutoscalers(t *testing.T) {
	never, slow := readExample(t, "never-wakes/bad.yaml"), readExample(t, "slow-to-max/bad.yaml")
	analyser := readExample(t, "entry-without-effect/bad.yaml")
	several := "kind: Service\n---\n" + never + "---\n" + slow
	ofCPU := strings.NewReplacer("type: Pods\n    pods:\n      metric: {name: \"vllm:num_requests_waiting\"}\n      target: {type: AverageValue, averageValue: 5}",
		"type: Resource\n    resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}").Replace(slow)
	byTokens := func(entry string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wva}\ndata:\n  default: |\n    " + entry + "\n"
	}
	for name, tc := range map[string]struct {
		text string
		code int
		want []string
	}{
		"a finding with its line": {never, 0, []string{fmt.Sprintf(":%d:1: warning never-wakes: spec.minReplicaCount: ", lineWith(t, never, "minReplicaCount"))}},
		"several autoscalers of a file": {several, 0, []string{
			fmt.Sprintf(":%d:1: warning never-wakes: ", lineWith(t, several, "minReplicaCount")),
			fmt.Sprintf(":%d:1: warning slow-to-max: ", lineWith(t, several, "scaleUp")),
		}},
		"a metric that is not simulated": {ofCPU, 0, []string{"info not-simulated: spec.metrics[0].type: Resource: The simulator does not model CPU"}},
		"a metric that vLLM does not export": {strings.ReplaceAll(slow, "vllm:num_requests_waiting", "vllm:num_request_waiting"), 0, []string{
			"warning unexported-metric: spec.metrics[0].pods.metric.name: vLLM exports no vllm:num_request_waiting; similar: vllm:num_requests_waiting",
		}},
		"metadata that KEDA ignores": {readExample(t, "unread-metadata/bad.yaml"), 0, []string{
			"warning unread-metadata: spec.triggers[0].metadata.metricType: KEDA ignores it here: metricType is a field of the trigger",
		}},
		"a ScaledObject without findings":       {readExample(t, "unexported-metric/good.yaml"), 0, []string{"autoscaler.yaml: ScaledObject llama: no findings"}},
		"a ConfigMap":                           {strings.Replace(analyser, "kvCacheThreshold: 0.8", "kvCacheThreshold: 8", 1), cli.ExitFailed, []string{"error manifest: data.default.kvCacheThreshold: Invalid value: 8: must be between 0 and 1"}},
		"an entry without effect":               {analyser, 0, []string{fmt.Sprintf(":%d:1: warning entry-without-effect: data.llama: ", lineWith(t, analyser, "  llama: |"))}},
		"a ConfigMap of the analyser by tokens": {byTokens("analyzerName: saturation\n    scaleUpThreshold: 2"), cli.ExitFailed, []string{"error manifest: data.default.scaleUpThreshold: Invalid value: 2: must be between 0 and 1"}},
		"its list of analysers":                 {byTokens("analyzers:\n    - {type: saturation, score: -1}"), cli.ExitFailed, []string{"error manifest: data.default.analyzers[0].score: Invalid value: -1"}},
		"a limiter":                             {byTokens("enableLimiter: 3"), cli.ExitFailed, []string{"error manifest: data.default.enableLimiter: Invalid value: 3"}},
		"an old version":                        {strings.Replace(slow, "autoscaling/v2", "autoscaling/v2beta2", 1), cli.ExitFailed, []string{"error manifest: apiVersion: "}},
		"a trigger that KEDA does not have":     {strings.Replace(never, "type: prometheus", "type: prometeus", 1), cli.ExitFailed, []string{"error manifest: spec.triggers[0].type: Invalid value: \"prometeus\": KEDA has no trigger of this type; similar: prometheus"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, "lint", cmdtest.TempFile(t, "autoscaler.yaml", tc.text))
			if cli.ExitCode(err) != tc.code {
				t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
			}
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// A folder may hold nothing but the ConfigMap of a workload-variant-autoscaler, and ConfigMaps of other programs.
func TestFoldersWithConfigMapsOfAnalysers(t *testing.T) {
	dir := t.TempDir()
	for name, entry := range map[string]string{"wva": "analyzerName: saturation, scaleUpThreshold: 2", "other": "analyzers: [english, german]"} {
		text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata:\n  default: '{" + entry + "}'\n"
		testfile.Write(t, filepath.Join(dir, name+".yaml"), []byte(text))
	}
	out, err := windtunnel(t, "lint", dir)
	if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(out, "wva.yaml:5:1: error manifest: data.default.scaleUpThreshold: Invalid value: 2") || strings.Contains(out, "other.yaml") {
		t.Errorf("%v, in\n%s", err, out)
	}
}

// The findings about a scaler of an object are those of lint, and warnings of a run.
func TestFindingsAboutScalersOfObjects(t *testing.T) {
	text := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "simulationrun-hpa.yaml"))
	file := cmdtest.TempFile(t, "run.yaml", strings.NewReplacer("stabilizationWindowSeconds: 180", "stabilizationWindowSeconds: 5", "duration: 25m", "duration: 1m").Replace(text))
	const want = "spec.behavior.scaleDown.stabilizationWindowSeconds: the window of scaling down is 5s, and a replica takes 1m0s to start"
	if out := mustRun(t, "lint", file, "--fail-on", string(lint.Error)); !strings.Contains(out, "warning down-window-below-startup: ") || !strings.Contains(out, want) {
		t.Errorf("lint printed\n%s", out)
	}
	if out := mustRun(t, "run", "-f", file); !strings.Contains(out, want+" [down-window-below-startup]") {
		t.Errorf("run printed\n%s", out)
	}
}

func TestRulesOfScalersAreListed(t *testing.T) {
	if out := mustRun(t, "lint", "--rules"); !strings.Contains(out, "never-wakes") || !strings.Contains(out, "affinity-only") {
		t.Errorf("rules:\n%s", out)
	}
	if out := mustRun(t, "lint", "--explain", "never-wakes"); !strings.Contains(out, "Not found:\n\n    apiVersion: keda.sh/v1alpha1") {
		t.Errorf("rule:\n%s", out)
	}
}

// A sweep whose parameters lead into a manifest writes runs that have its values.
func TestRunsThatFollowHaveTheManifestOfThePoint(t *testing.T) {
	text := cmdtest.TextOf(t, filepath.Join(cmdtest.Samples, "policysweep-hpa.yaml"))
	folder := t.TempDir()
	short := strings.NewReplacer("duration: 25m", "duration: 1m", "count: 3", "count: 1").Replace(text)
	mustRun(t, "sweep", "-f", cmdtest.TempFile(t, "sweep.yaml", short), "--follow", folder)
	best := filepath.Join(folder, "hpa-best-1.yaml")
	written := testfile.Read(t, best)
	header, _, _ := strings.Cut(string(written), "\n")
	_, target, _ := strings.Cut(header, "target=")
	target, _, _ = strings.Cut(target, " ")
	if !strings.Contains(string(written), `averageValue: "`+target+`"`) {
		t.Errorf("no target %s in\n%s", target, written)
	}
	mustRun(t, "run", "-f", best)
}

// A result of a rule about autoscalers has its rule among those of the tool, as any other has.
func TestSARIFDescribesTheRulesOfAutoscalers(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{"scaler.yaml": readExample(t, "never-wakes/bad.yaml"), "epp.yaml": brokenEPP})
	out, _ := windtunnel(t, "lint", folder, "-o", "sarif", "--fail-on", "never")
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID                   string
						ShortDescription     struct{ Text string }
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range log.Runs[0].Results {
		rules := log.Runs[0].Tool.Driver.Rules
		if r.RuleIndex < 0 || rules[r.RuleIndex].ID != r.RuleID || rules[r.RuleIndex].ShortDescription.Text == "" || rules[r.RuleIndex].DefaultConfiguration.Level == "" {
			t.Errorf("rule %s has index %d", r.RuleID, r.RuleIndex)
		}
		seen[r.RuleID] = true
	}
	if !seen["never-wakes"] || len(seen) < 2 {
		t.Errorf("results are of %v", seen)
	}
}

// TestPatchesOfKustomizationsAreNoAutoscalers: a folder of an overlay has an autoscaler, and a Kustomization that changes it.
func TestPatchesOfKustomizationsAreNoAutoscalers(t *testing.T) {
	folder := cmdtest.WriteFiles(t, map[string]string{
		"scaledobject.yaml":  "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: a}\nspec:\n  scaleTargetRef: {name: a}\n  minReplicaCount: 1\n  triggers:\n  - type: prometheus\n    metadata: {serverAddress: \"http://p\", query: \"sum(vllm:num_requests_waiting)\", threshold: \"5\"}\n",
		"kustomization.yaml": "# The EndpointPickerConfig is elsewhere.\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [scaledobject.yaml]\npatches:\n- target:\n    kind: ScaledObject\n  patch: |-\n    - {op: replace, path: /spec/maxReplicaCount, value: 4}\n",
	})
	if out := mustRun(t, "lint", folder); !strings.Contains(out, "ScaledObject a") || strings.Contains(out, "kustomization.yaml") {
		t.Errorf("lint printed\n%s", out)
	}
}
