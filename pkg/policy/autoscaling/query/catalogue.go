// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// Type is the type of a metric.
type Type string

// The types.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// Metric is a metric that queries can read.
type Metric struct {
	// Names are those under which queries find the metric; the first is the newest.
	Names []string
	// Type is that of the metric. A series of a histogram is a counter.
	Type Type
	// Help says what the metric is, Difference how it differs from the real one.
	Help, Difference string

	labels []label
	// engine reads an engine, of which it also sees the scrape before, if any.
	engine func(now, before *autoscaling.Engine, span time.Duration) (value float64, ok bool)
	// bucket reads a bucket of an engine's histogram, with what is in those below.
	bucket func(e *autoscaling.Engine, at int) float64
	bounds []string
	// gateway reads what the EPP, or llm-d's autoscaler, shows.
	gateway func(*autoscaling.Sample) (value float64, ok bool)
}

// Labels lists the labels of the metric's series.
func (m *Metric) Labels() []string {
	var all []string
	for _, l := range m.labels {
		all = append(all, labelNames[l])
	}
	return all
}

func (m *Metric) has(l label) bool { return l == metricName || slices.Contains(m.labels, l) }

// read reads a series from a sample; before is the sample before, nil where there is none.
func (s *series) read(now, before *autoscaling.Sample) (float64, bool) {
	if s.place == gateway {
		return s.metric.gateway(now)
	}
	e := &now.Engines[s.place]
	switch {
	case !e.Up:
		return 0, false
	case s.metric.bucket != nil:
		return s.metric.bucket(e, s.bucket), true
	case before == nil:
		return s.metric.engine(e, nil, 0)
	default:
		return s.metric.engine(e, &before.Engines[s.place], now.At.Sub(before.At))
	}
}

// DesiredReplicas is the metric of llm-d's workload-variant-autoscaler.
const DesiredReplicas = "wva_desired_replicas"

// Metrics returns all metrics, in the order of the page.
func Metrics() []Metric { return slices.Clone(catalogue) }

var engineLabels = []label{pod, pool, deployment, modelName}

var catalogue = slices.Concat(
	[]Metric{
		ofEngine(Gauge, "Requests in the engine's batch.", "", func(e *autoscaling.Engine) float64 { return float64(e.Running) },
			"vllm:num_requests_running"),
		ofEngine(Gauge, "Requests in the engine's queue.", "", autoscaling.Waiting, "vllm:num_requests_waiting"),
		ofEngine(Gauge, "The share of the KV blocks in use, 0 to 1.", "", autoscaling.KVUsage,
			"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
		ofEngine(Counter, "Prompt tokens that were looked up in the prefix cache.", "A request counts once, also if it is preempted.",
			func(e *autoscaling.Engine) float64 { return float64(e.Counters.PrefixCacheQueries) },
			"vllm:prefix_cache_queries_total", "vllm:prefix_cache_queries"),
		ofEngine(Counter, "Prompt tokens that were in the prefix cache.", "A request counts once, also if it is preempted.",
			func(e *autoscaling.Engine) float64 { return float64(e.Counters.PrefixCacheHits) },
			"vllm:prefix_cache_hits_total", "vllm:prefix_cache_hits"),
		ofEngine(Counter, "Prompt tokens.", "They count when a request gets its first blocks; in vLLM when its prompt is computed.",
			func(e *autoscaling.Engine) float64 { return float64(e.Counters.PrefixCacheQueries) },
			"vllm:prompt_tokens_total"),
		ofEngine(Counter, "Tokens that the engine has given.", "A prompt that is computed for another replica counts as one.",
			func(e *autoscaling.Engine) float64 { return float64(e.GenerationTokens()) },
			"vllm:generation_tokens_total"),
		ofEngine(Counter, "Requests that the engine has finished.", "There is one series for all reasons, without `finished_reason`; requests whose clients left do not count.",
			func(e *autoscaling.Engine) float64 { return float64(e.Finished) },
			"vllm:request_success_total"),
	},
	histogram("From the entry into the engine's queue to the first token.", autoscaling.TimeToFirstTokenBounds,
		func(e *autoscaling.Engine) *autoscaling.Buckets { return &e.TimeToFirstToken },
		func(e *autoscaling.Engine) time.Duration { return e.Counters.TimeToFirstToken.Sum },
		"vllm:time_to_first_token_seconds"),
	histogram("Between two tokens of a request.", autoscaling.InterTokenLatencyBounds,
		func(e *autoscaling.Engine) *autoscaling.Buckets { return &e.InterTokenLatency },
		func(e *autoscaling.Engine) time.Duration { return e.Counters.InterTokenLatency.Sum },
		"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
	[]Metric{
		{
			Names: []string{"DCGM_FI_DEV_GPU_UTIL"}, Type: Gauge, labels: []label{pod, pool, deployment},
			Help:       "The share of time in which the accelerators of a replica worked, in per cent.",
			Difference: "One series for all accelerators of a replica, and the mean since the scrape before; it begins with a replica's second scrape.",
			engine:     busy,
		},
		ofPool("The mean of the KV usage of the pool's engines.", "", mean(autoscaling.KVUsage),
			"llm_d_router_epp_average_kv_cache_utilization", "inference_pool_average_kv_cache_utilization"),
		ofPool("The mean of the requests in the queues of the pool's engines.", "", mean(autoscaling.Waiting),
			"llm_d_router_epp_average_queue_size", "inference_pool_average_queue_size"),
		ofPool("The mean of the requests in the batches of the pool's engines.", "",
			mean(func(e *autoscaling.Engine) float64 { return float64(e.Running) }),
			"llm_d_router_epp_average_running_requests", "inference_pool_average_running_requests"),
		ofPool("The pool's engines that serve.", "Those that drain count too. ", serving,
			"llm_d_router_epp_ready_endpoints", "inference_pool_ready_pods"),
		{
			Names: []string{"llm_d_router_epp_request_total", "inference_objective_request_total", "inference_model_request_total"},
			Type:  Counter, labels: []label{modelName, targetModelName},
			Help:       "Requests that came to the EPP.",
			Difference: "A request counts when it comes, also if it is rejected later; the EPP counts it when it has an engine. There is one series for all priorities and models of the router.",
			gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Gateway.Arrived), true },
		},
		{
			Names: []string{"llm_d_router_epp_running_requests", "inference_objective_running_requests"},
			Type:  Gauge, labels: []label{modelName},
			Help:       "Requests that the EPP has sent to engines and that have not ended.",
			Difference: "There is one series for all models of the router.",
			gateway: func(s *autoscaling.Sample) (float64, bool) {
				return float64(s.Gateway.InFlight()) - float64(s.Gateway.Queued+s.Gateway.Awaiting), true
			},
		},
		{
			Names: []string{"llm_d_router_epp_flow_control_queue_size", "inference_extension_flow_control_queue_size"},
			Type:  Gauge, labels: []label{inferencePool, modelName, targetModelName},
			Help:       "Requests that the EPP's flow control keeps back.",
			Difference: "There is one series for all flows, priorities and models of the router.",
			gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Gateway.Queued), true },
		},
		{
			Names: []string{DesiredReplicas}, Type: Gauge, labels: []label{variantName},
			Help:       "The replicas that llm-d's workload-variant-autoscaler asks for.",
			Difference: "There only where the scaler has `workloadVariantAutoscaler`, from the scrape after its first decision on. The variant has the name of the pool; a query that asks for a variant of another name has the same answer, and a note says so.",
			gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Recommended), s.Recommended > 0 },
		},
	},
)

func ofEngine(kind Type, help, difference string, read func(*autoscaling.Engine) float64, names ...string) Metric {
	return Metric{
		Names: names, Type: kind, Help: help, Difference: difference, labels: engineLabels,
		engine: func(now, _ *autoscaling.Engine, _ time.Duration) (float64, bool) { return read(now), true },
	}
}

// histogram returns the three metrics of a histogram.
func histogram(help string, bounds []time.Duration, buckets func(*autoscaling.Engine) *autoscaling.Buckets,
	sum func(*autoscaling.Engine) time.Duration, names ...string) []Metric {
	cumulated := func(e *autoscaling.Engine, at int) float64 {
		total := int64(0)
		for _, n := range buckets(e)[:at+1] {
			total += n
		}
		return float64(total)
	}
	with := func(suffix string) []string {
		var all []string
		for _, n := range names {
			all = append(all, n+suffix)
		}
		return all
	}
	last := len(bounds)
	return []Metric{
		{
			Names: with("_bucket"), Type: Histogram, Help: help + " Counts by upper bound.", labels: append(slices.Clone(engineLabels), le),
			bucket: cumulated, bounds: boundNames(bounds),
		},
		ofEngine(Histogram, help+" The sum in seconds.", "", func(e *autoscaling.Engine) float64 { return sum(e).Seconds() }, with("_sum")...),
		ofEngine(Histogram, help+" The count.", "", func(e *autoscaling.Engine) float64 { return cumulated(e, last) }, with("_count")...),
	}
}

// boundNames returns values of the label le as Prometheus writes them.
func boundNames(bounds []time.Duration) []string {
	var all []string
	for _, b := range bounds {
		text := strconv.FormatFloat(b.Seconds(), 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		all = append(all, text)
	}
	return append(all, "+Inf")
}

func busy(now, before *autoscaling.Engine, span time.Duration) (float64, bool) {
	if before == nil || !before.Up || before.Started != now.Started {
		return 0, false
	}
	return 100 * float64(now.Busy-before.Busy) / float64(span), true
}

// ofPool returns a metric that the EPP works out from its own scrapes of the engines.
func ofPool(help, difference string, read func(*autoscaling.Sample) (float64, bool), names ...string) Metric {
	return Metric{
		Names: names, Type: Gauge, Help: help, labels: []label{name}, gateway: read,
		Difference: difference + "The pool's engines are those of the unit that the autoscaler scales, and the EPP's own scrapes are as old as the monitor's.",
	}
}

func mean(of func(*autoscaling.Engine) float64) func(*autoscaling.Sample) (float64, bool) {
	return func(s *autoscaling.Sample) (float64, bool) {
		sum, n := 0.0, 0.0
		for i := range s.Engines {
			if s.Engines[i].Up {
				sum += of(&s.Engines[i])
				n++
			}
		}
		if n == 0 {
			return 0, true
		}
		return sum / n, true
	}
}

func serving(s *autoscaling.Sample) (float64, bool) {
	n := 0
	for i := range s.Engines {
		if s.Engines[i].Up {
			n++
		}
	}
	return float64(n), true
}

// metricOf returns the metric with a name; nil where there is none.
func metricOf(text string) *Metric {
	for i := range catalogue {
		if slices.Contains(catalogue[i].Names, text) {
			return &catalogue[i]
		}
	}
	return nil
}
