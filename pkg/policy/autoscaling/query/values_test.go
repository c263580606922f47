// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// Gauges are 1, 2 and 4 times the number of the sample, which runs from 0 to 8.
func gauges() *story {
	return newStory(9, 0, func(k int, s *autoscaling.Sample) {
		for i := range s.Engines {
			s.Engines[i].Waiting = k << i
			s.Engines[i].KVUsage = float64(k) / 10
		}
		s.Recommended = k
		s.Gateway.Arrived, s.Gateway.Ended, s.Gateway.Queued, s.Gateway.Awaiting = int64(10*k), int64(k), 3, 2
	})
}

func TestValuesOfGauges(t *testing.T) {
	const w = "vllm:num_requests_waiting"
	cases := map[string]float64{
		"sum(" + w + ")":                                      56,
		"sum(" + w + "{})":                                    56,
		"SUM(" + w + ")":                                      56,
		"avg(" + w + ")":                                      56.0 / 3,
		"max(" + w + ")":                                      32,
		"min(" + w + ")":                                      8,
		"count(" + w + ")":                                    3,
		"quantile(0.5, " + w + ")":                            16,
		"quantile(0.75, " + w + ")":                           24,
		"quantile(-1, " + w + ")":                             math.Inf(-1),
		"topk(1, " + w + ")":                                  32,
		"bottomk(1, " + w + ")":                               8,
		w + `{pod="llama/1"}`:                                 16,
		w + `{pod=~"qwen.*"}`:                                 32,
		"sum(" + w + `{pod!="llama/1"})`:                      40,
		"sum(" + w + `{pod!~"llama/.*"})`:                     32,
		"sum(" + w + `{model_name="llama-8b"})`:               24,
		"sum(" + w + `{deployment="qwen",namespace="serve"})`: 32,
		`wva_desired_replicas{variant_name="llama"}`:          8,
		`wva_desired_replicas{variant_name="decode"}`:         8,
		"max_over_time(wva_desired_replicas[1m])":             8,
		"sum by (pool) (" + w + `{pool="llama"})`:             24,
		"sum(" + w + `{pool="llama"}) without (pod)`:          24,
		"max(sum by (model_name) (" + w + "))":                32,
		"sum(max_over_time(" + w + "[1m]))":                   56,
		"sum(min_over_time(" + w + "[1m]))":                   35,
		"sum(avg_over_time(" + w + "[1m]))":                   6.5 * 7,
		"sum(sum_over_time(" + w + "[1m]))":                   26 * 7,
		"max(count_over_time(" + w + "[1m]))":                 4,
		"sum(last_over_time(" + w + "[1m]))":                  56,
		"sum(quantile_over_time(0.5, " + w + "[1m]))":         6.5 * 7,
		// 3 in the 45 s between four samples, and the last one is at the end of the window.
		"delta(" + w + `{pod="llama/0"}[1m])`:                      4,
		"sum(" + w + ") / count(" + w + ")":                        56.0 / 3,
		"sum(" + w + " / " + w + ")":                               3,
		"sum(" + w + " > 10)":                                      48,
		"count(" + w + " >bool 10)":                                3,
		"sum(10 < " + w + ")":                                      48,
		"sum(" + w + " >bool 10)":                                  2,
		"sum(" + w + ` == on(pod) ` + w + `{pool="qwen"})`:         32,
		"sum(" + w + ` and ` + w + `{pool="qwen"})`:                32,
		"sum(" + w + ` unless ` + w + `{pool="qwen"})`:             24,
		"sum(" + w + ` > 100) or vector(0)`:                        0,
		"sum(" + w + `) or vector(0)`:                              56,
		"sum(vllm:kv_cache_usage_perc * on(pod) " + w + ")":        0.8 * 56,
		"avg(vllm:gpu_cache_usage_perc)":                           0.8,
		"1 + 2 * 3 ^ 2 % 5":                                        4,
		"-sum(" + w + ") ^ 2":                                      -56 * 56,
		"2 ^ -scalar(sum(" + w + ")) * 2 ^ 56":                     1,
		"scalar(" + w + `{pool="qwen"}) + 1`:                       33,
		"vector(7)":                                                7,
		"clamp_min(vector(7), 8)":                                  8,
		"clamp_max(vector(7), 6)":                                  6,
		"clamp(vector(7), 1, 3)":                                   3,
		"ceil(vector(1.2)) + floor(vector(1.7)) + abs(vector(-4))": 7,
		"round(vector(2.5))":                                       3,
		"round(vector(2.44), 0.1)":                                 2.4,
		"sqrt(vector(16))":                                         4,
		"absent(" + w + " > 100)":                                  1,
		"inference_pool_average_queue_size":                        56.0 / 3,
		`inference_pool_average_queue_size{name="epp"}`:            56.0 / 3,
		"inference_pool_average_kv_cache_utilization":              0.8,
		"inference_pool_ready_pods":                                3,
		"inference_objective_running_requests":                     67,
		"inference_extension_flow_control_queue_size":              3,
		"llm_d_epp_request_total":                                  80,
		`{__name__="inference_model_request_total"}`:               80,
		"# a comment with ( and offset\nvector(1)":                 1,
	}
	s := gauges()
	for text, want := range cases {
		t.Run(text, func(t *testing.T) {
			got, problem := s.ask(t, text)
			if problem != None || math.Abs(got-want) > 1e-12*math.Abs(want) && got != want {
				t.Errorf("%v (%v), want %v", got, problem, want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	const w = "vllm:num_requests_waiting"
	cases := map[string]Problem{
		w:                          Several,
		w + " > 100":               Empty,
		"absent(" + w + ")":        Empty,
		"clamp(" + w + ",2,1)":     Empty,
		"sum by (pod) (" + w + ")": Several,
		w + " + on(pool) " + w:     SeveralPartners,
		"sum by (pool) (" + w + ") + on(pool) " + w: SeveralPartners,
	}
	s := gauges()
	for text, want := range cases {
		if _, got := s.ask(t, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if v, problem := s.ask(t, "scalar("+w+")"); !math.IsNaN(v) || problem != None {
		t.Errorf("scalar of three series: %v (%v)", v, problem)
	}
}

// Counters grow by 1, 2 and 4 a second; the samples are at 15 s to 135 s.
func counters(since time.Duration) *story {
	return newStory(9, since, func(k int, s *autoscaling.Sample) {
		for i := range s.Engines {
			e := &s.Engines[i]
			e.Counters.PrefixCacheQueries = int64(15 * (k + 1) << i)
			e.Counters.PrefixCacheHits = int64(5 * (k + 1) << i)
			e.Finished.Requests = int64(1000 + 15*k)
			e.Busy = time.Duration(k) * 3 * time.Second
		}
	})
}

func TestRates(t *testing.T) {
	const of = `vllm:prompt_tokens_total{pod="llama/0"}`
	cases := []struct {
		since time.Duration
		text  string
		want  float64
	}{
		// Four samples cover 45 s. The last is at the end of the window, the first 15 s after
		// its beginning.
		{0, "rate(" + of + "[1m])", 1},
		{0, "increase(" + of + "[1m])", 60},
		{0, "irate(" + of + "[1m])", 1},
		{0, "sum(rate(vllm:prompt_tokens_total[1m]))", 7},
		{0, "avg(rate(vllm:prompt_tokens_total[1m]))", 7.0 / 3},
		{5 * time.Second, "rate(" + of + "[1m])", 1},
		// Half an interval beyond the last sample, and from the window's beginning, 5 s before the
		// first one.
		{20 * time.Second, "increase(" + of + "[1m])", 30 + 10 + 7.5},
		// One sample in the window is not enough, and two are.
		{20 * time.Second, "rate(" + of + "[30s]) or vector(-1)", -1},
		{20 * time.Second, "increase(" + of + "[40s])", 15 + 5 + 7.5},
		// The window begins before the first sample, where the counter was 0 15 s before.
		{0, "increase(" + of + "[5m])", 120 + 7.5},
		{0, `increase(vllm:request_success_total{pod="qwen/0"}[5m])`, 120 + 7.5},
		{0, `sum(rate(vllm:prefix_cache_hits_total[1m])) / sum(rate(vllm:prefix_cache_queries_total[1m]))`, 1.0 / 3},
		{0, "avg(DCGM_FI_DEV_GPU_UTIL)", 20},
		{0, "avg(avg_over_time(DCGM_FI_DEV_GPU_UTIL[2m]))", 20},
		{0, "max(count_over_time(DCGM_FI_DEV_GPU_UTIL[10m]))", 8},
	}
	for _, tc := range cases {
		t.Run(fmt.Sprint(tc.text, tc.since), func(t *testing.T) {
			got, problem := counters(tc.since).ask(t, tc.text)
			if problem != None || math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("%v (%v), want %v", got, problem, tc.want)
			}
		})
	}
}

// The counter falls from 600 to 150: the engine restarted. It grew by 150 since.
func TestAnEngineThatRestartsIsAReset(t *testing.T) {
	counts := []int64{300, 450, 600, 150, 300}
	s := newStory(5, 0, func(k int, s *autoscaling.Sample) { s.Engines[2].Counters.PrefixCacheQueries = counts[k] })
	const of = `(vllm:prompt_tokens_total{pod="qwen/0"}[75s])`
	if got, _ := s.ask(t, "increase"+of); got != 600*75.0/60 {
		t.Errorf("increase: %v", got)
	}
	if got, _ := s.ask(t, "delta"+of); got != 0 {
		t.Errorf("delta: %v", got)
	}
}

func TestAnEngineThatIsDownHasNoSeries(t *testing.T) {
	s := newStory(5, 0, func(k int, s *autoscaling.Sample) {
		s.Engines[2] = autoscaling.Engine{Up: k < 3, Waiting: 5}
	})
	for text, want := range map[string]float64{
		"count(vllm:num_requests_waiting)":                                         2,
		"count(max_over_time(vllm:num_requests_waiting[1m]))":                      3,
		`count_over_time(vllm:num_requests_waiting{pool="qwen"}[75s])`:             3,
		`absent(vllm:num_requests_waiting{pool="qwen"})`:                           1,
		`inference_pool_ready_pods`:                                                2,
		`count_over_time(vllm:num_requests_waiting{pool="llama",pod=~".*1"}[75s])`: 5,
	} {
		if got, problem := s.ask(t, text); got != want || problem != None {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
}

func TestASampleIsReadFor5MinutesAndAfterItsDelay(t *testing.T) {
	s := newStory(2, 5*time.Minute-1, func(k int, s *autoscaling.Sample) { s.Gateway.Arrived = int64(k) })
	const of = "inference_objective_request_total"
	if got, problem := s.ask(t, of); got != 1 || problem != None {
		t.Errorf("%v (%v), want 1", got, problem)
	}
	s.view.Now++
	if _, problem := s.ask(t, of); problem != Empty {
		t.Errorf("%v, want none after 5 minutes", problem)
	}
	s = newStory(4, 0, func(k int, s *autoscaling.Sample) { s.Gateway.Arrived = int64(k) })
	s.view.Monitor.Delay = 20 * time.Second
	if got, _ := s.ask(t, of); got != 1 {
		t.Errorf("%v, want the sample of 30 s before", got)
	}
	if got, _ := s.ask(t, "count_over_time("+of+"[1m])"); got != 2 {
		t.Errorf("%v samples, want 2", got)
	}
}

func TestHistograms(t *testing.T) {
	s := newStory(5, 0, func(k int, s *autoscaling.Sample) {
		for i := range s.Engines {
			e := &s.Engines[i]
			for range 10 * k {
				e.TimeToFirstToken.Observe(autoscaling.TimeToFirstTokenBounds, 300*time.Millisecond, 1)
				e.TimeToFirstToken.Observe(autoscaling.TimeToFirstTokenBounds, 3*time.Second, 1)
				e.Counters.TimeToFirstToken.Sum += 3300 * time.Millisecond
			}
		}
	})
	for text, want := range map[string]float64{
		// Half of the observations are between 0.25 and 0.5.
		"histogram_quantile(0.25, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[1m])))":                   0.375,
		"histogram_quantile(0.75, sum(rate(vllm:time_to_first_token_seconds_bucket[1m])) by (le))":                    3.75,
		"max(histogram_quantile(0.75, rate(vllm:time_to_first_token_seconds_bucket[1m])))":                            3.75,
		"count(histogram_quantile(0.75, rate(vllm:time_to_first_token_seconds_bucket[1m])))":                          3,
		"sum(rate(vllm:time_to_first_token_seconds_sum[1m])) / sum(rate(vllm:time_to_first_token_seconds_count[1m]))": 1.65,
		`sum(vllm:time_to_first_token_seconds_bucket{le="0.5"}) / sum(vllm:time_to_first_token_seconds_count)`:        0.5,
		`sum(vllm:time_to_first_token_seconds_bucket{le="+Inf"})`:                                                     240,
		`sum(vllm:time_to_first_token_seconds_bucket{le="5.0"})`:                                                      240,
	} {
		if got, problem := s.ask(t, text); math.Abs(got-want) > 1e-12 || problem != None {
			t.Errorf("%s: %v (%v), want %v", text, got, problem, want)
		}
	}
	if got, _ := s.ask(t, "histogram_quantile(0.5, sum by (le) (rate(vllm:inter_token_latency_seconds_bucket[1m])))"); !math.IsNaN(got) {
		t.Errorf("a histogram without observations: %v, want NaN", got)
	}
}

func TestSeriesOfPods(t *testing.T) {
	all, problem := compiled(t, "vllm:num_requests_waiting > 10 or vector(1)").Series(&gauges().view)
	var got []string
	for i := range all {
		got = append(got, fmt.Sprint(all[i].Endpoint, " ", all[i].Labels(), " ", all[i].Value))
	}
	want := []string{
		`1 vllm:num_requests_waiting{pod="llama/1",pool="llama",deployment="llama",model_name="llama-8b"} 16`,
		`2 vllm:num_requests_waiting{pod="qwen/0",pool="qwen",deployment="qwen",model_name="qwen-7b"} 32`,
		`-1 {} 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" || problem != None {
		t.Error(problem, diff)
	}
}

func TestWindowsAndNotes(t *testing.T) {
	q := compiled(t, `sum by (instance) (rate(vllm:prompt_tokens_total{namespace="serve"}[2m])) + avg_over_time(inference_pool_ready_pods{job="x"}[90s])`)
	if q.Window() != 2*time.Minute || q.Scalar() {
		t.Error(q.Window(), q.Scalar())
	}
	want := []string{
		`namespace="serve" has no effect: vllm:prompt_tokens_total has no such label here`,
		`instance in by has no effect: no target has such a label here`,
		`job="x" has no effect: inference_pool_ready_pods has no such label here`,
	}
	if diff := cmp.Diff(want, q.Notes()); diff != "" {
		t.Error(diff)
	}
	q = compiled(t, `max_over_time(wva_desired_replicas{variant_name="decode"}[1m])`)
	if diff := cmp.Diff([]string{"variant decode stands for pool llama"}, q.Notes()); diff != "" || !q.Reads(DesiredReplicas) {
		t.Error(diff)
	}
	if q := compiled(t, "1 + 1"); !q.Scalar() || q.Window() != 0 {
		t.Error("1 + 1 is a number")
	}
}

// The metric of an analyser is there where the scaler has one.
func TestTheMetricOfAnAnalyserThatIsNotThere(t *testing.T) {
	targets := threeEngines
	targets.Variant = ""
	if _, err := Compile("sum(wva_desired_replicas)", targets); err == nil || !strings.HasPrefix(err.Error(), "character 5: there is no metric wva_desired_replicas: state workloadVariantAutoscaler") {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	const w = "vllm:num_requests_waiting"
	cases := map[string]string{
		"":                "",
		"sum(" + w:        `character 30:`,
		"sum(" + w + "))": `character 31: the query should end here`,
		"sun(" + w + ")":  "character 1: the function sun is not supported; those that are: abs,",
		"sum(label_replace(" + w + ")) + sine(1)": "character 5: the function label_replace is not supported",
		"llm_d_epp_request_size_bytes_sum":        "character 1: llm_d_epp_request_size_bytes_sum of the EPP is not simulated",
		"vllm:num_request_waiting":                "character 1: there is no metric vllm:num_request_waiting; similar: " + w,
		w + `{pod="llama/7"}`:                     `character 27: no target matches pod="llama/7"; pod is one of: llama/0, llama/1, qwen/0`,
		w + `{namespace!="a"}`:                    `character 27: vllm:num_requests_waiting has no label namespace`,
		w + `{pod=~"("}`:                          "",
		`{pod="llama/0"}`:                         "a selector needs the name of a metric",
		`{__name__=~"vllm.*"}`:                    "a selector needs the name of a metric",
		"rate(" + w + ")":                         "character 1: rate needs a range",
		w + "[5m]":                                "character 1: a range must stand in a function of ranges",
		"max_over_time(" + w + "[5m:1m])":         "character 41: subqueries are not supported",
		"rate(sum(" + w + ")[5m])":                "character 1: a range must be of a metric",
		w + " offset 5m":                          "character 27: offset is not supported",
		w + " @ 5":                                "character 27: @ is not supported",
		w + " + on(pod) group_left " + w:          "character 37: group_left is not supported",
		w + " default 0":                          "character 27: default is not supported",
		"WITH (x = 1) x":                          "character 1: WITH is not supported",
		"ru(1, 2)":                                "character 1: the function ru is not supported",
		"1Ki":                                     "character 1: 1Ki is no number",
		"vector(5m)":                              "character 8: 5m is no number",
		"Rate(" + w + "[5m])":                     "character 1: the function Rate is not supported",
		"vector(1) or 2":                          "character 11: or stands between vectors only",
		"clamp_min(" + w + ")":                    "character 1: clamp_min takes 2 arguments, not 1",
		"round(vector(1), 2, 3)":                  "character 1: round takes 1 or 2 arguments, not 3",
		"sum(1)":                                  "character 1: sum needs a vector, not a number",
		"vector(vector(1))":                       "character 1: vector needs a number where it has a vector",
		"scalar(vector(1)) > 2":                   "a comparison of numbers needs bool",
		"vector(1) +bool 2":                       "",
		`"text"`:                                  `"text" stands where a number or a vector must`,
		"é + 1":                                   "character 1: there is no metric é",
		"rate(a_total[5m]) + rate(b_total[5m])":   "character 6: there is no metric a_total; character 26: there is no metric b_total",
		strings.Repeat("1+", 10000) + "1":         "a query has at most 4096 bytes",
	}
	for text, want := range cases {
		_, err := Compile(text, threeEngines)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}
