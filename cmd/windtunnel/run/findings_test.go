// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// findings are the beginnings of those that a run prints.
func findings(out string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^finding: (.*?)(:|\.) `).FindAllStringSubmatch(out, -1) {
		all = append(all, m[1])
	}
	return all
}

// Of cmdtest.Clockwork, one replica serves a request in 1.5 s and one comes every second, so that a
// third of them stays. Two replicas serve all of them.
func TestFindingsOfARun(t *testing.T) {
	scaled := strings.NewReplacer("    router:", `    scalers:
    - {name: s, pools: [pool], policy: queue-length, minReplicas: 1, maxReplicas: 3, interval: 5s, parameters: {target: "1"}}
    router:`, "requests: 200", "duration: 200s", "      latency:\n", "      startup: {modelLoad: LOAD}\n      latency:\n").Replace(cmdtest.Clockwork)
	// The trigger asks for one value and gets that of each replica, of which there are two from the start.
	blind := strings.NewReplacer("    router:", `    scalers:
    - name: s
      pools: [pool]
      metrics: {scrapeInterval: 15s}
      scaledObject:
        inline: |
          apiVersion: keda.sh/v1alpha1
          kind: ScaledObject
          metadata: {name: s}
          spec:
            scaleTargetRef: {name: pool}
            minReplicaCount: 2
            maxReplicaCount: 4
            triggers:
            - {type: prometheus, metadata: {serverAddress: "http://prometheus:9090", query: "vllm:num_requests_waiting", threshold: "5"}}
    router:`, "      engine:", "      replicas: 2\n      engine:").Replace(cmdtest.Clockwork)
	// All requests name one of four replicas.
	pinned := strings.NewReplacer("      engine:", "      replicas: 4\n      engine:", "- name: clock\n", "- name: clock\n        headers: {test-epp-endpoint-selection: pool/0}\n",
		`rate: "1"}`, `rate: "0.5"}`, "policies:\n        routing: {policy: round-robin}", `endpointPickerConfig:
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins: [{type: header-based-testing-filter}]
          schedulingProfiles: [{name: default, plugins: [{pluginRef: header-based-testing-filter}]}]`).Replace(cmdtest.Clockwork)
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"overloaded":                {cmdtest.Clockwork, []string{"The run is overloaded"}},
		"enough replicas":           {strings.Replace(cmdtest.Clockwork, "      engine:", "      replicas: 2\n      engine:", 1), nil},
		"three seeds":               {strings.Replace(cmdtest.Clockwork, "spec:\n", "spec:\n  replications: {count: 3}\n", 1), []string{"The run is overloaded", "Nothing in this run is random"}},
		"three seeds of Poisson":    {strings.NewReplacer("spec:\n", "spec:\n  replications: {count: 3}\n", "process: Constant", "process: Poisson").Replace(cmdtest.Clockwork), []string{"The run is overloaded"}},
		"a scaler without values":   {blind, []string{"Scaler s"}},
		"replicas without requests": {pinned, []string{"Pool pool"}},
		"a stage without requests": {
			strings.NewReplacer(`rate: "1"}`, `stages: [{rate: "0.5", duration: 100s}, {rate: "0", duration: 300s}]}`, "requests: 200", "duration: 400s").Replace(cmdtest.Clockwork),
			[]string{"The traffic ends at 1m40s, and the horizon at 6m40s"},
		},
		"a replica loads for longer than the traffic lasts": {strings.Replace(scaled, "LOAD", "10m", 1), []string{"No new replica serves before the traffic is over", "The run is overloaded"}},
		"a replica loads while there is traffic":            {strings.Replace(scaled, "LOAD", "5s", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := cmdtest.TempFile(t, "run.yaml", tc.text[:strings.Index(tc.text, "  gates:")])
			out := mustRun(t, "run", "-f", file, "--report", filepath.Join(folder, "run.md"))
			if diff := cmp.Diff(tc.want, findings(out)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, out)
			}
			mustRun(t, "run", "-f", file, "--report", filepath.Join(folder, "run.html"))
			texts := map[string]string{"JSON": mustRun(t, "run", "-f", file, "-o", "json")}
			for _, name := range []string{"run.md", "run.html"} {
				raw := cmdtest.TextOf(t, filepath.Join(folder, name))
				texts[name] = raw
			}
			for _, want := range tc.want {
				for where, text := range texts {
					if !strings.Contains(text, want) {
						t.Errorf("%s has no %q", where, want)
					}
				}
			}
		})
	}
}
