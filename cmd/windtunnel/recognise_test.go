// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// A file of the wrong kind is named for what it is, with the verb that reads it, in one line.
func TestAFileOfAnotherKindIsNamedForWhatItIs(t *testing.T) {
	empty := cmdtest.TempFile(t, "empty.yaml", "\n")
	table := cmdtest.TempFile(t, "gateway.csv", "time,prompt,answer\n1,2,3\n")
	traffic := cmdtest.TempFile(t, "day.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n1,2,3\n")
	picker := cmdtest.TempFile(t, "epp.yaml", "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n")
	page := cmdtest.TempFile(t, "page.yaml", "<!DOCTYPE html>\n<html></html>\n")
	deployment := cmdtest.TempFile(t, "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n")
	result := cmdtest.TempFile(t, "result.json", mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "json"))
	bench := cmdtest.TempFile(t, "bench.json", `{"date": "20260101", "completed": 2, "duration": 3.5, "request_throughput": 0.6, "ttfts": [0.1, 0.2], "p99_ttft_ms": 200}`)
	guide := cmdtest.TempFile(t, "guidellm.json", `{"metadata": {"version": 2}, "benchmarks": [{"metrics": {"request_latency": {"successful": {"median": 1.9}}}}]}`)
	perf := cmdtest.TempFile(t, "summary.json", `{"load_summary": {"count": 5}, "successes": {"latency": {"request_latency": {"p90": 0.31}}}}`)
	aiperf := cmdtest.TempFile(t, "profile_export_aiperf.json", `{"request_throughput": {"unit": "requests/sec", "avg": 2}, "request_latency": {"unit": "ms", "avg": 52}}`)
	sglang := cmdtest.TempFile(t, "sglang.jsonl", strings.Repeat(`{"backend": "sglang", "completed": 2, "duration": 3.5, "request_throughput": 0.6, "total_output_tokens_retokenized": 9}`+"\n", 2))
	records := cmdtest.TempFile(t, "profile_export.jsonl", strings.Repeat(`{"metadata": {"request_start_ns": 5}, "metrics": {"time_to_first_token": {"value": 1, "unit": "ms"}}}`+"\n", 3))
	cancelled := cmdtest.TempFile(t, "aiperf.json", `{"time_to_first_token": {"unit": "ms"}, "request_latency": {"unit": "ms", "avg": 52}, "was_cancelled": false}`)
	raw := cmdtest.TempFile(t, "profile_export.json", `{"service_kind": "openai", "experiments": [{"experiment": {"mode": "concurrency"}, "requests": [{"timestamp": 1}]}]}`)
	perRequest := cmdtest.TempFile(t, "per_request.json", `[{"start_time": 1.5, "end_time": 2, "info": {"input_tokens": 10}}, {"start_time": 2.5, "end_time": 3, "info": {"input_tokens": 10}}]`)
	folder := t.TempDir()
	const address = "https://example.com/configs/epp.yaml"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"lint, nothing":                 {[]string{"lint", empty}, empty + " is empty, and windtunnel lint reads EndpointPickerConfigs"},
		"lint, a folder":                {[]string{"lint", folder}, folder + ": no EndpointPickerConfig found in the YAML and JSON files: windtunnel lint reads"},
		"lint, a trace":                 {[]string{"lint", traffic}, traffic + " is a trace in the format Vidur, and windtunnel lint reads"},
		"lint, a table":                 {[]string{"lint", table}, table + " is a table with the columns time,prompt,answer, and windtunnel lint reads"},
		"lint, an address":              {[]string{"lint", address}, address + " is an address, and the command reads files: download it first: curl -fsSL -o epp.yaml " + address},
		"lint, a page":                  {[]string{"lint", page}, page + " is a page of HTML, and windtunnel lint reads"},
		"lint, another kind":            {[]string{"lint", deployment}, deployment + " holds objects of apps/v1 Deployment, and windtunnel lint reads"},
		"lint --fix, a trace":           {[]string{"lint", "--fix", traffic}, traffic + " is a trace in the format Vidur, and windtunnel lint reads"},
		"lint, a result":                {[]string{"lint", result}, result + " is the output of run or sweep -o json, and windtunnel lint reads"},
		"sweep, an EPP file":            {[]string{"sweep", "-f", picker}, picker + " holds an EndpointPickerConfig, and windtunnel sweep simulates a PolicySweep; windtunnel lint " + picker + " checks it"},
		"run, a trace":                  {[]string{"run", "-f", traffic}, traffic + " is a trace in the format Vidur, and a manifest of Windtunnel is YAML or JSON"},
		"run, a table":                  {[]string{"run", "-f", table}, table + " is a table with the columns time,prompt,answer, and a manifest"},
		"run, a result":                 {[]string{"run", "-f", result}, result + " is the output of run or sweep -o json, and a manifest of Windtunnel is YAML or JSON with SimulationRuns and PolicySweeps; windtunnel report " + result},
		"run, an address":               {[]string{"run", "-f", address}, address + " is an address"},
		"run, nothing":                  {[]string{"run", "-f", empty}, empty + " is empty, and windtunnel run simulates a SimulationRun"},
		"run, a page":                   {[]string{"run", "-f", page}, page + " is a page of HTML"},
		"compare, a trace":              {[]string{"compare", traffic, traffic}, traffic + " is a trace in the format Vidur"},
		"report, an EPP file":           {[]string{"report", picker}, picker + " holds an EndpointPickerConfig, and a report is of the output of run or sweep -o json"},
		"results, a trace":              {[]string{"results", "-f", traffic}, traffic + " is a trace in the format Vidur, and results are in the output of run or sweep -o json"},
		"import, an EPP file":           {[]string{"import", picker}, picker + " holds an EndpointPickerConfig, and windtunnel import reads profiles of AIPerf, BLIS"},
		"init --epp, a trace":           {[]string{"init", "--epp", traffic, "--trace", traffic, "-o", filepath.Join(folder, "s.yaml")}, "--epp: " + traffic + " is a trace in the format Vidur, and --epp names an EndpointPickerConfig"},
		"init --epp, an address":        {[]string{"init", "--epp", address, "--trace", traffic, "-o", filepath.Join(folder, "s.yaml")}, "--epp: " + address + " is an address"},
		"inspect, a benchmark's result": {[]string{"trace", "inspect", bench}, bench + " is a result of vllm bench serve, and a trace has the requests with their times of arrival; windtunnel import reads the profile"},
		"run, a benchmark's result":     {[]string{"run", "-f", bench}, bench + " is a result of vllm bench serve, and a manifest of Windtunnel"},
		"import, a report of guidellm":  {[]string{"import", guide}, guide + " is a report of guidellm, and windtunnel import reads profiles"},
		"inspect, inference-perf":       {[]string{"trace", "inspect", perf}, perf + " is a report of inference-perf, and a trace has"},
		"init --trace, AIPerf":          {[]string{"init", "--epp", picker, "--trace", aiperf, "-o", filepath.Join(folder, "s.yaml")}, "--trace: " + aiperf + " is a result of AIPerf or genai-perf"},
		"inspect, SGLang":               {[]string{"trace", "inspect", sglang}, sglang + " is a result of sglang.bench_serving, and a trace has"},
		"inspect, records of AIPerf":    {[]string{"trace", "inspect", records}, records + " is a log of requests of AIPerf, and a trace has"},
		"run, AIPerf":                   {[]string{"run", "-f", cancelled}, cancelled + " is a result of AIPerf, and a manifest"},
		"import, genai-perf":            {[]string{"import", raw}, raw + " is a profile export of genai-perf, and windtunnel import reads"},
		"lint, records of a benchmark":  {[]string{"lint", perRequest}, perRequest + " is a log of requests of inference-perf, and windtunnel lint reads"},
		"calibrate, a result":           {[]string{"calibrate", "-f", bench}, bench + " is a result of vllm bench serve, and windtunnel calibrate reads a YAML file"},
		"inspect, nothing":              {[]string{"trace", "inspect", empty}, empty + ": is empty: it has no requests"},
		"inspect, an address":           {[]string{"trace", "inspect", address}, address + " is an address"},
		"report, an address":            {[]string{"report", address}, address + " is an address, and the command reads files: download it first: curl"},
		"report, a folder":              {[]string{"report", folder}, folder + " is a folder, and the command reads a file: name one of its files"},
		"calibrate, a folder":           {[]string{"calibrate", "-f", folder}, folder + " is a folder, and the command reads a file"},
		"calibrate, nothing":            {[]string{"calibrate", "-f", empty}, empty + " is empty, and windtunnel calibrate reads a YAML file that describes a measured run"},
		"explain, an address":           {[]string{"explain", address}, address + " is an address, and the argument of explain is the name of an object in a cluster"},
		"dashboard, an address":         {[]string{"dashboard", address}, address + " is an address"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, c.args...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("error %v, want exit code 2 and %q", err, c.want)
			}
			if out != "" || strings.Count(strings.TrimSuffix(err.Error(), "\n(to compare EPP configurations, name the manifest of a SimulationRun with --scenario)"), "\n") > 0 {
				t.Errorf("more than one sentence:\n%s%v", out, err)
			}
		})
	}
}

// What is a manifest, but a faulty one, keeps the errors of its fields.
func TestAFaultyManifestIsNoOtherFile(t *testing.T) {
	for name, c := range map[string]struct{ args, want string }{
		"a run with an EPP file in it": {cmdtest.Edited(t, cmdtest.PoissonSample, "replicas: 4", "replicas: four"), `spec.scenario.pools[0].replicas: Invalid value: "four": must be a whole number`},
		"a word in the EPP file":       {cmdtest.Edited(t, cmdtest.PoissonSample, "weight: 3", "wieght: 3"), `:60: spec.scenario.router.endpointPickerConfig.inline.schedulingProfiles[0].plugins[2].wieght: Forbidden: unknown field; there are pluginRef, weight; did you mean "weight"?`},
		"no number in the EPP file":    {cmdtest.Edited(t, cmdtest.PoissonSample, "weight: 3", "weight: .nan"), `:60: spec.scenario.router.endpointPickerConfig.inline.schedulingProfiles[0].plugins[2].weight: Invalid value: .nan: must be a finite number`},
		"no YAML":                      {cmdtest.TempFile(t, "a.yaml", "apiVersion: sim.windtunnel.dev/v1alpha1\nkind: [\n"), "document 1: yaml: line "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, "run", "-f", c.args)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want exit code 2 and %q", err, c.want)
			}
		})
	}
}

// Rows of JSON that are of no known format are told with the formats.
func TestRowsOfAnUnknownFormat(t *testing.T) {
	for name, text := range map[string]string{
		"messages": `{"id": "s1", "messages": [{"role": "user", "content": "how?"}]}`,
		"counts":   `{"timestamp": 40, "prompts": 80, "output_length": 10}`,
	} {
		file := cmdtest.TempFile(t, name+".jsonl", text+"\n")
		_, err := windtunnel(t, "trace", "inspect", file)
		if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), ", which rows of Mooncake do not have. The known formats:\n  - AccessLog") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One invalid object keeps the others of the manifest from being simulated, and the error says so.
func TestAnInvalidObjectBesideValidOnes(t *testing.T) {
	good := cmdtest.TextOf(t, "testdata/run.yaml")
	for name, c := range map[string]struct{ old, new, want string }{
		"by the schema":    {"horizon:", "horizont:", "was simulated: the other documents are valid"},
		"by the catalogue": {"model: ", "model: x", "no SimulationRun was simulated: --name NAME selects a valid one"},
	} {
		bad := strings.Replace(strings.Replace(good, "name: ", "name: bad-", 1), c.old, c.new, 1)
		file := cmdtest.TempFile(t, "runs.yaml", good+"\n---\n"+bad)
		out, err := windtunnel(t, "run", "-f", file)
		if out != "" || cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
