// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sampleFiles are the files of config/samples with objects.
func sampleFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.yaml", "*/*.yaml", "*/*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, "config", "samples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "\nkind: SimulationRun\n") || strings.Contains(string(text), "\nkind: PolicySweep\n") {
				files = append(files, file)
			}
		}
	}
	return files
}

// emptyObjects is a run with all objects that may be written as {} and have defaults, and so differ
// on the server.
const emptyObjects = `
apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: empty}
spec:
  scenario:
    horizon: {requests: 300}
    pools:
    - name: llama
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
      drain: {}
      engine: {}
      kvCache: {tiers: [{kind: CPU, capacity: 4Gi}], offload: {}, stability: {}}
      latency: {}
      quantization: {}
      startup: {}
    router: {kvEvents: {}, latencyPrediction: {}, tokenEstimate: {}, policies: {routing: {policy: round-robin}}}
    disaggregation: {}
    workload:
      clients:
      - {name: chat, arrivals: {rate: "60"}, inputTokens: {distribution: Constant, mean: "2000"}, outputTokens: {distribution: Constant, mean: "200"}}
  replications: {}
  trace: {series: {}, thresholds: {}}
  execution: {}
`

// says is what kubectl prints, with its warnings.
func (s *server) says(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), kubectlPath(t), append([]string{"--kubeconfig", s.kubeconfig}, args...)...).CombinedOutput()
	if err != nil {
		t.Errorf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A manifest that is applied again changes nothing, and kubectl warns of nothing, whichever side
// applies it. Without --server-side kubectl says "configured" all the same: it compares lists as
// a whole, and the server's have defaults.
func TestAManifestChangesNothingWhenItIsAppliedAgain(t *testing.T) {
	kubectlPath(t)
	s := startServer(t)
	s.kubectl(t, "apply", "--server-side", "-k", root+"/config/crd")
	for _, definition := range []string{"policysweeps.sim.windtunnel.dev", "simulationruns.sim.windtunnel.dev"} {
		s.kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "crd/"+definition)
	}
	empty := filepath.Join(t.TempDir(), "empty.yaml")
	if err := os.WriteFile(empty, []byte(emptyObjects), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range append(sampleFiles(t), empty) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			versions := func() string {
				return s.says(t, "get", "-f", file, "-o", "custom-columns=KIND:.kind,NAME:.metadata.name,VERSION:.metadata.resourceVersion")
			}
			s.says(t, "apply", "-f", file)
			first := versions()
			said := s.says(t, "apply", "-f", file)
			if again := versions(); again != first {
				t.Errorf("the objects are\n%s\nand after a second apply\n%s", first, again)
			}
			if diff := s.says(t, "diff", "-f", file); diff != "" {
				t.Errorf("kubectl diff says\n%s", diff)
			}
			said += s.says(t, "apply", "--server-side", "--force-conflicts", "-f", file)
			first = versions()
			said += s.says(t, "apply", "--server-side", "-f", file)
			if again := versions(); again != first {
				t.Errorf("the objects are\n%s\nand after a second apply on the server\n%s", first, again)
			}
			if strings.Contains(said, "arning") {
				t.Error(said)
			}
		})
	}
}
