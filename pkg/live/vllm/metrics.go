// SPDX-License-Identifier: Apache-2.0

package vllm

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"windtunnel.dev/windtunnel/pkg/live/replicas"
)

// page is the metrics of a replica, in the order of vLLM (vllm/v1/metrics/loggers.py at a6f0308,
// 005a810 and main of August 2026), and how late its tokens were.
type page struct {
	version  Version
	labels   []*dto.LabelPair
	families []*dto.MetricFamily
}

func (s *Server) showMetrics(w http.ResponseWriter, _ *http.Request) {
	p := page{version: s.o.Version, labels: labels("engine", "0", "model_name", s.o.Names[0])}
	m := s.engine.Metrics()
	p.scheduler(&m)
	p.cache(&m)
	p.counters(&m, &s.counted)
	p.sizes(&s.counted)
	p.times(&m)
	if m.MaxAdapters > 0 {
		p.family("lora_requests_info", dto.MetricType_GAUGE, gauge(float64(s.o.Now().UnixNano())/1e9, labels(
			"max_lora", strconv.Itoa(m.MaxAdapters),
			"running_lora_adapters", strings.Join(m.RunningAdapters, ","), "waiting_lora_adapters", strings.Join(m.WaitingAdapters, ","),
		)))
	}
	p.cacheConfig(&m)
	p.histogram("windtunnel:lateness_seconds", s.engine.Lateness())
	w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	for _, f := range p.families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return // the client is gone
		}
	}
	if s.o.Scraped != nil {
		_ = http.NewResponseController(w).Flush() // so that the client has it
		s.o.Scraped(&m)
	}
}

// scheduler adds what runs and waits.
func (p *page) scheduler(m *replicas.Metrics) {
	p.gauge("num_requests_running", float64(m.Running))
	p.gauge("num_requests_waiting", float64(m.Waiting))
	if p.version >= waitingReasons {
		p.family("num_requests_waiting_by_reason", dto.MetricType_GAUGE,
			gauge(float64(m.Waiting), p.with("reason", "capacity")), gauge(0, p.with("reason", "deferred")))
	}
}

// cache adds the KV cache. Prefixes are counted in tokens, and in 0.8 in blocks.
func (p *page) cache(m *replicas.Metrics) {
	unit := 1
	if p.version < kvNames {
		unit = m.BlockTokens
	}
	queries, hits := float64(m.PrefixCacheQueries/int64(unit)), float64(m.PrefixCacheHits/int64(unit))
	if p.version < hiddenGPUNames {
		p.gauge("gpu_cache_usage_perc", m.KVUsage)
		p.counter("gpu_prefix_cache_queries", queries)
		p.counter("gpu_prefix_cache_hits", hits)
	}
	if p.version >= kvNames {
		p.gauge("kv_cache_usage_perc", m.KVUsage)
		p.counter("prefix_cache_queries", queries)
		p.counter("prefix_cache_hits", hits)
	}
}

func (p *page) counters(m *replicas.Metrics, c *counted) {
	p.counter("num_preemptions", float64(m.Preemptions))
	p.counter("prompt_tokens", float64(m.PromptTokens))
	p.counter("generation_tokens", float64(m.GenerationTokens))
	var finished []*dto.Metric
	for _, end := range ends {
		n := float64(c.finished[end].Load())
		finished = append(finished, &dto.Metric{Label: p.with("finished_reason", end), Counter: &dto.Counter{Value: &n}})
	}
	p.family("request_success_total", dto.MetricType_COUNTER, finished...)
}

// sizes adds what requests that have ended asked for and got: tokens, and answers.
func (p *page) sizes(c *counted) {
	p.histogram("request_prompt_tokens", c.prompt)
	p.histogram("request_generation_tokens", c.generation)
	p.histogram("request_max_num_generation_tokens", c.longest)
	p.histogram("request_params_n", c.n)
	p.histogram("request_params_max_tokens", c.maxTokens)
}

// times adds latencies, in seconds.
func (p *page) times(m *replicas.Metrics) {
	p.histogram("time_to_first_token_seconds", m.TTFT)
	if p.version < hiddenTPOTName {
		p.histogram("time_per_output_token_seconds", m.ITL)
	}
	if p.version >= interTokenNames {
		p.histogram("inter_token_latency_seconds", m.ITL)
		p.histogram("request_time_per_output_token_seconds", m.TPOT)
	}
	p.histogram("e2e_request_latency_seconds", m.E2E)
	p.histogram("request_queue_time_seconds", m.Queue)
	p.histogram("request_inference_time_seconds", m.Inference)
	p.histogram("request_prefill_time_seconds", m.Prefill)
	p.histogram("request_decode_time_seconds", m.Decode)
}

// cacheConfig adds the size of the cache.
func (p *page) cacheConfig(m *replicas.Metrics) {
	caching := "False"
	if m.PrefixCaching {
		caching = "True"
	}
	p.family("cache_config_info", dto.MetricType_GAUGE, gauge(1, labels(
		"block_size", strconv.Itoa(m.BlockTokens), "enable_prefix_caching", caching, "engine", "0",
		"num_gpu_blocks", strconv.Itoa(m.Blocks),
	)))
}

// helps say what families mean, by their names without prefix and _total.
var helps = map[string]string{
	"num_requests_running":                  "Requests in the batch.",
	"num_requests_waiting":                  "Requests that wait for a place in the batch.",
	"num_requests_waiting_by_reason":        "Requests that wait, by what they wait for.",
	"gpu_cache_usage_perc":                  "Share of KV blocks in use, 0 to 1.",
	"gpu_prefix_cache_queries":              "Tokens that were looked up in the prefix cache; before vLLM 0.9 blocks.",
	"gpu_prefix_cache_hits":                 "Tokens that the prefix cache had; before vLLM 0.9 blocks.",
	"kv_cache_usage_perc":                   "Share of KV blocks in use, 0 to 1.",
	"prefix_cache_queries":                  "Tokens that were looked up in the prefix cache.",
	"prefix_cache_hits":                     "Tokens that the prefix cache had.",
	"num_preemptions":                       "Requests that were taken out of the batch to free blocks.",
	"prompt_tokens":                         "Tokens of prompts, counted with the first token of the answer.",
	"generation_tokens":                     "Tokens of answers.",
	"request_success":                       "Answers that have ended, by how they ended.",
	"request_prompt_tokens":                 "Tokens of the prompt of an answer.",
	"request_generation_tokens":             "Tokens of an answer.",
	"request_max_num_generation_tokens":     "Tokens of the longest answer to a prompt.",
	"request_params_n":                      "Answers to a prompt.",
	"request_params_max_tokens":             "Bound of an answer, in tokens.",
	"time_to_first_token_seconds":           "Time from the arrival of a request to its first token, in seconds.",
	"time_per_output_token_seconds":         "Time between the tokens of one step and those of the next, in seconds.",
	"inter_token_latency_seconds":           "Time between the tokens of one step and those of the next, in seconds.",
	"request_time_per_output_token_seconds": "Mean time for a token of an answer after the first one, in seconds.",
	"e2e_request_latency_seconds":           "Time from the arrival of a request to the end of its answer, in seconds.",
	"request_queue_time_seconds":            "Time from the entry into the queue to the first step, in seconds.",
	"request_inference_time_seconds":        "Time from the first step to the last token, in seconds.",
	"request_prefill_time_seconds":          "Time from the first step to the first token, in seconds.",
	"request_decode_time_seconds":           "Time from the first token to the last one, in seconds.",
	"lora_requests_info":                    "LoRA adapters of the requests in the batch and of those that wait; the value is the time in seconds since 1970.",
	"cache_config_info":                     "Size of the KV cache.",
	"windtunnel:lateness_seconds":           "How late tokens were by the wall clock, of all replicas of the process, in seconds.",
}

func (p *page) family(name string, kind dto.MetricType, metrics ...*dto.Metric) {
	text := helps[strings.TrimSuffix(name, "_total")]
	if !strings.HasPrefix(name, "windtunnel:") {
		name = "vllm:" + name
	}
	p.families = append(p.families, &dto.MetricFamily{Name: &name, Help: &text, Type: &kind, Metric: metrics})
}

func (p *page) gauge(name string, value float64) {
	p.family(name, dto.MetricType_GAUGE, gauge(value, p.labels))
}

func (p *page) counter(name string, value float64) {
	p.family(name+"_total", dto.MetricType_COUNTER, &dto.Metric{Label: p.labels, Counter: &dto.Counter{Value: &value}})
}

func (p *page) histogram(name string, h prometheus.Histogram) {
	m := &dto.Metric{}
	if err := h.Write(m); err != nil {
		panic(err) // which a histogram without labels never returns
	}
	m.Label = p.labels
	p.family(name, dto.MetricType_HISTOGRAM, m)
}

// with is the labels of the page and one more.
func (p *page) with(name, value string) []*dto.LabelPair {
	return append(slices.Clone(p.labels), labels(name, value)...)
}

func gauge(value float64, labels []*dto.LabelPair) *dto.Metric {
	return &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &value}}
}

// labels are pairs of names and values.
func labels(pairs ...string) (all []*dto.LabelPair) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, &dto.LabelPair{Name: &pairs[i], Value: &pairs[i+1]})
	}
	return all
}
