// SPDX-License-Identifier: Apache-2.0

package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInspect(t *testing.T) {
	for query, want := range map[string]Inspection{
		`sum(rate(vllm:request_success_total{namespace="a"}[2m])) / count(vllm:num_requests_running)`: {},
		"sum(vllm:num_request_waiting)":                      {Unexported: []string{"vLLM exports no vllm:num_request_waiting; similar: vllm:num_requests_waiting, vllm:num_requests_running"}},
		"vllm:queue_depth + vllm:queue_depth":                {Unexported: []string{"vLLM exports no vllm:queue_depth"}},
		"sum(rate(vllm:request_queue_time_seconds_sum[1m]))": {NotSimulated: []string{"vllm:request_queue_time_seconds_sum of vLLM is not simulated"}},
		"llm_d_router_epp_average_queue_size":                {Unexported: []string{"no release of the EPP exports llm_d_router_epp_average_queue_size; use llm_d_epp_average_queue_size"}},
		"llm_d_router_epp_kv_cache_hits":                     {NotSimulated: []string{"llm_d_router_epp_kv_cache_hits of the EPP is not simulated"}},
		"inference_objective_running_requests":               {}, // some version has it
		"inference_extension_scheduler_attempts_total":       {},
		"inference_objective_request_ttft_seconds_bucket":    {NotSimulated: []string{"inference_objective_request_ttft_seconds_bucket of the EPP is not simulated"}},
		"inference_model_request_sizes_sum":                  {NotSimulated: []string{"inference_model_request_sizes_sum of the EPP is not simulated"}},
		"inference_pool_average_queue_sizes":                 {Unexported: []string{"the EPP exports no inference_pool_average_queue_sizes; similar: inference_pool_average_queue_size, inference_pool_per_pod_queue_size, inference_pool_average_running_requests"}},
		"max_over_time(vllm:num_requests_waiting[5m:1m])":    {NotSimulated: []string{"subqueries are not supported"}},
		"sum(http_requests_total)":                           {NotSimulated: []string{"there is no metric http_requests_total in a simulation"}},
		"sum(vllm:num_requests_waiting":                      {Unparsed: `missing "," or ")" when parsing args list for "sum"`},
	} {
		got := Inspect(query)
		if want.Unparsed != "" && got.Unparsed != "" {
			continue // the words are those of the parser
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: −want +got:\n%s", query, diff)
		}
	}
}
