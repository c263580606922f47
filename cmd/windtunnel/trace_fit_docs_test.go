// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// imitated is a trace that the page on fits imitates, and the cluster that serves both.
type imitated struct {
	Name, Cluster string
	// Comparison is what the command says of the trace and its imitation.
	Comparison string
	Rows       []imitatedRow

	file  []string
	pool  string
	trace string // the fields of the original, but for its source
	// recorded are the ways to replay the original.
	recorded []recordedTrace
}

// recordedTrace is a way to replay a trace, with more fields of it.
type recordedTrace struct{ name, fields string }

// imitatedRow holds the original against the imitation under one router.
type imitatedRow struct{ Router, Source, P50, P99, Hit string }

// The page's routers: one knows nothing of caches, and one is llm-d's first profile.
var imitatedRouters = []struct{ name, yaml string }{
	{"round robin", "router: {policies: {routing: {policy: round-robin}}}"},
	{"prefix profile", `router:
  endpointPickerConfig:
    inline: |
      apiVersion: llm-d.ai/v1alpha1
      kind: EndpointPickerConfig
      plugins:
      - type: queue-scorer
      - type: kv-cache-utilization-scorer
      - type: prefix-cache-scorer
      schedulingProfiles:
      - name: default
        plugins:
        - {pluginRef: queue-scorer, weight: 2}
        - {pluginRef: kv-cache-utilization-scorer, weight: 2}
        - {pluginRef: prefix-cache-scorer, weight: 3}`},
}

// TestThePageOnTraceFit sends traces and their imitations through one cluster, and holds
// docs/trace-fit.md against what comes of it.
func TestThePageOnTraceFit(t *testing.T) {
	traces := []*imitated{
		{
			Name: "Azure code", Cluster: "2 replicas of Llama-3.1-70B on 4 H100 each",
			file:  []string{"traces", "azure-2023", "AzureLLMInferenceTrace_code.csv"},
			pool:  "{name: a, model: meta-llama/Llama-3.1-70B-Instruct, accelerator: h100-sxm, tensorParallelism: 4, replicas: 2}",
			trace: "format: Azure", recorded: []recordedTrace{{"trace", ""}},
		},
		{
			Name: "Mooncake conversation", Cluster: "4 replicas of Llama-3.1-8B on an H100 each",
			file:  []string{"traces", "mooncake-fast25", "conversation_trace.jsonl"},
			pool:  "{name: a, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, replicas: 4}",
			trace: "format: Mooncake", recorded: []recordedTrace{{"trace as recorded", ", arrivals: AsRecorded"}, {"trace, spread", ", arrivals: Spread"}},
		},
	}
	for _, i := range traces {
		i.run(t)
	}
	comparePage(t, "trace-fit.md", traces)
}

// run fits the trace, and runs both under each router.
func (i *imitated) run(t *testing.T) {
	t.Helper()
	file := testdata.File(t, i.file...)
	folder := t.TempDir()
	traffic, stored := filepath.Join(folder, "traffic.yaml"), filepath.Join(folder, "stored.yaml")
	i.Comparison = mustRun(t, "trace", "fit", file, "-o", traffic)
	format := strings.TrimPrefix(i.trace, "format: ")
	mustRun(t, "trace", "configmap", file, "--name", "recorded", "--format", format, "-o", stored)
	imitation := cmdtest.TextOf(t, filepath.Clean(traffic))
	horizon, _, _ := strings.Cut(imitation[strings.Index(imitation, "horizon:"):], "workload:")
	type source struct {
		name, workload string
		seeds          int
		args           []string
	}
	var sources []source
	for _, r := range i.recorded {
		workload := fmt.Sprintf("workload: {trace: {%s%s, configMapRef: {name: recorded, key: %s.gz}}}\n", i.trace, r.fields, filepath.Base(file))
		sources = append(sources, source{r.name, horizon + workload, 3, []string{"--configmap", stored}})
	}
	sources = append(sources, source{"imitation", imitation, 10, nil})
	for _, router := range imitatedRouters {
		for _, source := range sources {
			scenario := "pools:\n- " + i.pool + "\n" + router.yaml + "\n" + source.workload
			run := fmt.Sprintf("apiVersion: sim.windtunnel.dev/v1alpha1\nkind: SimulationRun\nmetadata: {name: fit}\nspec:\n"+
				"  replications: {seed: 1, count: %d}\n  scenario:\n    %s", source.seeds, strings.ReplaceAll(strings.TrimSpace(scenario), "\n", "\n    "))
			args := append([]string{"run", "-f", cmdtest.TempFile(t, "run.yaml", run+"\n"), "-o", "json"}, source.args...)
			i.Rows = append(i.Rows, imitatedRowOf(t, router.name, source.name, mustRun(t, args...)))
		}
	}
}

func imitatedRowOf(t *testing.T, router, source, out string) imitatedRow {
	t.Helper()
	decoded := jsontest.Decode[struct{ Results []result.Document }](t, []byte(out))
	var p50, p99, hit spread
	for _, r := range decoded.Results {
		tenant := r.Tenants[0]
		p50.add(tenant.TTFT.P50)
		p99.add(tenant.TTFT.P99)
		hit.add(100 * tenant.CacheHit.GPU)
	}
	return imitatedRow{router, source, p50.in("%.2f"), p99.in("%.1f"), hit.in("%.1f")}
}
