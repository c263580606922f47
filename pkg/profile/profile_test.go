// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/profile"
)

// scenario is a run of traffic.
func scenario(traffic *profile.Traffic) *v1alpha1.SimulationRun {
	run := builder.MakeRun("profile", "ns").Seeds(1).Obj()
	s := &run.Spec.Scenario
	s.Horizon, s.Workload, s.SLOs = traffic.Horizon, traffic.Workload, traffic.SLOs
	manifest.Default(run)
	return run
}

// A profile becomes the traffic of its golden file, which compiles.
func TestProfilesAreTakenOver(t *testing.T) {
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no profiles: %v", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden.yaml") {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			text := testfile.Read(t, name)
			traffic, errs := profile.Convert(text, profile.Options{})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			got, err := yaml.Marshal(traffic)
			if err != nil {
				t.Fatal(err)
			}
			for _, note := range slices.Backward(traffic.Notes) {
				got = append([]byte("# "+note+"\n"), got...)
			}
			golden.Check(t, strings.TrimSuffix(name, ".yaml")+".golden.yaml", got)
			run := scenario(traffic)
			if errs := manifest.Validate(run); len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if _, errs, err := compile.Run(t.Context(), run, experimenttest.Inputs{}); err != nil || len(errs) > 0 {
				t.Errorf("compile: %v, %v", errs.ToAggregate(), err)
			}
		})
	}
}

func TestWhatCannotBeCarriedIsRefused(t *testing.T) {
	const (
		random = "data: {type: random, input_distribution: {min: 1, max: 9, mean: 5, std_dev: 2}, output_distribution: {min: 1, max: 9, mean: 5, std_dev: 2}}\n"
		load   = "load: {type: poisson, stages: [{rate: 1, duration: 10}]}\n"
		shared = "data: {type: shared_prefix, shared_prefix: {num_groups: 2, num_prompts_per_group: 2, system_prompt_len: 10, question_len: 5, output_len: 5"
		blis   = "version: '2'\nhorizon: 1000000\naggregate_rate: 1\nclients:\n- id: a\n  rate_fraction: 1\n  arrival: {process: poisson}\n  output_distribution: {type: constant, params: {value: 1}}\n"
		length = "  input_distribution: {type: constant, params: {value: 1}}\n"
		guide  = "spec:\n  constraints: [{kind: max_requests, count: 5}]\n  data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}]\n"
	)
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"no YAML":       {"{", []string{`profile: Invalid value: "": must be YAML: yaml: line 1: did not find expected node content`}},
		"a list":        {"[1]", []string{`profile: Invalid value: "": must be an object with fields`}},
		"another thing": {"a: 1", []string{`profile: Invalid value: "": must have load and data (InferencePerf), spec or profile (GuideLLM), version and clients, cohorts or the like (BLIS), dataset-name (VLLMBench), or endpoint-type (AIPerf)`}},
		"a marker": {"load: {type: poisson, stages: [{rate: REPLACE_ENV_RATE, duration: 10}]}\n" + random, []string{
			`load.stages[0].rate: Invalid value: "REPLACE_ENV_RATE": is a marker of a template: put a value in its place`}},
		"an unknown field": {load + random + "loads: 1", []string{
			"loads: Forbidden: unknown field; there are api, circuit_breakers, data, load, metrics, report, server, storage, tokenizer"}},
		"a negative rate": {"load: {type: poisson, stages: [{rate: -1, duration: 10}]}\n" + random, []string{
			"load.stages[0].rate: Invalid value: -1: must be between 1e-09 and 1e+09"}},
		"a rate that is no number": {"load: {type: poisson, stages: [{rate: fast, duration: 10}]}\n" + random, []string{
			`load.stages[0].rate: Invalid value: "fast": must be a number`}},
		"a search for the rate": {"load: {type: poisson, sweep: {type: cubic}}\n" + random, []string{
			"load.sweep.type: Unsupported value: \"cubic\": supported values: \"linear\", \"geometric\"",
			"load.sweep: Required value: inference-perf measures the saturation first, and its rates follow from that: state it in requests/s with --saturation; windtunnel size finds that of a simulated pool"}},
		"stages beside a search": {"load: {type: poisson, stages: [{rate: 1, duration: 10}], sweep: {type: linear}}\n" + random, []string{
			"load.stages: Forbidden: load.sweep makes the stages: state one of them",
			"load.sweep: Required value: inference-perf measures the saturation first, and its rates follow from that: state it in requests/s with --saturation; windtunnel size finds that of a simulated pool"}},
		"no stages": {"load: {type: poisson}\n" + random, []string{"load.stages: Required value: state the stages"}},
		"two numbers of users": {"load: {type: concurrent, stages: [{num_requests: 1, concurrency_level: 1}, {num_requests: 1, concurrency_level: 2}]}\n" + random, []string{
			"load.stages: Forbidden: a closed loop has one number of users, and there are 2 stages: choose one with --stage"}},
		"a foreign kind of data": {load + "data: {type: cnn_dailymail}", []string{
			`data.type: Unsupported value: "cnn_dailymail": supported values: "shared_prefix", "random", "synthetic", "conversation_replay", "shareGPT"`}},
		"a file that is not there": {load + "data: {type: shareGPT}", []string{
			"data.type: Required value: lengths are in the ShareGPT file: name it with --dataset"}},
		"recorded sessions": {"load: {type: trace_session_replay, stages: [{concurrent_sessions: 4}]}\ndata: {type: weka_trace_replay, weka_trace_replay: {trace_files: [a.json]}}", []string{
			"data.type: Forbidden: recorded sessions are a trace: state workload.trace with the format Weka, the file of the sessions and concurrentSessions; each waits for its tools as recorded, without max_wait_ms and trace_idle_gap_cap_seconds"}},
		"conversations at a rate": {load + "data: {type: conversation_replay, conversation_replay: {num_conversations: 3}}", []string{
			"data.conversation_replay: Forbidden: conversations of an open loop cannot be carried: inference-perf counts their turns in the rate"}},
		"data in the tokenizer": {"load: {type: concurrent, stages: [{num_requests: 9, concurrency_level: 1}]}\nserver: {}\ntokenizer: {data: {type: random}}", []string{
			"tokenizer.data: Forbidden: stands beside tokenizer, not in it", "data: Required value"}},
		"a deviation by another name": {load + "data: {type: random, input_distribution: {min: 1, max: 9, mean: 5, std: 2}, output_distribution: {type: fixed, mean: 5}}", []string{
			"data.input_distribution.std: Forbidden: inference-perf has no such field: write std_dev"}},
		"prompts of another file":    {"dataset-name: custom\nnum-prompts: 5", []string{"dataset-name: Forbidden: prompts of a file cannot be carried: their lengths are in it; state clients, or replay a trace"}},
		"another flag":               {"dataset-name: random\nnum-warmups: 5", []string{"num-warmups: Forbidden: unknown field; there are backend, base_url, burstiness, dataset_name, disable_tqdm, endpoint, executable, extra_body, goodput, host, ignore_eos, label, max_concurrency, metadata, metric_percentiles, model, num_prompts, percentile_metrics, port, random_input_len, random_output_len, random_prefix_len, random_range_ratio, ready_check_timeout_sec, request_rate, result_dir, result_filename, save_detailed, save_result, seed, served_model_name, temperature, tokenizer, top_k, top_p, trust_remote_code"}},
		"two spellings of a flag":    {"endpoint-type: chat\nosl: 5\nrequest-count: 5\nrequest_count: 6", []string{"request_count: Forbidden: is the same flag as request-count"}},
		"a trace of aiperf":          {"endpoint-type: chat\ninput-file: a.jsonl\ncustom-dataset-type: mooncake_trace", []string{"input-file: Forbidden: requests of a file are a trace: state workload.trace with its format, such as Mooncake"}},
		"no length of answers":       {"endpoint-type: chat\nisl: 5", []string{"osl: Required value: without it, answers end where the model ends them"}},
		"a harness without requests": {"pvc_name: a", []string{`profile: Invalid value: "": is of the harness nop, which sends no requests`}},
		"a default that versions differ in": {load + "data: {type: random, input_distribution: {min: 1, max: 9, mean: 5}, output_distribution: {type: fixed, mean: 5}}", []string{
			"data.input_distribution.std_dev: Required value: versions of inference-perf have different defaults"}},
		"conversations": {load + shared + ", enable_multi_turn_chat: true}}", []string{
			"data.shared_prefix.enable_multi_turn_chat: Forbidden: conversations without end cannot be carried: state client.sessions"}},
		"two names of one field": {load + shared + ", num_unique_system_prompts: 2}}", []string{
			"data.shared_prefix.num_unique_system_prompts: Forbidden: is the same field as num_groups"}},

		"no end": {"spec: {data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], profile: {kind: synchronous}}", []string{
			"spec.constraints: Required value: state max_requests or max_duration: without one, a benchmark has no end"}},
		"two bounds of one kind, and none": {strings.Replace(guide, "[{kind: max_requests, count: 5}]", "[{kind: max_sec, seconds: 5}, {kind: max_min, max_min: 5}, {kind: max_requests}]", 1) + "  profile: {kind: synchronous}", []string{
			"spec.constraints[1].max_min: Forbidden: another constraint bounds the same", "spec.constraints[2].count: Required value"}},
		"a sweep of rates": {guide + "  profile: {kind: sweep}", []string{
			`spec.profile.kind: Unsupported value: "sweep": supported values: "concurrent", "synchronous", "throughput", "constant", "poisson"`}},
		"several benchmarks": {guide + "  profile: {kind: concurrent}\nbenchmarks: [{profile: {streams: 1}}, {profile: {streams: 2}}]", []string{
			"benchmarks: Forbidden: a workload is one benchmark, and there are 2: choose one with --stage"}},
		"a file of prompts": {"spec: {constraints: [{kind: max_requests, count: 5}], data: [{kind: json_file, path: a}], profile: {kind: synchronous}}", []string{
			`spec.data[0].kind: Unsupported value: "json_file": supported values: "synthetic_text"`,
			"spec.data[0].prompt_tokens: Required value", "spec.data[0].output_tokens: Required value",
			"spec.data[0].path: Forbidden: unknown field; there are kind, output_tokens, output_tokens_max, output_tokens_min, output_tokens_stdev, prefix_buckets, prefix_tokens, processor, prompt_tokens, prompt_tokens_max, prompt_tokens_min, prompt_tokens_stdev, samples, source, turns"}},
		"a benchmark of what is not there": {guide + "  profile: {kind: concurrent}\nbenchmarks: [{profile.streams: 1, 'constraints[7].count': 2}]", []string{
			`benchmarks[0].constraints[7].count: Invalid value: "2": leads to nothing in spec`}},
		"a benchmark with a typo": {guide + "  profile: {kind: concurrent, streams: 1}\nbenchmarks: [{profil.streams: 1}]", []string{
			`benchmarks[0].profil.streams: Invalid value: "1": leads to nothing in spec`}},
		"a flat profile with a wrong bound": {"profile: synchronous\nmax-requests: 0\ndata: {prompt_tokens: 5, output_tokens: 5}", []string{
			"max-requests: Invalid value: 0: must be between 1 and 1e+09"}},
		"no room for a turn": {"load: {type: concurrent, stages: [{num_requests: 9, concurrency_level: 1}]}\ndata: {type: conversation_replay, conversation_replay: {max_model_len: 1000, input_tokens_per_turn: {type: fixed, mean: 500}, output_tokens_per_turn: {type: fixed, mean: 400}}}", []string{
			"data.conversation_replay.max_model_len: Invalid value: 1000: leaves no room for the longest turn, which has 500 tokens, beside its answer and a reserve of 200"}},
		"half a user": {guide + "  profile: {kind: concurrent, streams: 1.5}", []string{
			"profile: Invalid value: 1.5: must have a whole number of users"}},
		"a flat profile without a rate": {"profile: constant\nmax_seconds: 5\ndata: {prompt_tokens: 5, output_tokens: 5}", []string{"rate: Required value"}},

		"an older version": {"version: '1'\n" + strings.TrimPrefix(blis, "version: '2'\n") + length, []string{
			`version: Unsupported value: "1": supported values: "2"`}},
		"a misspelt field": {blis + length + "  prefix_grp: a", []string{
			"clients[0].prefix_grp: Forbidden: unknown field; there are adapter, arrival, closed_loop, concurrency, id, input_distribution, lifecycle, model, multimodal, network, output_distribution, prefix_group, prefix_length, rate_fraction, reasoning, slo_class, slo_target_us, streaming, tenant_id, think_time_us, timeout"}},
		"a Pareto law without a mean": {blis + "  input_distribution: {type: pareto_lognormal, params: {alpha: 1, xm: 5, mu: 1, sigma: 1, mix_weight: 0.5}}", []string{
			"clients[0].input_distribution.params.alpha: Invalid value: 1: must be greater than 1: without a mean, the lengths cannot be carried"}},
		"lengths in a file": {blis + "  input_distribution: {type: empirical, file: a.csv, params: {'5': 1}}", []string{
			"clients[0].input_distribution.file: Forbidden: lengths in a file cannot be carried: state params"}},
		"a network": {blis + length + "  network: {rtt_ms: 5}", []string{
			"clients[0].network: Forbidden: networks cannot be carried: latencies are those at the gateway"}},
		"a name that is none": {strings.Replace(blis, "id: a", "id: 'a b'", 1) + length, []string{
			`clients[0].id: Invalid value: "a b": must be at most 63 letters, digits, dots, - and _, and begin and end with a letter or a digit`}},
		"windows that overlap": {blis + length + "  lifecycle: {windows: [{start_us: 0, end_us: 9, trace_rate: 1}, {start_us: 5, end_us: 20, trace_rate: 1}]}", []string{
			`clients[0].lifecycle.windows[1]: Invalid value: "5µs": windows must not overlap, and must have a duration`}},
	} {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte(tc.text), profile.Options{})
			if traffic != nil {
				t.Error("traffic beside errors")
			}
			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// One of several benchmarks is a workload.
func TestAStageIsChosen(t *testing.T) {
	const stages = "load: {type: concurrent, stages: [{num_requests: 10, concurrency_level: 1}, {num_requests: 20, concurrency_level: 2}]}\n" +
		"data: {type: random, input_distribution: {type: fixed, mean: 5}, output_distribution: {type: fixed, mean: 5}}"
	const streams = "profile: concurrent\nrate: [1, 2]\nmax_requests: 20\ndata: {prompt_tokens: 5, output_tokens: 5}"
	const spec = "spec: {constraints: [{kind: max_requests, count: 20}], data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], profile: {kind: concurrent, streams: [1, 2]}}"
	const benchmarks = "spec: {constraints: [{kind: max_requests, count: 20}], data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], profile: {kind: concurrent}}\n" +
		"benchmarks: [{profile.streams: 1}, {profile.streams: 2}]"
	for _, text := range []string{stages, streams, spec, benchmarks} {
		traffic, errs := profile.Convert([]byte(text), profile.Options{Stage: 2})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if users := traffic.Workload.Clients[0].ClosedLoop.Concurrency; users != 2 || *traffic.Horizon.Requests != 20 {
			t.Errorf("%d users and %d requests, want 2 and 20", users, *traffic.Horizon.Requests)
		}
		if _, errs := profile.Convert([]byte(text), profile.Options{Stage: 3}); len(errs) == 0 {
			t.Error("there is no third stage")
		}
	}
}

// An option that the profile does not need is an error.
func TestUnusedOptionsAreRefused(t *testing.T) {
	const text = "dataset-name: random\nnum-prompts: 5"
	for name, tc := range map[string]struct {
		options profile.Options
		want    string
	}{
		"stage":      {profile.Options{Stage: 1}, "--stage: Forbidden: the profile has no stages or benchmarks"},
		"saturation": {profile.Options{Saturation: 5}, "--saturation: Forbidden: the profile has no load.sweep"},
		"dataset":    {profile.Options{Dataset: []byte("[]")}, "--dataset: Forbidden: the profile takes no prompts from a ShareGPT file"},
	} {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte(text), tc.options)
			if traffic != nil || len(errs) != 1 || errs[0].Error() != tc.want {
				t.Errorf("errors %v, want %q", errs, tc.want)
			}
		})
	}
}

// The gaps of vLLM have a gamma law of the shape burstiness, whose cv is its root's inverse: 1/√0.25 = 2.
func TestBurstinessOfVLLM(t *testing.T) {
	traffic, errs := profile.Convert([]byte("dataset-name: random\nrequest-rate: 4\nburstiness: 0.25"), profile.Options{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := v1alpha1.Arrivals{Process: v1alpha1.GammaArrivals, Rate: "4", CV: "2"}
	if diff := cmp.Diff(want, traffic.Workload.Clients[0].Arrivals); diff != "" {
		t.Errorf("arrivals (-want +got):\n%s", diff)
	}
}

// 2,000,000 prompts at once are more than there may be users.
func TestTooManyAtOnce(t *testing.T) {
	traffic, errs := profile.Convert([]byte("dataset-name: random\nnum-prompts: 2000000"), profile.Options{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if diff := cmp.Diff([]string{"the benchmark sends 2000000 requests at once; here 100000 users send them"}, traffic.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// Answers of 400 tokens and a reserve of 200 leave 1,400 of 2,000 tokens.
func TestRoomOfConversations(t *testing.T) {
	const text = "load: {type: concurrent, stages: [{num_requests: 9, concurrency_level: 1}]}\n" +
		"data: {type: conversation_replay, conversation_replay: {max_model_len: 2000, output_tokens_per_turn: {type: fixed, mean: 400}}}"
	traffic, errs := profile.Convert([]byte(text), profile.Options{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if got := ptr.Deref(traffic.Workload.Clients[0].Sessions.MaxTokens, 0); got != 1400 {
		t.Errorf("%d tokens, want 1400", got)
	}
}

// A benchmark may change any part of the spec.
func TestABenchmarkChangesTheSpec(t *testing.T) {
	const text = "spec: {constraints: [{kind: max_requests}], data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], profile: {kind: concurrent}}\n" +
		"benchmarks: [{profile.streams: 1, 'constraints[0].count': 10}, {profile: {streams: 2}, 'constraints[0].count': 20, 'data[0].prompt_tokens': 7}]"
	traffic, errs := profile.Convert([]byte(text), profile.Options{Stage: 2})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	client := traffic.Workload.Clients[0]
	if client.ClosedLoop.Concurrency != 2 || *traffic.Horizon.Requests != 20 || client.InputTokens.Mean != "7" {
		t.Errorf("%d users, %d requests and %s tokens, want 2, 20 and 7", client.ClosedLoop.Concurrency, *traffic.Horizon.Requests, client.InputTokens.Mean)
	}
}

// The rates are those of numpy: linspace(1, 9, 5), and 1 + 9 - geomspace(9, 1, 5), whose factor is 9^(1/4) = 1.7321:
// 9, 5.196, 3, 1.732 and 1.
func TestARateSearchHasTheRatesOfInferencePerf(t *testing.T) {
	for kind, want := range map[string][]v1alpha1.NonNegativeDecimal{
		"linear":    {"1", "3", "5", "7", "9"},
		"geometric": {"1", "4.8", "7", "8.27", "9"},
	} {
		text := "load: {type: poisson, interval: 0, sweep: {type: " + kind + ", num_stages: 5, stage_duration: 30}}\n" +
			"data: {type: random, input_distribution: {type: fixed, mean: 5}, output_distribution: {type: fixed, mean: 5}}"
		traffic, errs := profile.Convert([]byte(text), profile.Options{Saturation: 9})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		var got []v1alpha1.NonNegativeDecimal
		for _, stage := range traffic.Workload.Clients[0].Arrivals.Stages {
			got = append(got, stage.Rate)
		}
		if diff := cmp.Diff(want, got); diff != "" || traffic.Horizon.Duration != "2m30s" {
			t.Errorf("%s, in %s (-want +got):\n%s", kind, traffic.Horizon.Duration, diff)
		}
	}
}

// At 4 bytes a token, the prompts of the file have 10, 3 and 12 tokens, and the answers 5, 5 and 300.
func TestLengthsOfAShareGPTFile(t *testing.T) {
	say := func(prompt, answer int) string {
		return fmt.Sprintf(`{"id": "x", "conversations": [{"from": "human", "value": %q}, {"from": "gpt", "value": %q}]}`, strings.Repeat("word", prompt), strings.Repeat("word", answer))
	}
	dataset := []byte("[" + say(10, 5) + "," + say(3, 5) + "," + say(12, 300) + `, {"id": "alone", "conversations": [{"from": "human", "value": "a"}]}]`)
	const inferencePerf = "load: {type: poisson, stages: [{rate: 1, duration: 9}]}\ndata: {type: shareGPT, input_distribution: {min: 1}, output_distribution: {min: 1, max: 50}}"
	one := func(tokens ...int32) v1alpha1.Lengths {
		l := v1alpha1.Lengths{Distribution: v1alpha1.HistogramLengths}
		for _, n := range tokens {
			l.Histogram = append(l.Histogram, v1alpha1.WeightedLength{Tokens: n, Weight: 1})
		}
		return l
	}
	five := one(5)
	five.Histogram[0].Weight = 2
	for name, tc := range map[string]struct {
		text          string
		input, output v1alpha1.Lengths
	}{
		"inference-perf leaves out the long answer": {inferencePerf, one(3, 10), five},
		"vLLM leaves out the short prompt":          {"dataset-name: sharegpt\nnum-prompts: 9", one(10, 12), one(5, 300)},
	} {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte(tc.text), profile.Options{Dataset: dataset})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			client := traffic.Workload.Clients[0]
			if diff := cmp.Diff([]v1alpha1.Lengths{tc.input, tc.output}, []v1alpha1.Lengths{client.InputTokens, client.OutputTokens}); diff != "" {
				t.Errorf("lengths (-want +got):\n%s", diff)
			}
		})
	}
	for _, bad := range []string{"", "{}", "[]", `[{"conversations": "a"}]`} {
		if traffic, errs := profile.Convert([]byte(inferencePerf), profile.Options{Dataset: []byte(bad)}); traffic != nil || len(errs) == 0 {
			t.Errorf("the file %q is accepted", bad)
		}
	}
}

// The metadata of a profile change nothing.
func TestMetadataOfGuideLLM(t *testing.T) {
	const plain = "spec:\n  profile: {kind: concurrent}\n  constraints: [{kind: max_duration, seconds: 300}]\n" +
		"  data: [{kind: synthetic_text, prompt_tokens: 900, output_tokens: 300}]\nbenchmarks: [{profile.streams: 20}]\n"
	want, errs := profile.Convert([]byte(plain), profile.Options{})
	got, more := profile.Convert([]byte("metadata: {labels: {name: fixed}}\n"+plain), profile.Options{})
	if len(errs)+len(more) > 0 {
		t.Fatal(errs, more)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("−want +got:\n%s", diff)
	}
}

// The names that versions of guidellm give to bounds mean the same.
func TestBoundsOfGuideLLM(t *testing.T) {
	const (
		spec = "spec: {data: [{kind: synthetic_text, prompt_tokens: 5, output_tokens: 5}], profile: {kind: synchronous}, constraints: "
		flat = "data: {prompt_tokens: 5, output_tokens: 5}\nprofile: synchronous\n"
	)
	for name, tc := range map[string]struct {
		text, duration string
		requests       int64
	}{
		"a number in a list":               {spec + "[{kind: max_requests, count: 20}]}", "", 20},
		"a number by its name in a list":   {spec + "[{kind: max_number, max_num: 20}]}", "", 20},
		"max_num":                          {spec + "[{kind: max_num, count: 20}]}", "", 20},
		"max_req":                          {spec + "[{kind: max_req, max_req: 20}]}", "", 20},
		"seconds in a list":                {spec + "[{kind: max_sec, seconds: 90}]}", "1m30s", 0},
		"a duration in a list":             {spec + "[{kind: max_dur, seconds: 2m}]}", "2m0s", 0},
		"minutes by their name in a list":  {spec + "[{kind: max_minutes, max_minutes: 1.5}]}", "1m30s", 0},
		"minutes of the kind, in s":        {spec + "[{kind: max_min, seconds: 30, stopping_scope: all}]}", "30s", 0},
		"both in an object":                {spec + "{max_seconds: 30, max_requests: 20}}", "30s", 20},
		"minutes in an object":             {spec + "{max_min: 2}}", "2m0s", 0},
		"a duration in minutes with units": {spec + "{max_min: 90s}}", "1m30s", 0},
		"seconds in the flat form":         {flat + "max-seconds: 30", "30s", 0},
		"others in the flat form":          {flat + "max_dur: 30\nmax_number: 20", "30s", 20},
	} {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte(tc.text), profile.Options{})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			h := traffic.Horizon
			if got := ptr.Deref(h.Requests, 0); got != tc.requests || string(h.Duration) != tc.duration {
				t.Errorf("%d requests in %q, want %d in %q", got, h.Duration, tc.requests, tc.duration)
			}
		})
	}
}

func FuzzConvert(f *testing.F) {
	for _, text := range []string{"load: {}\ndata: {}", "version: '2'\nclients: []", "spec: {}", "profile: constant", "[1]", "{"} {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, stage uint8) {
		checkConversion(t, text, profile.Options{Stage: int(stage)})
	})
}
