// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// resultFormat is a file with results of another tool.
type resultFormat struct {
	what string
	// fields are paths that all such files have, of which each leads from an object, or from the first entry of
	// a list, into the next.
	fields [][]string
	use    string
}

// What results of other tools are for: of some, calibrate reads none.
const (
	measured  = "windtunnel import reads the profile that the benchmark ran with, and windtunnel calibrate a run whose report.file names this file"
	unfitting = "windtunnel import reads the profile that the benchmark ran with, and windtunnel calibrate a log of requests, or results of vllm bench serve, guidellm and inference-perf"
)

// resultFormats are those of the benchmarks of SGLang (sglang/bench_serving.py) and vLLM (vllm/benchmarks/serve.py),
// guidellm from 0.3 on, inference-perf, AIPerf, its predecessor genai-perf, and llm-d-benchmark. The first one that fits
// names a file.
var resultFormats = []resultFormat{
	{"is a result of sglang.bench_serving", [][]string{{"completed"}, {"request_throughput"}, {"total_output_tokens_retokenized"}}, unfitting},
	{"is a result of vllm bench serve", [][]string{{"completed"}, {"request_throughput"}, {"duration"}}, measured},
	{"is a report of guidellm", [][]string{{"benchmarks", "metrics"}}, measured},
	{"is a report of inference-perf", [][]string{{"load_summary"}, {"successes"}}, measured},
	{"is a log of requests of inference-perf", [][]string{{"start_time"}, {"end_time"}, {"info", "input_tokens"}}, measured},
	{"is a result of AIPerf", [][]string{{"request_latency", "unit"}, {"was_cancelled"}}, unfitting},
	{"is a log of requests of AIPerf", [][]string{{"metadata", "request_start_ns"}, {"metrics"}}, unfitting},
	{"is a result of AIPerf or genai-perf", [][]string{{"request_latency", "unit"}}, unfitting},
	{"is a profile export of genai-perf", [][]string{{"experiments", "requests"}, {"service_kind"}}, unfitting},
	{"is a Benchmark Report of llm-d-benchmark", [][]string{{"run", "uid"}, {"results"}}, "windtunnel compare and windtunnel calibrate read Benchmark Reports"},
}

// AsResult are the words on a result of another tool, or on lines of such.
func AsResult(content []byte) (what, use string) {
	var root any
	if yaml.Unmarshal(content, &root) != nil {
		first, _, _ := bytes.Cut(content, []byte("\n"))
		if json.Unmarshal(first, &root) != nil {
			return "", ""
		}
	}
	for _, f := range resultFormats {
		all := true
		for _, path := range f.fields {
			all = all && leads(root, path)
		}
		if all {
			return f.what, f.use
		}
	}
	return "", ""
}

// leads reports whether a path leads to a value.
func leads(from any, path []string) bool {
	if list, is := from.([]any); is && len(list) > 0 {
		from = list[0]
	}
	if len(path) == 0 {
		return from != nil
	}
	object, is := from.(map[string]any)
	return is && leads(object[path[0]], path[1:])
}

// largestResult is how many bytes of a file are parsed to tell a result from a trace.
const largestResult = 64 << 20

// ResultInPlaceOfTrace is the error of a file that is no trace and holds results of another tool; nil of others.
func ResultInPlaceOfTrace(name string) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > largestResult {
		return nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	what, use := AsResult(content)
	if what == "" {
		return nil
	}
	return fmt.Errorf("%s %s, and a trace has the requests with their times of arrival; %s", name, what, use)
}
