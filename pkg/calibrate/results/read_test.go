// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/calibrate"
)

func readExample(t *testing.T, name string) []byte {
	t.Helper()
	return testfile.Read(t, "testdata/"+name)
}

// Each example was simulated with known coefficients, so that its replay with them has its
// figures again, but for what the format does not say: which lengths belong together, and
// when requests came.
func TestExamplesOfEachFormatAreReplayedAsTheyWereMeasured(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		// results are how many there are, off the tolerated error of means.
		results int
		off     float64
	}{
		"vllm bench, single requests":                     {"vllm-bench-detailed.json", 1, 0.001},
		"vllm bench, single requests without their times": {"vllm-bench-detailed-open.json", 1, 0.03},
		"vllm bench, means only":                          {"vllm-bench.json", 1, 0.001},
		"guidellm":                                        {"guidellm.json", 2, 0.05},
		"inference-perf, open loop":                       {"stage_0_lifecycle_metrics.json", 1, 0.05},
		"inference-perf, closed loop":                     {"stage_1_lifecycle_metrics.json", 1, 0.05},
		"inference-perf, single requests":                 {"per_request_lifecycle_metrics.json", 1, 0.001},
		"Benchmark Report 0.1":                            {"benchmark_report_v0.1.yaml", 1, 0.05},
		"InferenceX, JSON":                                {"inferencex.json", 2, 0.001},
		"InferenceX, CSV":                                 {"inferencex.csv", 2, 0.001},
	} {
		t.Run(name, func(t *testing.T) {
			all, errs := Read(readExample(t, tc.file), 1)
			if len(errs) > 0 || len(all) != tc.results {
				t.Fatalf("%d results, %v", len(all), errs.ToAggregate())
			}
			for i := range all {
				replayed(t, &all[i], tc.off)
			}
		})
	}
	t.Run("scrapes", func(t *testing.T) {
		r, errs := ReadScrapes(readExample(t, "before.prom"), readExample(t, "after.prom"), exampleRequests/3.0)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if r.Load.Requests != exampleRequests || r.Load.Rate != 3 {
			t.Errorf("%d requests at %v per second, want 60 at 3", r.Load.Requests, r.Load.Rate)
		}
		replayed(t, &r, 0.03)
	})
}

// replayed holds a replay with the true coefficients against what was read.
func replayed(t *testing.T, r *Result, off float64) {
	t.Helper()
	if r.Unpaced != nil || r.Model != "" && r.Model != "meta-llama/Llama-3.1-8B-Instruct" {
		t.Errorf("%s: model %q, %v", r.Part, r.Model, r.Unpaced)
	}
	run := r.Run("example", exampleEngine())
	times, err := run.Replay(t.Context(), exampleTruth(), 0)
	if err != nil {
		t.Fatal(err)
	}
	measured := r.Figures
	if r.Requests != nil {
		measured = calibrate.FiguresOf(run.Measured())
	}
	some := false
	for m, e := range calibrate.Errors(calibrate.FiguresOf(times), measured) {
		if !math.IsNaN(e[calibrate.Mean]) {
			some = true
		}
		if math.Abs(e[calibrate.Mean]) > off {
			t.Errorf("%s: mean %v is off by %.2f %%; if the engine was changed, TestWriteExamples with -update writes the examples anew", r.Part, calibrate.Metric(m), 100*e[calibrate.Mean])
		}
	}
	if !some {
		t.Errorf("%s: nothing was measured", r.Part)
	}
}

// edited returns an example in which texts are replaced in pairs.
func edited(t *testing.T, name string, replace ...string) []byte {
	t.Helper()
	text := string(readExample(t, name))
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(text, replace[i]) {
			t.Fatalf("%s does not hold %q", name, replace[i])
		}
		text = strings.ReplaceAll(text, replace[i], replace[i+1])
	}
	return []byte(text)
}

// Each fault names the field that has it.
func TestFilesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		text []byte
		want string
	}{
		"a result of SGLang's benchmark":   {edited(t, "vllm-bench.json", `"completed": 60`, `"total_output_tokens_retokenized": 9, "completed": 60`), "total_output_tokens_retokenized: Forbidden: the file is a result of sglang.bench_serving, and the coefficients are of vLLM"},
		"a backend that is not vLLM":       {edited(t, "vllm-bench.json", `"backend": "vllm"`, `"backend": "tgi"`), `backend: Unsupported value: "tgi": supported values: "vllm", "openai", "openai-chat"`},
		"an older name of the backend":     {edited(t, "vllm-bench.json", `"backend": "vllm"`, `"endpoint_type": "sglang"`), `endpoint_type: Unsupported value: "sglang"`},
		"a rate that rises":                {edited(t, "vllm-bench.json", `"completed": 60`, `"completed": 60, "ramp_up_strategy": "linear"`), "ramp_up_strategy: Forbidden: the rate rises"},
		"no number of requests":            {edited(t, "vllm-bench.json", `"completed": 60`, `"completed": 0`), "completed: Required value"},
		"no lengths":                       {edited(t, "vllm-bench.json", "total_output_tokens", "tokens"), "total_output_tokens: Required value: the tokens of all answers"},
		"no means":                         {edited(t, "vllm-bench.json", "mean_", "max_"), "mean_ttft_ms: Required value: the file has no mean"},
		"a text for a time":                {edited(t, "vllm-bench.json", `"p99_ttft_ms": `, `"p99_ttft_ms": "fast", "x": `), `p99_ttft_ms: Invalid value: "fast": must be a number of at least 0`},
		"lists of other lengths":           {edited(t, "vllm-bench-detailed.json", `"output_lens":[`, `"output_lens":[5,`), "output_lens: Invalid value: has 61 entries, and ttfts has 60"},
		"times in milliseconds":            {edited(t, "vllm-bench-detailed.json", `"ttfts":[`, `"ttfts":[-5,`), "ttfts[0]: Invalid value: -5: must be a number of at least 0"},
		"half a token":                     {edited(t, "vllm-bench-detailed.json", `"input_lens":[`, `"input_lens":[7.5,`, `"output_lens":[`, `"output_lens":[9,`, `"ttfts":[`, `"ttfts":[1,`, `"itls":[`, `"itls":[[],`), "ttfts[0]: Invalid value: a request of 7.5 input and 9 output tokens"},
		"another strategy of guidellm":     {edited(t, "guidellm.json", `"poisson"`, `"surge"`), `benchmarks[1].config.strategy.type_: Unsupported value: "surge"`},
		"no streams":                       {edited(t, "guidellm.json", `"streams"`, `"flows"`), "benchmarks[0].config.strategy.streams: Required value"},
		"no TTFT in guidellm":              {edited(t, "guidellm.json", "time_to_first_token_ms", "ttft"), "benchmarks[0].metrics.time_to_first_token_ms.successful.mean: Required value"},
		"no benchmarks":                    {[]byte(`{"benchmarks": []}`), "benchmarks: Required value: at least one benchmark"},
		"no latencies in inference-perf":   {edited(t, "stage_0_lifecycle_metrics.json", `"latency"`, `"times"`), "successes.latency.request_latency.mean: Required value"},
		"no lengths in inference-perf":     {edited(t, "stage_0_lifecycle_metrics.json", `"prompt_tokens"`, `"tokens"`), "successes.prompt_len.mean: Required value"},
		"a log without streaming":          {edited(t, "per_request_lifecycle_metrics.json", "output_token_times", "times"), "[0].info.output_token_times: Required value: the log needs it"},
		"another version of the report":    {edited(t, "benchmark_report_v0.1.yaml", `"0.1"`, `"0.0"`), `version: Unsupported value: "0.0"`},
		"another unit":                     {edited(t, "benchmark_report_v0.1.yaml", `"ms/token"`, `"hours"`), `metrics.latency.time_per_output_token.units: Unsupported value: "hours"`},
		"a load of another tool":           {edited(t, "benchmark_report_v0.1.yaml", `"vllm-benchmark"`, `"nop"`), `scenario.load.name: Unsupported value: "nop"`},
		"rows of another engine only":      {edited(t, "inferencex.json", `"vllm"`, `"trt"`), "file: Invalid value: has no row of vLLM at tensor parallelism 1 alone; it has 1 of sglang, 3 of trt"},
		"rows of another engine only, CSV": {edited(t, "inferencex.csv", ",vllm,", ",trt,"), "has no row of vLLM at tensor parallelism 1 alone; it has 1 of sglang, 3 of trt"},
		"rows of two models":               {edited(t, "inferencex.csv", ",1,8,400,100,", ",1,8,400,100,", "bf16,1,8", "fp8,1,8"), "line 2.precision: Invalid value: the rows are of several (bf16, fp8)"},
		"a row without a TP":               {edited(t, "inferencex.json", `"tp": 1`, `"tensor_parallelism": 1`), "[0].tp: Required value"},
		"a row without latencies":          {edited(t, "inferencex.csv", "mean_ttft,mean_tpot", "ttft,tpot"), "line 2.mean_ttft: Required value: the row has no mean"},
		"metrics of SGLang":                {edited(t, "after.prom", "vllm:", "sglang:"), "file: Invalid value: holds metrics of SGLang, and the coefficients are of vLLM"},
		"metrics without these histograms": {[]byte("# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{} 1\n"), "holds none of vLLM's histograms with its line of # TYPE, such as vllm:time_to_first_token_seconds"},
		"a scrape without lengths":         {edited(t, "after.prom", "vllm:request_prompt_tokens", "vllm:prompts"), "vllm:request_prompt_tokens: Required value: the scrape counts nothing"},
		"a scrape of two models":           {edited(t, "after.prom", "vllm:e2e_request_latency_seconds_count{engine=\"0\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"", "vllm:e2e_request_latency_seconds_count{model_name=\"x\""), "holds several models (meta-llama/Llama-3.1-8B-Instruct, x)"},
		"a line that is no sample":         {[]byte("# HELP vllm:a b\nvllm:a{le=1} 5\n"), "is no scrape: text format parsing error in line 2"},
		"a report of SGLang":               {edited(t, "benchmark_report_v0.1.yaml", `"model": {`, `"platform": {"engine": [{"name": "lmsysorg/sglang:v0.5"}]}, "model": {`), "scenario.platform.engine[0].name: Forbidden: the report is of SGLang"},
		"half a user":                      {edited(t, "inferencex.csv", ",1,8,400,100,", ",1,0.5,400,100,"), `line 3.conc: Invalid value: "0.5": must be a whole number between 1 and 100000`},
		"more requests than make sense":    {edited(t, "stage_0_lifecycle_metrics.json", `"count": 60`, `"count": 1e30`), "successes.count: Invalid value: 1e30: must be a whole number between 1 and 1000000000"},
		"only failed requests":             {edited(t, "benchmark_report_v0.1.yaml", `"total": 60`, `"total": 60, "failures": 60`), "metrics.requests.failures: Invalid value: 60: no request has an answer"},
		"neither":                          {[]byte(`{"a": 1}`), "file: Invalid value: is none of vllm bench serve --save-result, guidellm"},
		"text":                             {[]byte("hello"), "file: Invalid value: is none of vllm bench serve"},
		"nothing":                          {nil, "file: Invalid value: is none of vllm bench serve"},
		"JSON that ends early":             {edited(t, "vllm-bench.json", "\n}\n", ""), "file: Invalid value: is none of"},
	} {
		t.Run(name, func(t *testing.T) {
			all, errs := Read(tc.text, 1)
			if len(errs) == 0 || all != nil || !strings.Contains(errs.ToAggregate().Error(), tc.want) {
				t.Errorf("%d results, %v, want the error %s", len(all), errs.ToAggregate(), tc.want)
			}
		})
	}
	if _, errs := ReadScrapes(readExample(t, "after.prom"), readExample(t, "before.prom"), 5); len(errs) == 0 || !strings.Contains(errs[0].Error(), "counts less than in the scrape before") {
		t.Errorf("scrapes in the wrong order: %v", errs.ToAggregate())
	}
}

func TestWhatAFileDoesNotSayIsAskedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		text []byte
		want string
	}{
		"a summary of all stages": {edited(t, "stage_0_lifecycle_metrics.json", `"achieved_rate": 3,`, "", `"requested_rate": 3`, `"send_duration": 20`), "load_summary.achieved_rate"},
		"one scrape":              {readExample(t, "after.prom"), "report.seconds"},
		"no strategy":             {edited(t, "guidellm.json", `"type_"`, `"kind"`), "benchmarks[0].config.strategy.type_"},
		"no rate":                 {edited(t, "vllm-bench.json", `"request_rate": "inf",`, "", `"max_concurrency": 4,`, ""), "request_rate"},
	} {
		t.Run(name, func(t *testing.T) {
			all, errs := Read(tc.text, 1)
			if len(errs) > 0 || all[0].Unpaced == nil || all[0].Unpaced.Field != tc.want {
				t.Fatalf("%v, want a question for %s", errs.ToAggregate(), tc.want)
			}
			all[0].Pace(0, 4)
			if all[0].Unpaced != nil || all[0].Load.Concurrency != 4 {
				t.Errorf("the answer is not taken: %+v", all[0].Load)
			}
		})
	}
}

// Buckets are as wide as they are, but lengths have the mean of the histogram: 60 answers of
// 20 to 99 tokens, 59.5 on average by the definition of the example.
func TestLengthsOfAHistogramHaveItsMean(t *testing.T) {
	all, errs := Read(readExample(t, "after.prom"), 1)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	const steps = 1000
	total := 0.0
	for i := range steps {
		total += all[0].Load.Output((float64(i) + 0.5) / steps)
	}
	if mean := total / steps; math.Abs(mean-59.3) > 0.5 {
		t.Errorf("answers have %v tokens on average", mean)
	}
}

// Failed requests are in the lists of vllm bench with an answer of 0 tokens.
func TestRequestsWithoutAnAnswerAreLeftOut(t *testing.T) {
	text := edited(t, "vllm-bench-detailed.json", `"failed":0`, `"failed":1`, `"input_lens":[`, `"input_lens":[300,`, `"output_lens":[`, `"output_lens":[0,`, `"ttfts":[`, `"ttfts":[0,`, `"itls":[`, `"itls":[[],`)
	all, errs := Read(text, 1)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if n := len(all[0].Requests); n != exampleRequests || !strings.Contains(strings.Join(all[0].Notes, " "), "1 of 61 requests failed") {
		t.Errorf("%d requests, notes %q", n, all[0].Notes)
	}
}

// A list with one gap of 20 ms for 20 to 99 tokens says nothing of a request's time: that
// would be 0.2 to 1 ms a token, and the mean of the file is 22.
func TestListsThatContradictTheMeansAreLeftOut(t *testing.T) {
	v := jsontest.Decode[map[string]any](t, readExample(t, "vllm-bench-detailed.json"))
	for i := range v["itls"].([]any) {
		v["itls"].([]any)[i] = []float64{0.02}
	}
	raw := jsontest.Encode(t, v)
	all, errs := Read(raw, 1)
	if len(errs) > 0 || all[0].Requests != nil || !strings.Contains(all[0].Notes[0], "do not have the means of the file") {
		t.Fatalf("%+v, %v", all, errs.ToAggregate())
	}
	replayed(t, &all[0], 0.05)
}

// guidellm before 0.4 counts requests beside the metrics, and has its strategy in args.
func TestAnOlderReportOfGuideLLM(t *testing.T) {
	all, errs := Read(edited(t, "guidellm.json", `"request_totals"`, `"totals"`, `"config": {`, `"run_stats": {"requests_made": {"successful": 60, "errored": 2, "incomplete": 0}}, "args": {`), 1)
	if len(errs) > 0 || len(all) != 2 {
		t.Fatalf("%d results, %v", len(all), errs.ToAggregate())
	}
	if l := all[0].Load; l.Requests != 60 || l.Concurrency != 4 || all[1].Load.Rate != 3 || !strings.Contains(strings.Join(all[0].Notes, " "), "2 of 62 requests failed") {
		t.Errorf("%+v, notes %q", l, all[0].Notes)
	}
}

// vllm bench serve --append-result writes one result behind the other.
func TestAFileMayHoldSeveralResults(t *testing.T) {
	all, errs := Read(append(readExample(t, "vllm-bench.json"), readExample(t, "vllm-bench-detailed.json")...), 1)
	if len(errs) > 0 || len(all) != 2 || all[0].Part != "result 0" || all[1].Part != "result 1" {
		t.Errorf("%+v, %v", all, errs.ToAggregate())
	}
}
