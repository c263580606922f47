// SPDX-License-Identifier: Apache-2.0

package query

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// busyRouter holds two requests of 4,800 bytes. Its prefill pool is at 0.4 and its decode pool at
// 0.9; 1,200, 300 and 0 tokens are in flight at the three endpoints.
func busyRouter() *story {
	return newStory(2, time.Second, func(_ int, s *autoscaling.Sample) {
		s.Gateway = autoscaling.Gateway{Arrived: 12, Ended: 3, Queued: 2}
		s.Router = policy.RouterMetrics{
			QueuedBytes: 4800, Saturation: policy.Saturation{Prefill: 0.4, Decode: 0.9, Effective: 0.9},
			InFlight: []policy.InFlight{{Requests: 4, Tokens: 1200}, {Requests: 3, Tokens: 300}, {}},
		}
		s.Replicas, s.Unavailable = 3, 1
	})
}

// The values are those of the story: 12 − 3 = 9 in flight, of which 2 wait in the router.
func TestMetricsOfTheEPPByVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		version, query string
		want           float64
	}{
		"running requests":                   {"router-v0.9", "sum(llm_d_epp_request_running)", 7},
		"running requests, older name":       {"router-v0.10", "inference_objective_running_requests", 7},
		"queue":                              {"router-v0.11", "sum(llm_d_epp_flow_control_queue_size)", 2},
		"queue, the older name that is left": {"router-v0.11", "inference_extension_flow_control_queue_size", 2},
		"queue in bytes":                     {"router-v0.9", "llm_d_epp_flow_control_queue_bytes", 4800},
		"tokens in flight":                   {"router-v0.10", `sum(llm_d_epp_inflight_tokens{producer_name="inflight-load-producer"}) / 1000`, 1.5},
		"requests in flight at one":          {"router-v0.10", `llm_d_epp_inflight_requests{endpoint_name="llama/1"}`, 3},
		"the fullest endpoint":               {"router-v0.10", "max(llm_d_epp_inflight_tokens)", 1200},
		"saturation, one series":             {"router-v0.10", "sum(llm_d_epp_flow_control_pool_saturation)", 0.9},
		"saturation by stage":                {"router-v0.11", `llm_d_epp_flow_control_pool_saturation{stage="prefill"}`, 0.4},
		"a sum over stages counts thrice":    {"router-v0.11", "sum(llm_d_epp_flow_control_pool_saturation)", 2.2},
		"replicas of the Deployment":         {"router-v0.10", "kube_deployment_status_replicas", 3},
		"replicas that do not serve":         {"router-v0.10", `kube_deployment_status_replicas_unavailable{deployment="llama"}`, 1},
		"the share of replicas that serve":   {"router-v0.10", "(kube_deployment_status_replicas - kube_deployment_status_replicas_unavailable) / kube_deployment_status_replicas * 3", 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, problem := compiledFor(t, tc.query, with(dialect(t, tc.version))).Value(&busyRouter().view)
			if problem != None || got-tc.want > 1e-12 || tc.want-got > 1e-12 {
				t.Errorf("%v (%v), want %v", got, problem, tc.want)
			}
		})
	}
}

func TestNamesThatAVersionDoesNotExport(t *testing.T) {
	for name, tc := range map[string]struct{ version, query, want string }{
		"dropped": {
			"router-v0.11", "sum(inference_objective_running_requests)",
			"character 5: router-v0.11.0 does not export inference_objective_running_requests: router-main was the last version to have it; use llm_d_epp_request_running",
		},
		"too new": {
			"scheduler-v0.8.0", "llm_d_epp_request_running",
			"character 1: scheduler-v0.8.0 does not export llm_d_epp_request_running: router-v0.9 has it; use inference_objective_running_requests",
		},
		"too new, with no older name": {
			"router-v0.9", "max(llm_d_epp_inflight_tokens)",
			"character 5: router-v0.9.0 does not export llm_d_epp_inflight_tokens: router-v0.10 has it",
		},
		"of no release": {
			"router-v0.10", "llm_d_router_epp_running_requests",
			"character 1: no release of the EPP exports llm_d_router_epp_running_requests; use llm_d_epp_request_running",
		},
		"of no release, same rest": {
			"router-v0.10", "llm_d_router_epp_average_queue_size",
			"character 1: no release of the EPP exports llm_d_router_epp_average_queue_size; use llm_d_epp_average_queue_size",
		},
		"the label of a later version": {
			"router-v0.10", `llm_d_epp_flow_control_pool_saturation{stage="effective"}`,
			"character 40: no series has the label stage here: take the matcher out",
		},
		"one of several tenants": {
			"router-v0.10", `llm_d_epp_flow_control_queue_size{fairness_id="a"}`,
			"character 35: the series of llm_d_epp_flow_control_queue_size by fairness_id are one here, their sum: take the matcher out",
		},
		"a priority of a workload that may have any": {
			"router-v0.10", `llm_d_epp_flow_control_queue_size{priority="1"}`,
			"character 35: no series has the label priority here: take the matcher out",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(tc.query, with(dialect(t, tc.version)))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// A policy has no counts of its own; an EPP may lack the plugin or the gate.
func TestMetricsThatARouterLacks(t *testing.T) {
	if _, err := Compile("llm_d_epp_inflight_tokens", threeEngines); err == nil || !strings.Contains(err.Error(), "the router has policies") {
		t.Errorf("a router of policies: %v", err)
	}
	bare := with(dialect(t, "router-v0.10"))
	bare.EPP.FlowControl, bare.EPP.Producers = false, nil
	for name, why := range map[string]string{
		"llm_d_epp_inflight_tokens":                   "the EPP configuration has no inflight-load-producer",
		"llm_d_epp_flow_control_pool_saturation":      "the feature gate flowControl is off",
		"inference_extension_flow_control_queue_size": "the feature gate flowControl is off",
	} {
		if _, problem := compiledFor(t, name, bare).Value(&busyRouter().view); problem != Empty {
			t.Errorf("%s: %v, want no series", name, problem)
		}
		if got := bare.EPP.Lacks(name); got != why {
			t.Errorf("%s: it lacks the metric because %q, want %q", name, got, why)
		}
	}
}

// Two requests of 4,800 bytes wait: one of 4,000 with priority 5, one of 800 with priority −1.
func TestQueuesByPriority(t *testing.T) {
	story := newStory(2, time.Second, func(_ int, s *autoscaling.Sample) {
		s.Gateway.Queued, s.Router.QueuedBytes = 2, 4800
		s.Router.Bands = []policy.QueuedBand{{Priority: 5, Requests: 1, Bytes: 4000}, {Priority: -1, Requests: 1, Bytes: 800}}
	})
	known := with(dialect(t, "router-v0.10"))
	known.EPP.Priorities = []int{-1, 0, 5}
	for text, want := range map[string]float64{
		"sum(llm_d_epp_flow_control_queue_size)":                              2,
		"count(llm_d_epp_flow_control_queue_size)":                            3,
		`llm_d_epp_flow_control_queue_size{priority="5"}`:                     1,
		`llm_d_epp_flow_control_queue_size{priority="0"}`:                     0,
		`sum(llm_d_epp_flow_control_queue_bytes{priority=~"0|5"})`:            4000,
		`max(sum by (priority) (llm_d_epp_flow_control_queue_bytes))`:         4000,
		`sum(inference_extension_flow_control_queue_bytes{priority!="5"})`:    800,
		`sum without (priority) (llm_d_epp_flow_control_queue_size)`:          2,
		`max_over_time(llm_d_epp_flow_control_queue_size{priority="5"}[10s])`: 1,
	} {
		if got, problem := compiledFor(t, text, known).Value(&story.view); problem != None || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
	if _, problem := compiledFor(t, "llm_d_epp_flow_control_queue_size", known).Value(&story.view); problem != Several {
		t.Errorf("three priorities: %v, want several series", problem)
	}
}

// Queues of 1, 3 and 8 have the mean 4 and the squares 9 + 1 + 16 = 26, over 2 of a sample of 3: √13 = 3.6056. The EPP
// rounds to hundredths.
func TestMetricsOfTheEndpointsOfAPool(t *testing.T) {
	story := newStory(2, time.Second, func(_ int, s *autoscaling.Sample) {
		for i, waiting := range []int{1, 3, 8} {
			s.Engines[i].Waiting, s.Engines[i].Running = waiting, 2
		}
	})
	for text, want := range map[string]float64{
		"llm_d_epp_std_dev_queue_size":                                                    3.61,
		`llm_d_epp_std_dev_running_requests{name="epp"}`:                                  0,
		`llm_d_epp_per_endpoint_queue_size{name="epp",model_server_endpoint="llama/1"}`:   3,
		"max(llm_d_epp_per_endpoint_queue_size)":                                          8,
		`sum by (name) (inference_pool_per_pod_queue_size{model_server_pod=~"llama/.*"})`: 4,
	} {
		if got, problem := compiledFor(t, text, with(dialect(t, "router-v0.10"))).Value(&story.view); problem != None || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
	if _, err := Compile("llm_d_epp_std_dev_queue_size", with(dialect(t, "router-v0.9"))); err == nil {
		t.Error("router-v0.9 has no standard deviations")
	}
}

// A guide's manifest that nobody has rendered is read as if it named what the scenario has, and a note says so.
func TestPlaceholdersOfGuides(t *testing.T) {
	q := compiledFor(t, `sum(llm_d_epp_request_running{namespace="${NAMESPACE}",model_name="${MODEL}"})`, with(dialect(t, "router-v0.10")))
	if got, problem := q.Value(&busyRouter().view); problem != None || got != 7 {
		t.Errorf("%v (%v), want 7", got, problem)
	}
	want := []string{
		`namespace="${NAMESPACE}" has no effect: llm_d_epp_request_running has no such label here`,
		"${MODEL} is a placeholder, which stands for any model_name: render the manifest, as with envsubst",
	}
	if diff := cmp.Diff(want, q.Notes()); diff != "" {
		t.Errorf("notes, −want +got:\n%s", diff)
	}
}

// Flow control holds 50 of 5,000 requests of priority 0 and 1 of 10 of priority 5; two detectors share the
// stages.
func TestMetricsOfFlowControl(t *testing.T) {
	story := newStory(2, time.Second, func(_ int, s *autoscaling.Sample) {
		s.Router = policy.RouterMetrics{
			Bands:     []policy.QueuedBand{{Requests: 50, Bytes: 200, MaxRequests: 5000, MaxBytes: 1000}, {Priority: 5, Requests: 1, MaxRequests: 10}},
			Detectors: []policy.Saturation{{Prefill: 0.5, Decode: 0.3}, {Decode: 0.9}},
		}
	})
	e := with(dialect(t, "router-v0.11"))
	e.EPP.Detectors = []Detector{{"busy", true, true}, {"queued", false, true}}
	e.EPP.Prefills, e.EPP.Decodes = true, true
	for text, want := range map[string]float64{
		`llm_d_epp_flow_control_detector_saturation{detector="busy",stage="prefill"}`: 0.5,
		`max(llm_d_epp_flow_control_detector_saturation{stage="decode"})`:             0.9,
		"count(llm_d_epp_flow_control_detector_saturation)":                           3,
		"llm_d_epp_flow_control_capacity_utilization_requests":                        0.1,
		"max by (inference_pool) (llm_d_epp_flow_control_capacity_utilization_bytes)": 0.2,
	} {
		if got, problem := compiledFor(t, text, e).Value(&story.view); problem != None || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
	e.EPP.Priorities = []int{0, 5}
	for text, want := range map[string]float64{
		`llm_d_epp_flow_control_capacity_utilization_requests{priority="0"}`: 0.01,
		`llm_d_epp_flow_control_capacity_utilization_requests{priority="5"}`: 0.1,
	} {
		if got, problem := compiledFor(t, text, e).Value(&story.view); problem != None || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
	for text, version := range map[string]string{
		"llm_d_epp_flow_control_detector_saturation":           "router-main",
		"llm_d_epp_flow_control_capacity_utilization_requests": "router-v0.10",
	} {
		if _, err := Compile(text, with(dialect(t, version))); err == nil {
			t.Errorf("%s exports %s", version, text)
		}
	}
	e.EPP.Detectors = nil
	if got := e.EPP.Lacks("llm_d_epp_flow_control_detector_saturation"); got == "" {
		t.Error("one detector has saturations of several")
	}
}

// In each 15 s, the interval of scrapes, one answer to 100 tokens ends, of 10 tokens, after 0.3 s and 1.1 s.
func TestMetricsOfAnswers(t *testing.T) {
	story := newStory(61, time.Second, func(n int, s *autoscaling.Sample) {
		s.Gateway = autoscaling.Gateway{Arrived: int64(2*n + 5), Rejected: int64(n), Queued: 2, Awaiting: 3, Sent: int64(n), Completed: int64(n), AnswerTokens: int64(10 * n)}
		for range n {
			s.Gateway.Answers.Add(100, 300*time.Millisecond, 1100*time.Millisecond)
		}
	})
	e := with(dialect(t, "router-v0.10"))
	for text, want := range map[string]float64{
		// Between the bounds 0.2 and 0.4.
		"histogram_quantile(0.5, sum by (le) (rate(llm_d_epp_request_ttft_seconds_bucket[1m])))":                        0.3,
		"sum(rate(llm_d_epp_request_ttft_seconds_sum[1m])) / sum(rate(llm_d_epp_request_ttft_seconds_count[1m]))":       0.3,
		"sum(increase(llm_d_epp_request_duration_seconds_sum[150s]))":                                                   11,
		`sum(increase(llm_d_epp_request_duration_seconds_bucket{le="1"}[150s]))`:                                        0,
		`sum(increase(llm_d_epp_request_duration_seconds_bucket{le="1.25"}[150s]))`:                                     10,
		"sum(rate(llm_d_epp_request_input_tokens_sum[150s])) / sum(rate(llm_d_epp_request_input_tokens_count[150s]))":   100,
		"sum(rate(llm_d_epp_request_output_tokens_sum[150s])) / sum(rate(llm_d_epp_request_output_tokens_count[150s]))": 10,
		"sum(increase(llm_d_epp_request_error_total[150s]))":                                                            10,
		`sum(increase(llm_d_epp_scheduler_attempts_total{status="success"}[150s]))`:                                     10,
		"inference_extension_scheduler_attempts_total":                                                                  60,
	} {
		got, problem := compiledFor(t, text, e).Value(&story.view)
		if problem != None || got-want > 1e-9 || want-got > 1e-9 {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
}
