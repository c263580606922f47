// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reportRun returns a run that names a report, and in which texts are replaced in pairs.
func reportRun(t *testing.T, report string, replace ...string) string {
	t.Helper()
	at, err := filepath.Abs(report)
	if err != nil {
		t.Fatal(err)
	}
	text := `report: {file: ` + at + `}
model: meta-llama/Llama-3.1-8B-Instruct
accelerator: h100-sxm
engine: {maxNumSeqs: 64, maxNumBatchedTokens: 2048}
kvCache: {blocks: 20000}
`
	return tempFile(t, "run.yaml", strings.NewReplacer(replace...).Replace(text))
}

func TestCalibrateFitsToAReport(t *testing.T) {
	run := reportRun(t, measuredReport)
	out := mustRun(t, "calibrate", "-f", run, "--generations", "2")
	for _, want := range []string{
		"the report has no single requests: lengths and arrivals are drawn",
		"run (fitted, 300 requests)", "TTFT p90 173.0", "TPOT p50 14.5", "E2E mean 2400.0", "- name: h100-sxm",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
	for _, absent := range []string{"TTFT p95", "TPOT p99", "NaN", "TTFT predicted"} {
		if strings.Contains(out, absent) {
			t.Errorf("the report says %q, which was not measured:\n%s", absent, out)
		}
	}
	if again := mustRun(t, "calibrate", "-f", run, "--generations", "2", "--parallelism", "1"); again != out {
		t.Error("parallelism changes the fit")
	}
}

func TestCalibrateReadsThePublishedExample(t *testing.T) {
	out := mustRun(t, "calibrate", "--generations", "1", "-f", reportRun(t, filepath.Join(publishedReports(t), "example.yaml"),
		"meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-8B", "accelerator:", "tensorParallelism: 8\naccelerator:"))
	for _, want := range []string{
		"the report is of the model Qwen/Qwen3-0.6B", "has 2 replicas", "has the role decode", "share one of 256 beginnings of 1000 tokens",
		"turns of conversations", "TTFT p99 50.3", "run (fitted, 250 requests)",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
}

func TestReportsThatCalibrateRefuses(t *testing.T) {
	raw, err := os.ReadFile(measuredReport)
	if err != nil {
		t.Fatal(err)
	}
	other := func(old, new string) string {
		if !strings.Contains(string(raw), old) {
			t.Fatalf("the report does not hold %q", old)
		}
		return reportRun(t, tempFile(t, "report.yaml", strings.Replace(string(raw), old, new, 1)))
	}
	for name, tc := range map[string]struct {
		file string
		want string
	}{
		"a later version":       {other("version: 0.2.1", "version: 0.3"), `version: Unsupported value: "0.3"`},
		"no such report":        {reportRun(t, "nowhere.yaml"), "nowhere.yaml: no such file"},
		"no rate":               {other("      rate_qps: 6\n", ""), "scenario.load.standardized.rate_qps: the report states no rate"},
		"a rate next to 0":      {other("rate_qps: 6", "rate_qps: 1e-9"), "the load takes longer than"},
		"no requests":           {other("total: 300", "total: 0"), "requests: the report counts no requests"},
		"no lengths":            {other("{distribution: gaussian, value: 160, std_dev: 40}", "{distribution: other, value: 160}"), "output_length: the report has neither"},
		"no latencies":          {other("        time_to_first_token: {units: ms, mean: 97.5, p50: 86, p90: 173, p99: 287.25, max: 410}\n        time_per_output_token: {units: ms/token, mean: 14.75, p50: 14.5}\n        request_latency: {units: s, mean: 2.4, p50: 2.375, p90: 4}\n", "        inter_token_latency: {units: ms/token, mean: 14.5}\n"), "has none of time_to_first_token"},
		"two engines":           {other("standardized: {kind: generic, tool: llm-d-inference-scheduler, tool_version: 0.3.2, kind_draft: router, weights: [2, 1.5, null]}", "standardized: {kind: inference_engine, tool: vllm, tool_version: '1', role: prefill, replicas: 1, model: {name: x}, accelerator: {model: y, count: 1, parallelism: {}}}"), "the report has 2 engines, and calibrate replays on one"},
		"a log too":             {reportRun(t, measuredReport, "report:", "requests: {file: a}\nreport:"), "report: Forbidden: the run has a log of requests"},
		"first requests":        {reportRun(t, measuredReport, "report:", "fitRequests: 5\nreport:"), "fitRequests: Forbidden: a report has no figures of its first requests alone"},
		"arrivals of no kind":   {reportRun(t, measuredReport, "}\nmodel", ", arrivals: Bursty}\nmodel"), `report.arrivals: Unsupported value: "Bursty": supported values: "Poisson", "Constant"`},
		"a plot of no requests": {reportRun(t, measuredReport), "--plot shows single requests, and a Benchmark Report has none"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			args := []string{"calibrate", "-f", tc.file, "--entry", filepath.Join(folder, "entry.yaml")}
			if strings.HasPrefix(tc.want, "--plot") {
				args = append(args, "--plot", filepath.Join(folder, "plot.svg"))
			}
			_, err := windtunnel(t, args...)
			if exitCode(err) != exitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %v, want %s", exitCode(err), err, tc.want)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}
