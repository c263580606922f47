// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"strings"
	"testing"
)

// A shape is written as its growth with the replicas, its largest value and its dimensions.
func (s Shape) text() string {
	growth := "?"
	if s.Sized {
		growth = fmt.Sprint(s.Growth)
	}
	text := fmt.Sprintf("%s %v", growth, s.Most)
	for _, d := range s.Each {
		text += " " + string(d)
	}
	if s.SumsStages {
		text += " stages"
	}
	return text
}

// With N replicas: a sum over pods grows as N, an average as 1, a sum ÷ a count as N ÷ N = 1, an average ÷ a
// count as 1 ÷ N. A share that is multiplied by 100 has 100 as its largest value.
func TestShapesOfQueries(t *testing.T) {
	for query, want := range map[string]string{
		"vllm:num_requests_waiting":                                                                "0 0 replica",
		`vllm:num_requests_waiting{pod="llama-0"}`:                                                 "0 0",
		`vllm:num_requests_waiting{pod=~"llama.*"}`:                                                "0 0 replica",
		"sum(vllm:num_requests_waiting)":                                                           "1 0",
		"sum by (pod) (vllm:num_requests_waiting)":                                                 "0 0 replica",
		"sum by (model_name) (vllm:num_requests_waiting)":                                          "1 0",
		"sum without (pod) (vllm:num_requests_waiting)":                                            "1 0",
		"topk(1, vllm:num_requests_waiting)":                                                       "0 0",
		"topk(2, vllm:num_requests_waiting)":                                                       "0 0 replica",
		"vllm:num_requests_waiting or vector(0)":                                                   "0 0 replica",
		"sum(vllm:kv_cache_usage_perc) or vector(0)":                                               "1 1",
		"avg(vllm:kv_cache_usage_perc)":                                                            "0 1",
		"max(vllm:gpu_cache_usage_perc) * 100":                                                     "0 100",
		"100 * avg(vllm:kv_cache_usage_perc)":                                                      "0 100",
		"1 - avg(vllm:kv_cache_usage_perc)":                                                        "0 1",
		"sum(vllm:kv_cache_usage_perc) / count(vllm:kv_cache_usage_perc)":                          "0 0",
		"clamp_max(avg(vllm:num_requests_waiting), 7)":                                             "0 7",
		"sum(rate(vllm:request_success_total[2m])) / count(vllm:num_requests_running)":             "0 0",
		"avg(vllm:num_requests_waiting) / count(vllm:num_requests_running)":                        "-1 0",
		"sum(vllm:num_requests_waiting) / scalar(count(vllm:num_requests_running))":                "0 0",
		"sum(vllm:num_requests_waiting) / sum(kube_deployment_status_replicas)":                    "0 0",
		"sum(vllm:num_requests_running) / 16":                                                      "1 0",
		"sum(vllm:num_requests_running) + sum(vllm:num_requests_waiting)":                          "1 0",
		"vllm:num_requests_running + on(pod) vllm:num_requests_waiting":                            "0 0 replica",
		"max_over_time(vllm:num_requests_waiting[1m])":                                             "0 0 replica",
		"histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m])))": "0 0",
		"sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m]))":                          "1 0 le",
		"avg(DCGM_FI_DEV_GPU_UTIL)":                                                                "0 100",
		"sum(llm_d_epp_flow_control_queue_size)":                                                   "1 0",
		"max(llm_d_epp_flow_control_queue_size)":                                                   "1 0",
		"llm_d_epp_average_kv_cache_utilization":                                                   "0 1",
		"max(llm_d_epp_flow_control_pool_saturation)":                                              "0 0",
		"sum(llm_d_epp_flow_control_pool_saturation)":                                              "0 0 stages",
		"llm_d_epp_flow_control_pool_saturation":                                                   "0 0 stage",
		`llm_d_epp_flow_control_pool_saturation{stage="decode"}`:                                   "0 0",
		`sum(llm_d_epp_inflight_tokens{producer_name="p"}) / 9000 or vector(0)`:                    "1 0",
		"avg(llm_d_epp_inflight_tokens)":                                                           "0 0",
		// Each function with an argument too few, which Prometheus refuses.
		"clamp_max(avg(vllm:num_requests_waiting))":                   "0 0",
		"clamp(avg(vllm:num_requests_waiting), 1)":                    "0 0",
		"histogram_quantile(vllm:time_to_first_token_seconds_bucket)": "0 0 replica",
		"quantile_over_time(vllm:num_requests_waiting[1m])":           "0 0 replica",
		"label_replace(vllm:num_requests_waiting)":                    "0 0 replica",
		"topk(vllm:num_requests_waiting)":                             "0 0 replica",
		"quantile(vllm:num_requests_waiting)":                         "0 0",
		"clamp_max()":                                                 "? 0",
		"sum()":                                                       "? 0",
		"sum(http_requests)":                                          "? 0",
		"sum(":                                                        "? 0",
		"vector(3)":                                                   "? 0",
	} {
		if got := ShapeOf(query, nil).text(); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// A version without the label has one series of the saturation.
func TestShapesGoByTheVersion(t *testing.T) {
	for v, want := range map[string]string{"router-v0.10": "0 0", "router-main": "0 0 stage"} {
		epp := with(dialect(t, v)).EPP
		if got := ShapeOf("llm_d_epp_flow_control_pool_saturation", epp).text(); got != want {
			t.Errorf("%s: %s, want %s", v, got, want)
		}
	}
}

func TestShapesNameWhatTheQueryReads(t *testing.T) {
	s := ShapeOf(`sum(vllm:num_requests_waiting{pod=~"d.*",namespace="a"}) / llm_d_epp_ready_endpoints`, nil)
	var got []string
	for _, r := range s.Reads {
		got = append(got, r.Metric+"{"+strings.Join(r.Labels, ",")+"}")
	}
	if want := "vllm:num_requests_waiting{pod,namespace} llm_d_epp_ready_endpoints{}"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
