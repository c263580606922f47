// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
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
	return cmdtest.TempFile(t, "run.yaml", strings.NewReplacer(replace...).Replace(text))
}

func TestCalibrateFitsToAReport(t *testing.T) {
	run := reportRun(t, cmdtest.MeasuredReport)
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
	out := mustRun(t, "calibrate", "--generations", "1", "-f", reportRun(t, filepath.Join(cmdtest.PublishedReports(t), "example.yaml"),
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
	raw := cmdtest.TextOf(t, cmdtest.MeasuredReport)
	other := func(replace ...string) string {
		text := raw
		for i := 0; i < len(replace); i += 2 {
			if !strings.Contains(text, replace[i]) {
				t.Fatalf("the report does not hold %q", replace[i])
			}
			text = strings.Replace(text, replace[i], replace[i+1], 1)
		}
		return reportRun(t, cmdtest.TempFile(t, "report.yaml", text))
	}
	for name, tc := range map[string]struct {
		file string
		want string
	}{
		"a later version":       {other("version: 0.2.1", "version: 0.3"), `version: Unsupported value: "0.3"`},
		"no such report":        {reportRun(t, "nowhere.yaml"), "nowhere.yaml: no such file"},
		"no rate":               {other("      rate_qps: 6\n", "", "        request_rate: {units: queries/s, mean: 5.9}\n", ""), "scenario.load.standardized.rate_qps: Required value: the report states no rate, no concurrency and no request_rate"},
		"a rate next to 0":      {other("rate_qps: 6", "rate_qps: 1e-9"), "the load takes longer than"},
		"no requests":           {other("total: 300", "total: 0"), "requests: Required value: the report counts no requests"},
		"no lengths":            {other("{distribution: gaussian, value: 160, std_dev: 40}", "{distribution: other, value: 160}"), "output_length: Invalid value: the report has neither"},
		"no latencies":          {other("        time_to_first_token: {units: ms, mean: 97.5, p50: 86, p90: 173, p99: 287.25, max: 410}\n        time_per_output_token: {units: ms/token, mean: 14.75, p50: 14.5}\n        request_latency: {units: s, mean: 2.4, p50: 2.375, p90: 4}\n", "        inter_token_latency: {units: ms/token, mean: 14.5}\n"), "has none of time_to_first_token"},
		"two engines":           {other("standardized: {kind: generic, tool: llm-d-inference-scheduler, tool_version: 0.3.2, kind_draft: router, weights: [2, 1.5, null]}", "standardized: {kind: inference_engine, tool: vllm, tool_version: '1', role: prefill, replicas: 1, model: {name: x}, accelerator: {model: y, count: 1, parallelism: {}}}"), "the report has 2 engines, and calibrate replays on one"},
		"a log too":             {reportRun(t, cmdtest.MeasuredReport, "report:", "requests: {file: a}\nreport:"), "report: Forbidden: the run has a log of requests"},
		"first requests":        {reportRun(t, cmdtest.MeasuredReport, "report:", "fitRequests: 5\nreport:"), "fitRequests: Forbidden: a report has no figures of its first requests alone"},
		"another engine":        {other("tool: vllm", "tool: sglang"), `scenario.stack.standardized.tool: Unsupported value: "sglang": supported values: "vllm"`},
		"a rate that is known":  {reportRun(t, cmdtest.MeasuredReport, "}\nmodel", ", rate: \"2\"}\nmodel"), "report.rate: Forbidden: the file says how requests were sent"},
		"a rate and a number":   {reportRun(t, cmdtest.MeasuredReport, "}\nmodel", ", rate: \"2\", concurrency: 4}\nmodel"), "report.rate: Forbidden: in a closed loop of report.concurrency"},
		"a rate of no number":   {reportRun(t, cmdtest.MeasuredReport, "}\nmodel", ", rate: fast}\nmodel"), `report.rate: Invalid value: "fast": must be a decimal`},
		"an unknown version":    {reportRun(t, cmdtest.MeasuredReport, "maxNumSeqs: 64", `maxNumSeqs: 64, version: "0.99"`), `engine.version: Invalid value: "0.99": unknown version of vLLM`},
		"arrivals of no kind":   {reportRun(t, cmdtest.MeasuredReport, "}\nmodel", ", arrivals: Bursty}\nmodel"), `report.arrivals: Unsupported value: "Bursty": supported values: "Poisson", "Constant"`},
		"a plot of no requests": {reportRun(t, cmdtest.MeasuredReport), "--plot shows single requests, and these files have none"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			args := []string{"calibrate", "-f", tc.file, "--entry", filepath.Join(folder, "entry.yaml")}
			if strings.HasPrefix(tc.want, "--plot") {
				args = append(args, "--plot", filepath.Join(folder, "plot.svg"))
			}
			_, err := windtunnel(t, args...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %v, want %s", cli.ExitCode(err), err, tc.want)
			}
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}

// A closed loop is replayed as one: its users send again when they have an answer, and a
// pause later. By Little's law, 50 users who get 5.857 requests per second in 0.510 s each pause
// 50/5.857 − 0.510 = 8.03 s; the scenario says 8 s.
func TestCalibrateFitsToAReportOfAClosedLoop(t *testing.T) {
	thinking := cmdtest.TempFile(t, "thinking.yaml", mustRun(t, "run", "-f", "testdata/closed-loops/thinking-users.yaml", "-o", "benchmark-report"))
	out := mustRun(t, "calibrate", "-f", reportRun(t, thinking, "maxNumSeqs: 64, maxNumBatchedTokens: 2048", "maxNumSeqs: 256, maxNumBatchedTokens: 8192",
		"kvCache:", `latency: {roofline: {memoryEfficiency: "0.8", prefillEfficiency: "0.5", decodeEfficiency: "0.5", layerOverheadMicroseconds: "31.25", tokenOverheadMicroseconds: "1", sequenceOverheadMicroseconds: "11"}}`+"\nkvCache:"))
	if want := "50 users who send 5.857 requests per second that take 0.5101 s pause 8.03 s"; !strings.Contains(out, want) {
		t.Errorf("the report does not say %q:\n%s", want, out)
	}
	if strings.Contains(out, "does not explain the run") {
		t.Errorf("the coefficients of the simulation do not explain it:\n%s", out)
	}
}

// result returns the path of an example of a result file.
func exampleResult(t *testing.T, name string) string {
	t.Helper()
	at, err := filepath.Abs("../../pkg/calibrate/results/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestCalibrateReadsResultFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		report string
		want   []string
	}{
		"vllm bench, single requests": {"vllm-bench-detailed.json}", []string{"run (fitted, 60 requests)", "TTFT predicted", "measured ms"}},
		"vllm bench, means":           {"vllm-bench.json}", []string{"the file has no lengths of single requests", "run (fitted, 60 requests)"}},
		"guidellm":                    {"guidellm.json}", []string{"run, benchmark 0 (fitted, 60 requests)", "run, benchmark 1 (fitted, 60 requests)"}},
		"inference-perf, a stage":     {"stage_1_lifecycle_metrics.json}", []string{"run (fitted, 60 requests)", "TPOT p90"}},
		"inference-perf, requests":    {"per_request_lifecycle_metrics.json}", []string{"run (fitted, 60 requests)", "TTFT predicted"}},
		"InferenceX":                  {"inferencex.csv}", []string{"run, 2 in flight, 400+100 tokens (fitted, 20 requests)", "run, 8 in flight", "rows of the file are left out: 1 of sglang, 1 of tensor parallelism 2"}},
		"scrapes":                     {"after.prom, before: BEFORE, seconds: \"20\"}", []string{"the buckets of the histograms are wide", "run (fitted, 60 requests)"}},
		"one scrape of a closed loop": {"after.prom, concurrency: 4}", []string{"run (fitted, 120 requests)"}},
		"Benchmark Report 0.1":        {"benchmark_report_v0.1.yaml}", []string{"run (fitted, 60 requests)", "E2E p99"}},
	} {
		t.Run(name, func(t *testing.T) {
			file, rest, _ := strings.Cut(tc.report, "}")
			file, more, _ := strings.Cut(file, ",")
			if more != "" {
				more = "," + strings.Replace(more, "BEFORE", exampleResult(t, "before.prom"), 1)
			}
			run := reportRun(t, exampleResult(t, file), "}\nmodel", more+rest+"}\nmodel", "h100-sxm", "rtx-4090", "20000", "2400")
			out := mustRun(t, "calibrate", "-f", run, "--generations", "1")
			for _, want := range tc.want {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
					t.Errorf("the report does not say %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestResultFilesThatCalibrateRefuses(t *testing.T) {
	raw := cmdtest.TextOf(t, exampleResult(t, "vllm-bench.json"))
	tgi := cmdtest.TempFile(t, "tgi.json", strings.Replace(raw, `"backend": "vllm"`, `"backend": "tgi"`, 1))
	for name, tc := range map[string]struct{ file, want string }{
		"another engine":   {reportRun(t, tgi), `tgi.json holds no results that this command reads:` + "\n  - " + `backend: Unsupported value: "tgi"`},
		"one scrape":       {reportRun(t, exampleResult(t, "after.prom")), "report.seconds: Required value: a scrape has no clock"},
		"no result":        {reportRun(t, "testdata/run.yaml"), "file: Invalid value: is none of vllm bench serve --save-result, guidellm"},
		"AIPerf":           {reportRun(t, cmdtest.TempFile(t, "aiperf.json", `{"request_latency": {"unit": "ms", "avg": 52}, "was_cancelled": false}`)), "aiperf.json is a result of AIPerf, which windtunnel calibrate does not read"},
		"no such scrape":   {reportRun(t, exampleResult(t, "after.prom"), "}\nmodel", ", before: nowhere.prom}\nmodel"), "nowhere.prom: no such file"},
		"two that are one": {reportRun(t, exampleResult(t, "after.prom"), "}\nmodel", ", before: "+exampleResult(t, "after.prom")+`, seconds: "5"}`+"\nmodel"), "vllm:time_to_first_token_seconds: Required value: the scrape counts nothing"},
		"rows of other TP": {reportRun(t, exampleResult(t, "inferencex.json"), "accelerator:", "tensorParallelism: 4\naccelerator:"), "has no row of vLLM at tensor parallelism 4 alone; it has 1 of sglang, 2 of tensor parallelism 1, 1 of tensor parallelism 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := windtunnel(t, "calibrate", "-f", tc.file)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit code %d, %v, want %s", cli.ExitCode(err), err, tc.want)
			}
		})
	}
}

// docs/benchmark-report.md shows a run that reads a report.
func TestThePageOnBenchmarkReportsHasARun(t *testing.T) {
	page := cmdtest.TextOf(t, "../../docs/benchmark-report.md")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d blocks of YAML, want a run of calibrate", len(blocks))
	}
	run, err := parseRunFile([]byte(blocks[0][1]))
	if err != nil {
		t.Fatal(err)
	}
	if errs := run.validate(); len(errs) > 0 {
		t.Errorf("the page's run: %v", errs.ToAggregate())
	}
}
