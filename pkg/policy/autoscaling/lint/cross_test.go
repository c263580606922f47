// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/query"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

func releaseOf(t *testing.T, name string) version.Dialect {
	t.Helper()
	d, err := version.Parse(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The rules about queries tell a total of the replicas from an average of them, and a share from per cent. A share of 1
// exceeds a target of 0.9 by 11 %, which is above the tolerance of 10 %, and one of 0.95 by 5 %.
func TestRulesAboutQueries(t *testing.T) {
	old := &query.EPP{Version: releaseOf(t, "router-v0.10"), FlowControl: true}
	two := &query.EPP{Version: releaseOf(t, "router-v0.11"), FlowControl: true, Priorities: []int{-1, 0}}
	one := &query.EPP{Version: releaseOf(t, "router-v0.11"), FlowControl: true, Priorities: []int{0}}
	for name, tc := range map[string]struct {
		query, threshold, metricType string
		epp                          *query.EPP
		want                         string
	}{
		"a sum":                            {query: "sum(vllm:num_requests_waiting)"},
		"a sum, or 0":                      {query: "sum(vllm:kv_cache_usage_perc) or vector(0)", threshold: "0.8"},
		"one series for each pod":          {query: "vllm:num_requests_waiting", want: "several-series"},
		"by pod":                           {query: "sum by (pod) (vllm:num_requests_running)", want: "several-series"},
		"by pod, over time":                {query: "max_over_time(vllm:num_requests_waiting[1m])", want: "several-series"},
		"each pod, or 0":                   {query: "vllm:num_requests_waiting or vector(0)", want: "several-series"},
		"the busiest pod":                  {query: "topk(1, vllm:num_requests_waiting)", want: "average-of-average"},
		"divided by count":                 {query: "sum(vllm:num_requests_waiting) / count(vllm:num_requests_waiting)", want: "average-of-average"},
		"divided by the Deployment":        {query: "sum(vllm:num_requests_waiting) / sum(kube_deployment_status_replicas)", want: "average-of-average"},
		"divided by count, as a Value":     {query: "sum(vllm:num_requests_waiting) / count(vllm:num_requests_waiting)", metricType: "Value"},
		"divided twice, as a Value":        {query: "avg(vllm:num_requests_waiting) / count(vllm:num_requests_waiting)", metricType: "Value", want: "average-of-average"},
		"an average":                       {query: "avg(vllm:num_requests_waiting)", want: "average-of-average"},
		"the maximum of a share":           {query: "max(vllm:kv_cache_usage_perc)", threshold: "0.8", want: "average-of-average"},
		"the maximum of the saturation":    {query: "max(llm_d_epp_flow_control_pool_saturation)", threshold: "0.7", want: "average-of-average"},
		"a latency":                        {query: "histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m])))", threshold: "2", want: "average-of-average"},
		"a latency as a Value":             {query: "histogram_quantile(0.9, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m])))", threshold: "2", metricType: "Value"},
		"the queue of the EPP":             {query: "max(llm_d_epp_flow_control_queue_size)"},
		"each of two priorities":           {query: "llm_d_epp_flow_control_queue_size", epp: two, want: "several-series"},
		"each of two, by name":             {query: "sum by (priority) (llm_d_epp_flow_control_queue_bytes)", epp: two, want: "several-series"},
		"both priorities":                  {query: "sum(llm_d_epp_flow_control_queue_size)", epp: two},
		"one of two priorities":            {query: `llm_d_epp_flow_control_queue_size{priority="0"}`, epp: two},
		"one priority":                     {query: "llm_d_epp_flow_control_queue_size", epp: one},
		"unknown priorities":               {query: "llm_d_epp_flow_control_queue_size"},
		"each stage":                       {query: "llm_d_epp_flow_control_pool_saturation", metricType: "Value", want: "several-series"},
		"each stage of an older version":   {query: "llm_d_epp_flow_control_pool_saturation", metricType: "Value", epp: old},
		"the sum of the stages":            {query: "sum(llm_d_epp_flow_control_pool_saturation)", metricType: "Value", want: "sum-over-stages"},
		"their sum in an older version":    {query: "sum(llm_d_epp_flow_control_pool_saturation)", metricType: "Value", epp: old},
		"one stage":                        {query: `sum(llm_d_epp_flow_control_pool_saturation{stage="decode"})`, metricType: "Value"},
		"per cent for a share":             {query: "avg(vllm:kv_cache_usage_perc)", threshold: "80", metricType: "Value", want: "target-outside-range"},
		"per cent for the sum of a share":  {query: "sum(vllm:kv_cache_usage_perc)", threshold: "80", want: "target-outside-range"},
		"a share made per cent":            {query: "100 * avg(vllm:kv_cache_usage_perc)", threshold: "80", metricType: "Value"},
		"a share for per cent":             {query: "avg(DCGM_FI_DEV_GPU_UTIL)", threshold: "0.8", metricType: "Value", want: "target-outside-range"},
		"nearly full, above the tolerance": {query: "avg(vllm:kv_cache_usage_perc)", threshold: "0.9", metricType: "Value"},
		"nearly full, within it":           {query: "avg(vllm:kv_cache_usage_perc)", threshold: "0.95", metricType: "Value", want: "target-outside-range"},
		"a metric of somebody else":        {query: "http_requests_in_flight"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer(
				"QUERY", fmt.Sprintf("%q", tc.query), "THRESHOLD", fmt.Sprintf("%q", orElse(tc.threshold, "5")), "TYPE", orElse(tc.metricType, "AverageValue"),
			).Replace(oneTrigger)
			m, errs := manifest.Inspect(manifest.ScaledObject, []byte(text), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var got []string
			for _, f := range Check(m, Context{EPP: tc.epp}) {
				if f.Rule != notSimulated.ID {
					got = append(got, f.Rule)
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// A sum grows with the replicas, and is compared with the target for each: 8 replicas that are up count 8, and 8 ÷ 8 = 1.
// As a Value, the 8 itself is compared.
func TestTheLargestValueOfATotal(t *testing.T) {
	for metricType, want := range map[string]string{
		"AverageValue": "the target is 9, and the largest value of the query is 1 for each replica: the autoscaler never adds a replica",
		"Value":        "the target is 9, and the largest value of the query is 8: the autoscaler never adds a replica",
	} {
		text := strings.NewReplacer("QUERY", `count(up{job=\"vllm\"})`, "THRESHOLD", `"9"`, "TYPE", metricType).Replace(strings.Replace(oneTrigger, "QUERY", `"QUERY"`, 1))
		m, errs := manifest.Inspect(manifest.ScaledObject, []byte(text), nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		got := ""
		for _, f := range Check(m, Context{}) {
			if f.Rule == targetOutsideRange.ID {
				got += f.Message
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", metricType, got, want)
		}
	}
}

const oneTrigger = `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llama}
spec:
  scaleTargetRef: {name: llama}
  minReplicaCount: 1
  maxReplicaCount: 8
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}
  triggers:
  - type: prometheus
    metricType: TYPE
    metadata: {serverAddress: "http://prometheus:9090", query: QUERY, threshold: THRESHOLD}
`

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// A HorizontalPodAutoscaler sums the series of an External metric, so that one series for each replica is a total, and an
// adapter's name stands for that of the exporter.
func TestRulesAboutMetricsOfAdapters(t *testing.T) {
	for name, tc := range map[string]struct{ metric, want string }{
		"pods":                     {`{type: Pods, pods: {metric: {name: gpu_cache_usage_perc}, target: {type: AverageValue, averageValue: "40"}}}`, "target-outside-range"},
		"pods, another name":       {`{type: Pods, pods: {metric: {name: vllm_kv_cache_usage_perc}, target: {type: AverageValue, averageValue: "40"}}}`, "target-outside-range"},
		"a total of External":      {`{type: External, external: {metric: {name: "vllm:num_requests_waiting"}, target: {type: AverageValue, averageValue: "5"}}}`, ""},
		"an average of the pool":   {`{type: External, external: {metric: {name: llm_d_epp_average_queue_size}, target: {type: AverageValue, averageValue: "5"}}}`, "average-of-average"},
		"the stages of External":   {`{type: External, external: {metric: {name: llm_d_epp_flow_control_pool_saturation}, target: {type: Value, value: "5"}}}`, "sum-over-stages"},
		"a share above all values": {`{type: External, external: {metric: {name: "vllm:kv_cache_usage_perc"}, target: {type: AverageValue, averageValue: "2"}}}`, "target-outside-range"},
	} {
		t.Run(name, func(t *testing.T) {
			text := `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: llama}
spec:
  scaleTargetRef: {kind: Deployment, name: llama}
  minReplicas: 1
  maxReplicas: 8
  behavior: {scaleDown: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}}
  metrics: [` + tc.metric + `]
`
			m, errs := manifest.Inspect(manifest.HorizontalPodAutoscaler, []byte(text), nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			var got []string
			for _, f := range Check(m, Context{}) {
				if f.Rule != notSimulated.ID {
					got = append(got, f.Rule)
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("−want +got:\n%s", diff)
			}
		})
	}
}

// Behind one router, a query tells the roles apart by a label of the pods, of the endpoints or of the stage; what the EPP
// has for the whole router does not.
func TestRulesAboutRoles(t *testing.T) {
	for query, want := range map[string]string{
		"sum(vllm:num_requests_waiting)":                                              "vllm:num_requests_waiting",
		`sum(vllm:num_requests_waiting{namespace="a"})`:                               "vllm:num_requests_waiting",
		`sum(vllm:num_requests_waiting{pod=~".*prefill.*"})`:                          "",
		`sum(vllm:num_requests_waiting{llm_d_ai_role="prefill"})`:                     "",
		`sum(llm_d_epp_inflight_tokens{producer_name="p"})`:                           "llm_d_epp_inflight_tokens",
		`sum(llm_d_epp_inflight_tokens{endpoint_name=~".*prefill.*"})`:                "",
		"sum(llm_d_epp_request_running)":                                              "llm_d_epp_request_running",
		"sum(llm_d_epp_flow_control_queue_size)":                                      "llm_d_epp_flow_control_queue_size",
		`sum(llm_d_epp_flow_control_pool_saturation{stage="prefill"})`:                "",
		"max(kube_deployment_status_replicas)":                                        "",
		`sum(vllm:kv_cache_usage_perc{pod=~".*d.*"}) + sum(vllm:kv_cache_usage_perc)`: "vllm:kv_cache_usage_perc",
	} {
		text := strings.NewReplacer("QUERY", fmt.Sprintf("%q", query), "THRESHOLD", `"1"`, "TYPE", "Value").Replace(oneTrigger)
		m, errs := manifest.Inspect(manifest.ScaledObject, []byte(text), nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if want != "" {
			want += " is of prefill and decode together"
		}
		got := ""
		for _, f := range Check(m, Context{Split: true, Simulated: true}) {
			if f.Rule == rolesAsOne.ID {
				got += f.Message
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// The version that is stated decides; without one, what the newest has dropped is worth knowing.
func TestMetricsOfOtherVersions(t *testing.T) {
	m := example(t, &metricOfOtherVersion, "bad")
	for name, tc := range map[string]struct {
		versions []string
		want     string
	}{
		"none":                  {nil, "info"},
		"one that dropped it":   {[]string{"router-v0.11"}, "warning"},
		"one that still has it": {[]string{"router-v0.10"}, ""},
		"both":                  {[]string{"router-v0.10", "router-v0.11"}, "warning"},
	} {
		var context Context
		for _, v := range tc.versions {
			context.Versions = append(context.Versions, releaseOf(t, v))
		}
		got := ""
		for _, f := range Check(m, context) {
			got += string(f.Severity)
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
