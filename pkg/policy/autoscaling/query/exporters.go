// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strings"
)

// exporter has metrics whose names begin with a prefix.
type exporter struct {
	prefix, name string
	// complete says that others lists all metrics that are not in the catalogue.
	complete bool
	// others are the rests of the names of metrics that are not simulated, without the endings of
	// counters and histograms.
	others []string
}

// exporters are those of which Windtunnel knows the metrics: vLLM up to v0.19
// (vllm/v1/metrics/loggers.py and the connectors of KV transfers, and the first engine), the EPP
// (pkg/epp/metrics/llm_d_router_metrics.go of v0.9.0, v0.10.0 and ebab68792, and what came before it), and llm-d's
// workload-variant-autoscaler.
var exporters = []exporter{
	{"vllm:", "vLLM", true, strings.Fields(`
		avg_generation_throughput_toks_per_s avg_prompt_throughput_toks_per_s cache_config_info corrupted_requests
		cpu_cache_usage_perc cpu_prefix_cache_hit_rate e2e_request_latency_seconds engine_sleep_state
		estimated_flops_per_gpu estimated_read_bytes_per_gpu estimated_write_bytes_per_gpu
		external_prefix_cache_hits external_prefix_cache_queries generation_tokens gpu_prefix_cache_hit_rate
		gpu_prefix_cache_hits gpu_prefix_cache_queries iteration_tokens kv_block_idle_before_evict_seconds
		kv_block_lifetime_seconds kv_block_reuse_gap_seconds kv_offload_size kv_offload_total_bytes
		kv_offload_total_time lora_requests_info mm_cache_hits mm_cache_queries model_execute_time_milliseconds
		model_forward_time_milliseconds nixl_bytes_transferred nixl_num_descriptors nixl_num_failed_notifications
		nixl_num_failed_transfers nixl_num_kv_expired_reqs nixl_post_time_seconds nixl_xfer_time_seconds
		num_preemptions num_requests_swapped num_requests_waiting_by_reason prompt_tokens prompt_tokens_by_source
		prompt_tokens_cached prompt_tokens_recomputed request_decode_time_seconds request_generation_tokens
		request_inference_time_seconds request_max_num_generation_tokens request_params_best_of
		request_params_max_tokens request_params_n request_prefill_kv_computed_tokens request_prefill_time_seconds
		request_prompt_tokens request_queue_time_seconds request_success request_time_per_output_token_seconds
		spec_decode_draft_acceptance_rate spec_decode_efficiency spec_decode_num_accepted_tokens
		spec_decode_num_accepted_tokens_per_pos spec_decode_num_draft_tokens spec_decode_num_drafts
		spec_decode_num_emitted_tokens time_in_queue_requests`)},
	{"llm_d_router_epp_", "the EPP", true, []string{"kv_cache_*"}},
	{"llm_d_epp_", "the EPP", true, strings.Fields(`
		datalayer_extract_errors datalayer_poll_errors encoder_cache_* flow_control_dispatch_cycle_duration_seconds
		flow_control_global_capacity_utilization_* flow_control_pending_reclaim flow_control_reclaim_target
		flow_control_request_enqueue_duration_seconds flow_control_request_queue_duration_seconds
		flow_control_requests flow_control_revocation_confirmation_seconds flow_control_revocations
		flow_control_revocations_issued flow_control_stale_endpoints info kv_cache_* model_rewrite_decisions
		plugin_duration_seconds prefix_indexer_* program_aware_* request_cached_tokens
		request_input_tokens request_ntpot_seconds request_output_tokens
		request_processing_duration_seconds request_size_bytes request_streaming_itl_seconds
		request_streaming_tpot_seconds response_processing_duration_seconds
		response_size_bytes scheduler_e2e_duration_seconds`)},
	{"inference_objective_", "the EPP", false, ofObjectives},
	{"inference_pool_", "the EPP", false, nil},
	{"inference_extension_", "the EPP", false, strings.Fields(`
		flow_control_dispatch_cycle_duration_seconds flow_control_request_enqueue_duration_seconds
		flow_control_request_queue_duration_seconds info model_rewrite_decisions plugin_duration_seconds
		prefix_indexer_* scheduler_e2e_duration_seconds`)},
	{"inference_model_", "the EPP", false, ofObjectives},
	{"wva_", "llm-d's workload-variant-autoscaler", true, strings.Fields(`
		current_replicas desired_ratio replica_scaling required_capacity saturation_utilization spare_capacity`)},
}

// ofObjectives are metrics of requests up to router-main, and before v1.0 of the Gateway API Inference Extension of
// its models (pkg/epp/metrics/metrics.go of v1.5.0).
var ofObjectives = strings.Fields(`
	inference_request_metric input_tokens normalized_time_per_output_token_seconds output_tokens
	prompt_cached_tokens request_duration_seconds request_error request_predicted_tpot_seconds
	request_predicted_ttft_seconds request_sizes request_slo_violation request_tpot_prediction_duration_seconds
	request_tpot_seconds request_ttft_prediction_duration_seconds request_ttft_seconds response_sizes`)

// exports reports whether the exporter has a metric that is not in the catalogue.
func (x *exporter) exports(rest string) bool {
	for _, ending := range []string{"", "_total", "_bucket", "_sum", "_count", "_created"} {
		base, is := strings.CutSuffix(rest, ending)
		if is && slices.ContainsFunc(x.others, func(other string) bool {
			family, all := strings.CutSuffix(other, "*")
			return base == other || all && strings.HasPrefix(base, family)
		}) {
			return true
		}
	}
	return false
}
