// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"maps"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// vllmBench takes over the flags of vllm bench serve.
func (c *converter) vllmBench(in *object) {
	in = c.flags(in)
	defer in.done()
	in.ignore("executable", "model", "base_url", "host", "port", "backend", "endpoint", "percentile_metrics", "metric_percentiles", "ignore_eos",
		"result_filename", "result_dir", "save_result", "save_detailed", "tokenizer", "seed", "trust_remote_code", "served_model_name",
		"goodput", "label", "metadata", "disable_tqdm", "ready_check_timeout_sec", "temperature", "top_p", "top_k", "extra_body")
	client := v1alpha1.Client{Name: "users"}
	switch in.word("dataset_name", "random", "random", "sonnet", "sharegpt", "custom") {
	case "random":
		c.randomPrompts(in, &client)
	case "sonnet":
		in.ignore("dataset_path")
		c.prefixedPrompts(in, &client, "sonnet_input_len", 550, "sonnet_output_len", 150, "sonnet_prefix_len", 200)
	case "sharegpt":
		c.shareGPT(in, &client, shareGPTBounds{least: 4, leastOutput: 4, longestInput: 1024, longestTotal: 2048}, in.whole("sharegpt_output_len", 0, 1, maxTokens))
	case "custom":
		in.ignore("custom_output_len", "custom_skip_chat_template", "dataset_path")
		c.fault(field.Forbidden(in.at("dataset_name"), "prompts of a file cannot be carried: their lengths are in it; state clients, or replay a trace"))
	}
	prompts := in.whole("num_prompts", 1000, 1, 1e9)
	c.endsAfter(prompts)
	c.pace(in, &client, prompts, in.whole("max_concurrency", 0, 0, maxConcurrency))
	c.traffic.Workload.Clients = []v1alpha1.Client{client}
}

// flags returns the flags of a command under names with underscores. A flag without a value is "none".
func (c *converter) flags(in *object) *object {
	plain := &object{reader: in.reader, path: in.path, fields: map[string]any{}, written: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(in.fields)) {
		in.ignore(name)
		flag := strings.ReplaceAll(name, "-", "_")
		if other, twice := plain.written[flag]; twice {
			c.fault(field.Forbidden(in.at(name), "is the same flag as "+other))
			continue
		}
		plain.fields[flag], plain.written[flag] = in.fields[name], name
	}
	return plain
}

// randomPrompts take over random tokens.
func (c *converter) randomPrompts(in *object, client *v1alpha1.Client) {
	width := in.number("random_range_ratio", 0, 0, 1)
	client.InputTokens = around(in.whole("random_input_len", 1024, 1, maxTokens), width)
	client.OutputTokens = around(in.whole("random_output_len", 128, 1, maxTokens), width)
	if tokens := in.whole("random_prefix_len", 0, 0, maxTokens); tokens > 0 {
		client.Prefix = &v1alpha1.Prefix{Group: "prefix", Tokens: int32(tokens)}
	}
}

// around are lengths that are uniform around one, by a share of it.
func around(tokens int64, share float64) v1alpha1.Lengths {
	if share == 0 {
		return constant(tokens)
	}
	return uniform(int64(float64(tokens)*(1-share)), int64(float64(tokens)*(1+share)))
}

// prefixedPrompts take over prompts of one length that begin with the same text.
func (c *converter) prefixedPrompts(in *object, client *v1alpha1.Client, input string, inputTokens int64, output string, outputTokens int64, prefix string, prefixTokens int64) {
	whole, shared := in.whole(input, inputTokens, 1, maxTokens), in.whole(prefix, prefixTokens, 0, maxTokens)
	if shared >= whole {
		c.fault(field.Invalid(in.at(prefix), shared, "must be less than "+input))
		return
	}
	client.InputTokens, client.OutputTokens = constant(whole-shared), constant(in.whole(output, outputTokens, 1, maxTokens))
	if shared > 0 {
		client.Prefix = &v1alpha1.Prefix{Group: "prefix", Tokens: int32(shared)}
	}
}

// pace takes over when requests are sent: at a rate, or by users, or all at once without users.
func (c *converter) pace(in *object, client *v1alpha1.Client, requests, users int64) {
	burstiness := in.number("burstiness", 1, 1e-3, 1e3)
	if text, is := in.fields["request_rate"].(string); is && text == "inf" || !in.has("request_rate") {
		in.ignore("request_rate")
		if users == 0 {
			users = min(requests, maxConcurrency)
		}
		if users == maxConcurrency && requests > users {
			c.note("the benchmark sends %d requests at once; here %d users send them", requests, users)
		}
		client.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: int32(users)}
		return
	}
	if users > 0 {
		c.note("the benchmark holds requests back while %d are in flight; here each is sent when it is due", users)
	}
	client.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: positive(in.number("request_rate", 1, 1e-9, maxRate))}
	if burstiness != 1 {
		client.Arrivals.Process, client.Arrivals.CV = v1alpha1.GammaArrivals, positive(1/math.Sqrt(burstiness))
	}
}

// aiPerf takes over the flags of aiperf profile.
func (c *converter) aiPerf(in *object) {
	in = c.flags(in)
	defer in.done()
	in.ignore("model", "url", "endpoint_type", "streaming", "use_server_token_count", "tokenizer_trust_remote_code", "no_server_metrics",
		"extra_inputs", "tokenizer", "endpoint", "random_seed", "warmup_request_count", "artifact_dir", "ui")
	if in.has("input_file") {
		in.ignore("concurrency", "request_count", "request_rate", "custom_dataset_type")
		in.refuse("requests of a file are a trace: state workload.trace with its format, such as Mooncake", "input_file")
		return
	}
	client := v1alpha1.Client{Name: "users"}
	client.InputTokens = normal(in.number("isl", 550, 1, maxTokens), in.number("isl_stddev", 0, 0, maxTokens), 0, 0)
	in.demand("without it, answers end where the model ends them", "osl")
	client.OutputTokens = normal(in.number("osl", 1, 1, maxTokens), in.number("osl_stddev", 0, 0, maxTokens), 0, 0)
	requests := in.whole("request_count", 10, 1, 1e9)
	c.endsAfter(requests)
	users := int64(0)
	if in.has("concurrency") || !in.has("request_rate") {
		users = in.whole("concurrency", 1, 0, maxConcurrency)
	}
	in.ignore("concurrency")
	c.pace(in, &client, requests, users)
	c.traffic.Workload.Clients = []v1alpha1.Client{client}
}
