// SPDX-License-Identifier: Apache-2.0

package observe

// A family is what several versions of vLLM and of the EPP export under several names; the newest
// one is the first.
type family struct {
	names []string
	// histogram says that the names end with _bucket, _sum and _count.
	histogram bool
}

// The families that figures need (vllm/v1/metrics/loggers.py of v0.8 to v0.19, and
// docs/autoscaling-reference.md).
var (
	finished = family{names: []string{"vllm:request_success_total", "vllm:request_success"}}
	prompts  = family{names: []string{"vllm:request_prompt_tokens"}, histogram: true}
	answers  = family{names: []string{"vllm:request_generation_tokens"}, histogram: true}
	lookups  = family{names: []string{"vllm:prefix_cache_queries_total", "vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries"}}
	hits     = family{names: []string{"vllm:prefix_cache_hits_total", "vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits"}}
	computed = family{names: []string{"vllm:prompt_tokens_total"}}
	given    = family{names: []string{"vllm:generation_tokens_total"}}
	running  = family{names: []string{"vllm:num_requests_running"}}
	waiting  = family{names: []string{"vllm:num_requests_waiting"}}
	kvUsage  = family{names: []string{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}}

	firstTokens = family{names: []string{"vllm:time_to_first_token_seconds"}, histogram: true}
	tokenGaps   = family{names: []string{"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"}, histogram: true}
	tokenTimes  = family{names: []string{"vllm:request_time_per_output_token_seconds"}, histogram: true}
	wholeTimes  = family{names: []string{"vllm:e2e_request_latency_seconds"}, histogram: true}

	routed       = family{names: []string{"llm_d_epp_request_total", "inference_objective_request_total", "inference_model_request_total"}}
	routedQueues = family{names: []string{"llm_d_epp_average_queue_size", "inference_pool_average_queue_size"}}
)

// families are in the order in which a Prometheus is asked for them.
var families = []family{
	finished, prompts, answers, lookups, hits, computed, given, running, waiting, kvUsage,
	firstTokens, tokenGaps, tokenTimes, wholeTimes, routed, routedQueues,
}

// parts are the names of the series of a family.
func (f family) parts() []string {
	if !f.histogram {
		return f.names
	}
	var names []string
	for _, name := range f.names {
		names = append(names, name+"_bucket", name+"_sum", name+"_count")
	}
	return names
}

// with returns the names with an ending.
func (f family) with(suffix string) []string {
	var names []string
	for _, name := range f.names {
		names = append(names, name+suffix)
	}
	return names
}
