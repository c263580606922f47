// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
	"windtunnel.dev/windtunnel/pkg/result"
)

// guidesOf are folders of llm-d's guides: files of the same forms and names, and those of a checkout of llm-d,
// whose path LLMD_CHECKOUT states.
func guidesOf(t *testing.T) map[string]string {
	folders := map[string]string{"own": filepath.Join("testdata", "guides")}
	if checkout := os.Getenv("LLMD_CHECKOUT"); checkout != "" {
		folders["llm-d"] = filepath.Join(checkout, "guides")
	} else {
		t.Log("set LLMD_CHECKOUT to a checkout of llm-d at 48fa8c0a to read its own guides, too")
	}
	return folders
}

// The pools of guides. Replicas and parallelism are those of the guides' files for vLLM on NVIDIA, and accelerators
// those of their READMEs. Wide expert parallelism has 16 ranks over two machines, whose links are not simulated: here a
// replica is one machine.
const (
	baselinePools = `{name: decode, model: Qwen/Qwen3-32B, accelerator: h100-sxm, tensorParallelism: 2, replicas: 8, engine: {blockSize: 64}}`
	tieredPools   = `{name: decode, model: Qwen/Qwen3-32B, accelerator: h100-sxm, tensorParallelism: 2, replicas: 8, kvCache: {tiers: [{kind: CPU, capacity: 200G, device: dram}]}}`
	stagePools    = `{name: prefill, role: Prefill, model: openai/gpt-oss-120b, accelerator: h200-sxm, replicas: 8, engine: {blockSize: 128}},
      {name: decode, role: Decode, model: openai/gpt-oss-120b, accelerator: h200-sxm, tensorParallelism: 4, replicas: 2, engine: {blockSize: 128}}`
	widePools = `{name: prefill, role: Prefill, model: deepseek-ai/DeepSeek-R1, accelerator: h200-sxm, dataParallelism: 8, expertParallelism: Enabled, replicas: 2},
      {name: decode, role: Decode, model: deepseek-ai/DeepSeek-R1, accelerator: h200-sxm, dataParallelism: 8, expertParallelism: Enabled, replicas: 2}`
)

// TestGuidesRun runs the EPP configuration of each guide as its file has it, with the EPP of llm-d's main that the guides pin. Prompts
// begin with one of 20 texts of 4096 tokens and go on with 1200: a router that sends a text where it is cached computes each
// text once on few replicas, so that over half of the tokens are found.
func TestGuidesRun(t *testing.T) {
	const scenario = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: guide}
spec:
  scenario:
    horizon: {requests: 400}
    pools: [%s]
    router: {endpointPickerConfig: {file: %s, version: router-main}}
    workload:
      clients:
      - {name: chat, class: interactive, arrivals: {rate: "6"}, inputTokens: {mean: "1200"}, outputTokens: {mean: "200"}, prefix: {group: system, tokens: 4096, groups: {count: 20}}}
`
	for source, folder := range guidesOf(t) {
		for file, pools := range map[string]string{
			"optimized-baseline/router/optimized-baseline.values.yaml":                     baselinePools,
			"precise-prefix-cache-routing/router/precise-prefix-cache-routing.values.yaml": baselinePools,
			"predicted-latency-routing/router/predicted-latency.values.yaml":               baselinePools,
			"flow-control/router/flow-control.values.yaml":                                 baselinePools,
			"agentic-serving/router/agentic-serving.values.yaml":                           baselinePools,
			"tiered-prefix-cache/router/tiered-prefix-cache-cpu.values.yaml":               tieredPools,
			"pd-disaggregation/router/pd-disaggregation.values.yaml":                       stagePools,
			"wide-ep-lws/router/wide-ep-lws.values.yaml":                                   widePools,
		} {
			t.Run(source+"/"+file, func(t *testing.T) {
				values := cmdtest.TextOf(t, filepath.Join(folder, file))
				dir := cmdtest.WriteFiles(t, map[string]string{"values.yaml": values, "run.yaml": fmt.Sprintf(scenario, pools, "values.yaml")})
				run := jsontest.Decode[struct{ Results []*result.Document }](t, []byte(mustRun(t, "run", "-f", filepath.Join(dir, "run.yaml"), "-o", "json")))
				overall := run.Results[0].Overall
				if overall.Requests.Completed != 400 || overall.CacheHit.GPU < 0.5 {
					t.Errorf("of 400 requests %d completed, and %v of the tokens were found, want all and half of them", overall.Requests.Completed, overall.CacheHit.GPU)
				}
				if staged := strings.Contains(pools, "role: Prefill"); staged != (overall.Handoffs != nil) || staged && overall.Handoffs.Count != 400 {
					t.Errorf("the hand-overs of 400 requests are %+v", overall.Handoffs)
				}
			})
		}
	}
}

// trueOfGuides are the rules with findings in the guides of llm-d at 48fa8c0a, each read against its file.
var trueOfGuides = map[string]string{
	"deprecated":                 "disagg-headers-handler, deciderPluginName and blockSize have successors",
	"alpha-plugin":               "p2p-source-producer is of stability Alpha, and no values state --allow-experimental-plugins",
	"speculative-indexing-off":   "the default of precise-prefix-cache-producer",
	"queue-and-kv-only":          "the encode profiles, fast-model-actuation and the arms of a benchmark that balance by load alone",
	"no-effect-in-profile":       "predicted-latency-producer is neither filter, scorer nor picker",
	"affinity-gate-uncalibrated": "the default of peakPrefillThroughput",
	"file-in-container":          "the endpoints of the guide without Kubernetes are in a file",
	"precise-unread":             "epp-load.yaml keeps an index that no scorer reads, as its comparison wants it",
	"in-flight-with-replicas":    "p2p-kv-cache-sharing has two EPPs without a leader, each with a no-hit-lru-scorer of its own",
	"unused-plugin":              "glm-5.2-overrides lists a queue-scorer that no profile names",
	"average-of-average":         "the saturation is a share, and AverageValue divides it by the replicas",
	"unread-metadata":            "metricType stands below metadata",
	"not-simulated":              "recording rules of the guide and kube_deployment_status_replicas_ready",
}

// TestLintOfGuides finds in guides what is true of them, and no error.
func TestLintOfGuides(t *testing.T) {
	for source, folder := range guidesOf(t) {
		var all struct {
			Reports []struct {
				File      string
				Configs   []struct{ Findings []lint.Finding }
				Manifests []lint.Finding
			}
		}
		if err := json.Unmarshal([]byte(mustRun(t, "lint", "--epp-version", "router-main", "-o", "json", folder)), &all); err != nil {
			t.Fatal(err)
		}
		if source == "llm-d" && len(all.Reports) < 40 {
			t.Errorf("%d files of llm-d's guides, want 40 at least", len(all.Reports))
		}
		for _, report := range all.Reports {
			found := report.Manifests
			for _, config := range report.Configs {
				found = append(found, config.Findings...)
			}
			for _, f := range found {
				if trueOfGuides[f.Rule] == "" || source == "own" && f.Severity != lint.Info {
					t.Errorf("%s: line %d: %s: %s", report.File, f.Line, f.Rule, f.Message)
				}
			}
		}
	}
}
