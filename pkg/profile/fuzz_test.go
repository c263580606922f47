// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/profile"
)

// maxFuzzed is the size in bytes of the largest profile that is converted: the fuzzer shortens
// each input that reaches new code, which takes long for long ones. hack/fuzz.sh also sets
// -fuzzminimizetime 5x in place of a minute.
const maxFuzzed = 800

// checkConversion converts a text, and holds what comes of it against what the package promises
// of every profile.
func checkConversion(t *testing.T, text []byte, o profile.Options) {
	if len(text) > maxFuzzed {
		return
	}
	traffic, errs := profile.Convert(text, o)
	if (traffic == nil) != (len(errs) > 0) {
		t.Fatalf("traffic %v beside %v", traffic, errs)
	}
	for _, err := range errs {
		if err.Error() == "" || err.Field == "" {
			t.Fatalf("error %q of the field %q", err, err.Field)
		}
	}
	if traffic == nil {
		return
	}
	written, err := yaml.Marshal(traffic)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := profile.Convert(text, o)
	if same, err := yaml.Marshal(again); err != nil || string(same) != string(written) {
		t.Fatalf("converted once:\n%s\nand again (%v):\n%s", written, err, same)
	}
}

// fuzzFormat fuzzes the loader of a format, from small profiles that it takes.
func fuzzFormat(f *testing.F, format profile.Format, seeds ...string) {
	for _, text := range seeds {
		if traffic, errs := profile.Convert([]byte(text), profile.Options{Format: format}); traffic == nil {
			f.Fatalf("the seed\n%s\nis no profile: %v", text, errs.ToAggregate())
		}
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, stage uint8) {
		checkConversion(t, text, profile.Options{Format: format, Stage: int(stage)})
	})
}

func FuzzInferencePerf(f *testing.F) {
	const stages = "load: {type: poisson, stages: [{rate: 1, duration: 9}, {rate: 2.5, duration: 9}]}\n"
	fuzzFormat(f, profile.InferencePerf,
		stages+"data: {type: random, input_distribution: {min: 1, max: 9, mean: 5, std_dev: 2}, output_distribution: {type: fixed, mean: 5}}",
		stages+"data: {type: shared_prefix, shared_prefix: {num_groups: 2, num_prompts_per_group: 2, system_prompt_len: 9, question_len: 5, output_len: 5}}",
		"load: {type: concurrent, stages: [{num_requests: 9, concurrency_level: 3}]}\n"+
			"data: {type: random, input_distribution: {type: fixed, mean: 5}, output_distribution: {type: fixed, mean: 5}}",
		"load: {type: concurrent, stages: [{num_requests: 9, concurrency_level: 3}]}\n"+
			"data: {type: conversation_replay, conversation_replay: {dynamic_system_prompt_len: {type: uniform, min: 5, max: 9}, tool_call_latency_sec: {mean: 2, std_dev: 1, max: 9}}}",
	)
}

func FuzzGuideLLM(f *testing.F) {
	const data = "data: {prompt_tokens: 5, prompt_tokens_stdev: 2, output_tokens: 5}\n"
	const spec = "spec: {constraints: [{kind: max_requests, count: 9}], data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], "
	fuzzFormat(f, profile.GuideLLM,
		data+"profile: constant\nrate: 2\nmax_seconds: 5",
		data+"profile: concurrent\nrate: [2]\nmax_requests: 9",
		spec+"profile: {kind: poisson, rate: 3}}",
		spec+"profile: {kind: concurrent, streams: 3}}",
		spec+"profile: {kind: synchronous}}",
	)
}

func FuzzFlags(f *testing.F) {
	for _, text := range []string{"dataset-name: random\nmax-concurrency: 3", "dataset-name: sonnet\nrequest-rate: 2", "endpoint-type: chat\nisl: 9\nosl: 3\nconcurrency: 2"} {
		if traffic, errs := profile.Convert([]byte(text), profile.Options{}); traffic == nil {
			f.Fatalf("the seed\n%s\nis no profile: %v", text, errs.ToAggregate())
		}
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkConversion(t, text, profile.Options{}) })
}

func FuzzBLIS(f *testing.F) {
	const head = "version: '2'\nhorizon: 1000000\naggregate_rate: 1\n"
	const client = "- id: a\n  rate_fraction: 1\n  arrival: {process: poisson}\n" +
		"  input_distribution: {type: gaussian, params: {mean: 5, std_dev: 2, min: 1, max: 9}}\n" +
		"  output_distribution: {type: constant, params: {value: 1}}\n"
	fuzzFormat(f, profile.BLIS,
		head+"clients:\n"+client,
		head+"clients:\n"+client+"  prefix_group: g\n  prefix_length: 9\n  tenant_id: t\n  slo_class: batch\n",
		head+"clients:\n"+client+"  lifecycle: {windows: [{start_us: 0, end_us: 9, trace_rate: 1}]}\n",
		head+"cohorts:\n"+client+"  population: 3\n",
	)
}
