// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/sweep"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestSameBytesAtAnyParallelism(t *testing.T) {
	traces := cmdtest.TraceManifest(t)
	for _, verb := range []string{"run", "sweep"} {
		t.Run(verb, func(t *testing.T) {
			args := []string{verb, "-f", "testdata/" + verb + ".yaml", "--configmap", traces, "-o", "json"}
			one := mustRun(t, append(args, "--parallelism", "1")...)
			for _, n := range []string{"1", "2", "7"} {
				if diff := cmp.Diff(one, mustRun(t, append(args, "--parallelism", n)...)); diff != "" {
					t.Errorf("--parallelism %s gives other bytes (−1 +%s):\n%s", n, n, diff)
				}
			}
		})
	}
}

func TestSweepCoversTheGridAndTheBaseline(t *testing.T) {
	var out sweep.Output
	raw := mustRun(t, "sweep", "-f", "testdata/sweep.yaml", "--configmap", cmdtest.TraceManifest(t), "-o", "json")
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, c := range out.Leaderboard.Candidates {
		got[fmt.Sprint(c.Parameters)] = c.Baseline
	}
	want := map[string]bool{
		"[prefixWeight=0 reach=1024]":   false,
		"[prefixWeight=0 reach=2048]":   false,
		"[prefixWeight=3 reach=1024]":   false,
		"[prefixWeight=3 reach=2048]":   false,
		"[prefixWeight=3 reach=131072]": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates (−want +got):\n%s", diff)
	}
	if len(out.Rows) != 10 || out.Status.Progress.Total != 10 || out.Status.Progress.Completed != 10 {
		t.Errorf("%d rows, progress %+v; want 10 of 10", len(out.Rows), out.Status.Progress)
	}
	if out.Status.Best == nil || out.Status.Best.Point != int64(out.Leaderboard.Candidates[0].Point) {
		t.Errorf("status names %+v the best, the leaderboard point %d", out.Status.Best, out.Leaderboard.Candidates[0].Point)
	}
	if len(out.Status.Inputs) != 1 || out.Status.Inputs[0].Name != "ConfigMap/traces/small.jsonl" {
		t.Errorf("inputs are %+v", out.Status.Inputs)
	}
}

func TestOutputFormats(t *testing.T) {
	table := mustRun(t, "run", "-f", "testdata/run.yaml")
	if !strings.Contains(table, "SimulationRun small") {
		t.Errorf("the table does not name the object:\n%s", table)
	}
	var fromJSON, fromYAML any
	if err := json.Unmarshal([]byte(mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "json")), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "yaml")), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("JSON and YAML differ (−json +yaml):\n%s", diff)
	}
}

func TestManifestFromStandardInput(t *testing.T) {
	raw := testfile.Read(t, "testdata/run.yaml")
	var out bytes.Buffer
	cmd := newRootCommand()
	cmd.SetArgs([]string{"run", "-f", "-", "-o", "json"})
	cmd.SetIn(bytes.NewReader(raw))
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "json"), out.String()); diff != "" {
		t.Errorf("another result from standard input:\n%s", diff)
	}
}

func TestBadInput(t *testing.T) {
	const sweep, run = "testdata/sweep.yaml", "testdata/run.yaml"
	tests := map[string]struct {
		verb     string
		manifest string
		old, new string // what is edited
		noTrace  bool
		want     []string // in the message
	}{
		"an unknown field": {
			verb: "run", manifest: run, old: "horizon: {requests: 120}", new: "horizon: {requests: 120, requestz: 1}",
			want: []string{"spec.scenario.horizon.requestz", "unknown field"},
		},
		"an unknown plugin": {
			verb: "run", manifest: run, old: "- type: queue-scorer", new: "- type: queue-scorrer",
			want: []string{"spec.scenario.router.endpointPickerConfig.inline", "plugins[0].type", "queue-scorrer"},
		},
		"a plugin that cannot be simulated": {
			verb: "run", manifest: run, old: "- type: queue-scorer", new: "- {name: queue-scorer, type: header-based-testing-filter}",
			want: []string{"plugins[0]", "queue-scorer", "cannot be simulated"},
		},
		"an unknown plugin parameter": {
			verb: "run", manifest: run, old: "- type: prefix-cache-scorer", new: "- {type: prefix-cache-scorer, parameters: {blokSize: 1}}",
			want: []string{"plugins[1].parameters.blokSize"},
		},
		"a negative rate": {
			verb: "run", manifest: run, old: `rate: "20"`, new: `rate: "-20"`,
			want: []string{"spec.scenario.workload.clients[0].arrivals.rate", "above 0"},
		},
		"a rate that is not a string": {
			verb: "run", manifest: run, old: `rate: "20"`, new: `rate: 20`,
			want: []string{"spec.scenario.workload.clients[0].arrivals.rate", `must be a decimal above 0 in quotes, such as "2.5": write "20"`},
		},
		"an EPP version that there is not": {
			verb: "run", manifest: run, old: "endpointPickerConfig:", new: "endpointPickerConfig:\n        version: router-v0.7",
			want: []string{"spec.scenario.router.endpointPickerConfig.version", "router-v0.10"},
		},
		"an unknown model": {
			verb: "run", manifest: run, old: "Llama-3.1-8B-Instruct", new: "Llama-9",
			want: []string{"spec.scenario.pools[0].model", "meta-llama/Llama-3.1-70B-Instruct"},
		},
		"a model that does not fit": {
			verb: "run", manifest: run, old: "meta-llama/Llama-3.1-8B-Instruct", new: "Llama-3.1-70B",
			want: []string{"spec.scenario.pools[0].tensorParallelism", "GiB"},
		},
		"an SLO of a class that nobody sends": {
			verb: "run", manifest: run, old: "class: default", new: "class: gold",
			want: []string{"spec.scenario.slos[0].class", "gold"},
		},
		"an empty list of values": {
			verb: "sweep", manifest: sweep, old: `values: ["0", "3"]`, new: "values: []",
			want: []string{"spec.parameters[0].values"},
		},
		"an empty range": {
			verb: "sweep", manifest: sweep, old: `range: {min: "1024", max: "2048"`, new: `range: {min: "3000", max: "2048"`,
			want: []string{"spec.parameters[1].range"},
		},
		"a path that leads nowhere": {
			verb: "sweep", manifest: sweep, old: "plugins[approx-prefix-cache-producer].parameters.maxPrefix", new: "plugins[approx-producer].parameters.maxPrefix",
			want: []string{"spec.parameters[1].path", "approx-prefix-cache-producer"},
		},
		"a range of what is no number": {
			verb: "sweep", manifest: sweep, old: "path: router.endpointPickerConfig.plugins[approx-prefix-cache-producer].parameters.maxPrefixTokensToMatch", new: "path: pools[llama].accelerator",
			want: []string{"spec.parameters[1].range", "a string"},
		},
		"rules that contradict each other": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  rules: [{expression: reach > 1500}, {expression: reach < 1500}]\n  objectives:",
			want: []string{"spec.rules", "no point"},
		},
		"a rule about no parameter": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  rules: [{expression: wait > 1500}]\n  objectives:",
			want: []string{"spec.rules[0].expression", "wait"},
		},
		"a metric that does not exist": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  objectives:\n  - {metric: speed, direction: Maximize}",
			want: []string{"spec.objectives[0].metric", "throughput"},
		},
		"a metric of a pool that there is not": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  objectives:\n  - {metric: \"ttft.p99{pool=lama}\", direction: Minimize}",
			want: []string{"spec.objectives[0].metric", "llama"},
		},
		"an expression that does not compile": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  metrics: [{name: x, expression: ttft.p99 +}]\n  objectives:",
			want: []string{"spec.metrics[0].expression"},
		},
		"a gate without a confidence": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  gates: [{name: g, metric: ttft.p99, operator: AtMost, value: 500ms}]\n  objectives:",
			want: []string{"spec.gates[0].confidence"},
		},
		"a gate against a baseline that there is not": {
			verb: "sweep", manifest: sweep, old: "  baseline:\n    parameters:\n    - {name: prefixWeight, value: \"3\"}\n    - {name: reach, value: \"131072\"}",
			new:  "  gates: [{name: g, metric: ttft.p99, operator: AtMost, versusBaseline: 1%, confidence: \"0.95\"}]",
			want: []string{"spec.gates", "versusBaseline needs a baseline"},
		},
		"a gate in another unit": {
			verb: "sweep", manifest: sweep, old: "  objectives:", new: "  gates: [{name: g, metric: ttft.p99, operator: AtMost, value: 99%, confidence: \"0.95\"}]\n  objectives:",
			want: []string{"spec.gates[0].value", "500ms"},
		},
		"a billion points": {
			verb: "sweep", manifest: sweep, old: `max: "2048", step: "1024"`, new: `max: "1000000000", step: "1"`,
			want: []string{"spec.search.maxTrials"},
		},
		"a grid over a range without a step": {
			verb: "sweep", manifest: sweep, old: `, step: "1024"`, new: "",
			want: []string{"spec.parameters", "needs the step of every range"},
		},
		"a grid of more points than allowed": {
			verb: "sweep", manifest: sweep, old: "  replications:", new: "  search: {maxTrials: 3}\n  replications:",
			want: []string{"spec.search.maxTrials", "4 points"},
		},
		"a path that names nothing": {
			verb: "sweep", manifest: sweep, old: "plugins[prefix-cache-scorer].weight", new: "plugins[prefix-scorer].weight",
			want: []string{"spec.parameters[0].path", `"prefix-cache-scorer"`},
		},
		"a value of the wrong kind": {
			verb: "sweep", manifest: sweep, old: `values: ["0", "3"]`, new: `values: ["0", "high"]`,
			want: []string{"spec.parameters[0].values[1]", "must be a number"},
		},
		"a value that the scenario does not take": {
			verb: "sweep", manifest: sweep, old: `min: "1024"`, new: `min: "0.5"`,
			want: []string{"spec.parameters[1].range.min"},
		},
		"a baseline without a parameter": {
			verb: "sweep", manifest: sweep, old: `    - {name: reach, value: "131072"}`, new: "",
			want: []string{"spec.baseline.parameters", "every parameter"},
		},
		"an unknown metric": {
			verb: "sweep", manifest: sweep, old: "ttft.p99", new: "ttft.p42",
			want: []string{"spec.objectives[0].metric", "p99"},
		},
		"a class that nobody sends": {
			verb: "sweep", manifest: sweep, old: "ttft.p99", new: `"ttft.p99{class=gold}"`,
			want: []string{"spec.objectives[0].metric", "no such class", `"default"`},
		},
		"cost without prices": {
			verb: "sweep", manifest: sweep, old: "ttft.p99", new: "cost",
			want: []string{"spec.objectives[0].metric", "costPerReplicaHour"},
		},
		"fairness to a single tenant": {
			verb: "sweep", manifest: sweep, old: "ttft.p99", new: "fairness.tokens",
			want: []string{"spec.objectives[0].metric", "only one"},
		},
		"goodput without targets": {
			verb: "sweep", manifest: sweep, old: "    slos:\n    - {class: default, ttft: 2s}\n", new: "",
			want: []string{"spec.objectives[1].metric", "slos"},
		},
		"a ConfigMap of another namespace": {
			verb: "sweep", manifest: sweep, old: "  name: small", new: "  name: small\n  namespace: llm-d",
			want: []string{"spec.scenario.workload.trace.configMapRef", "ConfigMap traces is in namespace default, but the object that refers to it is in namespace llm-d"},
		},
		"a missing ConfigMap": {
			verb: "sweep", manifest: sweep, noTrace: true,
			want: []string{"spec.scenario.workload.trace.configMapRef", "traces"},
		},
		"a missing key": {
			verb: "sweep", manifest: sweep, old: "key: small.jsonl", new: "key: big.jsonl",
			want: []string{"spec.scenario.workload.trace.configMapRef", "big.jsonl", "small.jsonl"},
		},
		"a missing file": {
			verb: "sweep", manifest: sweep, old: "configMapRef: {name: traces, key: small.jsonl}", new: "file: nowhere.jsonl",
			want: []string{"spec.scenario.workload.trace.file", "nowhere.jsonl"},
		},
		"a trace of another format": {
			verb: "sweep", manifest: sweep, old: "format: Mooncake", new: "format: Azure",
			want: []string{"spec.scenario.workload.trace", "row 1"},
		},
		"a negative bandwidth": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      kvCache: {tiers: [{kind: CPU, blocks: 100, readBytesPerSecond: \"-1\"}]}",
			want: []string{"spec.scenario.pools[0].kvCache.tiers[0].readBytesPerSecond", "number of bytes greater than 0"},
		},
		"a storage tier without a path": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      kvCache: {tiers: [{kind: Storage, blocks: 100}]}",
			want: []string{"spec.scenario.pools[0].kvCache.tiers[0]", "needs a path: set device, or readBytesPerSecond"},
		},
		"a tier that is smaller than a block": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      kvCache: {tiers: [{kind: CPU, capacity: 1Mi}]}",
			want: []string{"spec.scenario.pools[0].kvCache.tiers[0].capacity", "less than one KV block"},
		},
		"tiers without a prefix cache": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      engine: {prefixCaching: Disabled}\n      kvCache: {tiers: [{kind: CPU, blocks: 100}]}",
			want: []string{"spec.scenario.pools[0].kvCache.tiers", "engine.prefixCaching"},
		},
		"a threshold beyond the cache": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      kvCache: {tiers: [{kind: CPU, blocks: 100}], offload: {policy: Threshold, threshold: \"1.5\"}}",
			want: []string{"spec.scenario.pools[0].kvCache.offload.threshold", "less than 1"},
		},
		"a capacity smaller than one request": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      engine: {maxModelLen: 8192}\n      kvCache: {blocks: 100}",
			want: []string{"spec.scenario.pools[0].engine.maxModelLen", "does not fit into the KV cache, which holds 1584 tokens"},
		},
		"a decode pool without a prefill pool": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      role: Decode",
			want: []string{"spec.scenario.pools[0].role", "add a pool of role Prefill"},
		},
		"a prefill pool without a decode pool": {
			verb: "run", manifest: run, old: "      replicas: 2", new: "      replicas: 2\n      role: Prefill",
			want: []string{"spec.scenario.pools[0].role", "add a pool of role Decode"},
		},
		"a disruption of no pool": {
			verb: "run", manifest: run, old: "    slos:", new: "    disruptions: [{at: 1s, pool: other, kind: Fail}]\n    slos:",
			want: []string{"spec.scenario.disruptions[0].pool", "other"},
		},
		"a metric of tiers that there are none of": {
			verb: "sweep", manifest: sweep, old: "ttft.p99", new: "cacheHit.cpu",
			want: []string{"spec.objectives[0].metric", "kvCache.tiers"},
		},
		"no object of the verb's kind": {
			verb: "sweep", manifest: run,
			want: []string{"no PolicySweep"},
		},
	}
	traces := cmdtest.TraceManifest(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			manifest := tc.manifest
			if tc.old != "" {
				manifest = cmdtest.Edited(t, manifest, tc.old, tc.new)
			}
			args := []string{tc.verb, "-f", manifest, "-o", "json"}
			if !tc.noTrace {
				args = append(args, "--configmap", traces)
			}
			out, err := windtunnel(t, args...)
			if code := cli.ExitCode(err); code != cli.ExitBadInput {
				t.Fatalf("exit code %d (%v), want %d", code, err, cli.ExitBadInput)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message lacks %q:\n%v", want, err)
				}
			}
			if out != "" {
				t.Errorf("something was printed before the error:\n%s", out)
			}
		})
	}
}

func TestPrometheusIsOfOneWatchedRun(t *testing.T) {
	const manifest = "testdata/run.yaml"
	watched := cmdtest.Edited(t, manifest, "      replicas: 2", "      replicas: 2\n      kvCache: {stability: {}}")
	raw := cmdtest.TextOf(t, watched)
	two := cmdtest.TempFile(t, "two.yaml", raw+"---\n"+strings.Replace(raw, "name: small", "name: other", 1))
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"nobody watches": {[]string{"run", "-f", manifest}, "spec.scenario.pools[0].kvCache.stability: Required value"},
		"two runs":       {[]string{"run", "-f", two}, "select one with --name"},
		"a sweep":        {[]string{"sweep", "-f", "testdata/sweep.yaml"}, "must be table, json or yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, append(tc.args, "-o", "prometheus")...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d (%v), want %d with %q", cli.ExitCode(err), err, cli.ExitBadInput, tc.want)
			}
		})
	}
	for _, args := range [][]string{{"-f", watched}, {"-f", two, "--name", "other"}} {
		out := mustRun(t, append([]string{"run", "-o", "prometheus"}, args...)...)
		if got := strings.Count(out, "# TYPE queueing_"); got != 7 {
			t.Errorf("%v: %d metrics, want 7:\n%s", args, got, out)
		}
	}
}

func TestNothingRunsBeforeAllIsRight(t *testing.T) {
	good := cmdtest.TextOf(t, "testdata/run.yaml")
	bad := strings.NewReplacer("name: small", "name: other", "h100-sxm", "b9000").Replace(good)
	out, err := windtunnel(t, "run", "-f", cmdtest.TempFile(t, "two.yaml", good+"---\n"+bad))
	if cli.ExitCode(err) != cli.ExitBadInput || out != "" {
		t.Errorf("exit code %d (%v) after printing %q", cli.ExitCode(err), err, out)
	}
}

func TestAnInterruptLeavesNothingBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "trace.jsonl")
	for _, args := range [][]string{
		{"sweep", "-f", "testdata/sweep.yaml", "--configmap", cmdtest.TraceManifest(t)},
		{"trace", "generate", "--requests", "100000", "-o", name},
	} {
		var out bytes.Buffer
		cmd := newRootCommand()
		cmd.SetArgs(args)
		cmd.SetOut(&out)
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.Canceled) || out.Len() > 0 {
			t.Errorf("windtunnel %s: %v after printing %q", args[0], err, out.String())
		}
	}
	if left, _ := filepath.Glob(filepath.Dir(name) + "/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestBadFlags(t *testing.T) {
	tests := map[string][]string{
		"no manifest":                     {"run"},
		"a manifest that is not there":    {"run", "-f", "testdata/nowhere.yaml"},
		"an unknown flag":                 {"run", "--fast"},
		"an unknown format":               {"run", "-f", "testdata/run.yaml", "-o", "xml"},
		"no parallelism":                  {"run", "-f", "testdata/run.yaml", "--parallelism", "0"},
		"an argument":                     {"run", "testdata/run.yaml"},
		"an unknown verb":                 {"ride"},
		"a name nobody has":               {"run", "-f", "testdata/run.yaml", "--name", "big"},
		"a ConfigMap's name that is none": {"trace", "configmap", "testdata/run.yaml", "--name", "Bad_Name"},
		"a trace of nothing":              {"trace", "generate", "--requests", "0"},
		"a trace not there":               {"trace", "inspect", "nowhere.jsonl"},
		"a catalogue not there":           {"catalogue", "--entries", "nowhere.yaml"},
		"a catalogue that is none":        {"catalogue", "--entries", "testdata/run.yaml"},
		"a model without a file":          {"catalogue", "--model", "my-org/my-model"},
		"a config.json that is none":      {"catalogue", "--model", "my-org/my-model=testdata/run.yaml"},
		"a word that nothing is like":     {"catalogue", "xyzzy"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := windtunnel(t, args...); cli.ExitCode(err) != cli.ExitBadInput {
				t.Errorf("exit code %d (%v), want %d", cli.ExitCode(err), err, cli.ExitBadInput)
			}
		})
	}
}
