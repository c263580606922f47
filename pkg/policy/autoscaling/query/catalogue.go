// SPDX-License-Identifier: Apache-2.0

package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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
	Names []Name
	// Type is that of the metric. A series of a histogram is a counter.
	Type Type
	// Help says what the metric is, Difference how it differs from the real one.
	Help, Difference string

	labels []label
	// merged are labels by which the real metric has several series, of which this one is the sum.
	merged []string
	// absent says why an EPP does not export the metric; empty where it does. It is nil for metrics
	// that each EPP, and a router of policies, has.
	absent func(*EPP) string
	// engine reads an engine, of which it also sees the scrape before, if any.
	engine func(now, before *autoscaling.Engine, span time.Duration) (value float64, ok bool)
	// bucket reads a bucket of an engine's histogram, with what is in those below.
	bucket func(e *autoscaling.Engine, at int) float64
	bounds []string
	// most is the largest value; 0 where it has no bound.
	most float64
	// average says that the metric of a pool is an average, not a total.
	average bool
	// gateway reads what the EPP, or llm-d's autoscaler, shows.
	gateway func(*autoscaling.Sample) (value float64, ok bool)
	// load reads what is in flight at an endpoint by the counts of a producer.
	load func(policy.InFlight) int64
	// gatewayBucket reads a bucket of a histogram of the EPP, with what is in those below.
	gatewayBucket func(s *autoscaling.Sample, at int) float64
	// band reads what flow control holds of a priority, where the priorities are known.
	band func(policy.QueuedBand) float64
	// stages read the saturations by stage; byDetector says that each detector has them.
	stages     []stage
	byDetector bool
}

// Name is a name of a metric.
type Name struct {
	Text string
	// In are the versions of the EPP that export the metric under the name. Other exporters are not
	// versioned.
	In version.Range
}

// standsFor says what a label names that has no name in a scenario: whatever the name, it stands for the pool that
// the series is about. It is empty for other labels.
func (m *Metric) standsFor(l label) string {
	switch {
	case m.gateway == nil && m.stages == nil && !m.has(name):
		return ""
	case l == variantName:
		return "variant"
	case l == inferencePool, l == name:
		return "InferencePool"
	case l == deployment:
		return "Deployment"
	default:
		return ""
	}
}

// plain are names that do not depend on the version of the EPP.
func plain(texts ...string) []Name {
	var all []Name
	for _, text := range texts {
		all = append(all, Name{Text: text})
	}
	return all
}

// name returns the name of that text; nil if the metric has none.
func (m *Metric) name(text string) *Name {
	if at := slices.IndexFunc(m.Names, func(n Name) bool { return n.Text == text }); at >= 0 {
		return &m.Names[at]
	}
	return nil
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

// read reads a series from a sample; before is the previous sample, or nil.
func (s *series) read(now, before *autoscaling.Sample) (float64, bool) {
	switch m := s.metric; {
	case s.band != nil:
		return m.band(now.Router.Band(*s.band)), true
	case m.gatewayBucket != nil:
		return m.gatewayBucket(now, s.bucket), true
	case m.gateway != nil:
		return m.gateway(now)
	case m.byDetector:
		return m.stages[s.bucket].of(now.Router.Detector(s.place)), true
	case m.stages != nil:
		return m.stages[s.bucket].of(now.Router.Saturation), true
	case m.load != nil:
		return float64(m.load(now.Router.InFlight[s.place])), true
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
		upTo(1, ofEngine(Gauge, "The share of the KV blocks in use, 0 to 1.", "", autoscaling.KVUsage,
			"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
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
			func(e *autoscaling.Engine) float64 { return float64(e.Finished.Requests) },
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
			Names: plain("DCGM_FI_DEV_GPU_UTIL"), Type: Gauge, labels: []label{pod, pool, deployment},
			Help:       "The share of time in which the accelerators of a replica worked, in per cent.",
			Difference: "One series for all accelerators of a replica, and the mean since the scrape before; it begins with a replica's second scrape.",
			engine:     busy, most: 100,
		},
	},
	eppMetrics,
	[]Metric{
		ofDeployment("The replicas of the pool, as a Deployment counts its pods: those that wait for a node or load count, those that drain do not.",
			func(s *autoscaling.Sample) int { return s.Replicas }, "kube_deployment_status_replicas"),
		ofDeployment("Those of the pool's replicas that do not serve yet.",
			func(s *autoscaling.Sample) int { return s.Unavailable }, "kube_deployment_status_replicas_unavailable"),
		{
			Names: plain(DesiredReplicas), Type: Gauge, labels: []label{variantName},
			Help:       "The replicas that llm-d's workload-variant-autoscaler asks for.",
			Difference: "There only where the scaler has `workloadVariantAutoscaler`, or its manifest has the annotation `llm-d.ai/managed`, from the scrape after its first decision on. The variant has the name of the pool; a query that asks for a variant of another name has the same answer, and a note says so.",
			gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(s.Recommended), s.Recommended > 0 },
		},
	},
)

func ofEngine(kind Type, help, difference string, read func(*autoscaling.Engine) float64, names ...string) Metric {
	return Metric{
		Names: plain(names...), Type: kind, Help: help, Difference: difference, labels: engineLabels,
		engine: func(now, _ *autoscaling.Engine, _ time.Duration) (float64, bool) { return read(now), true },
	}
}

// upTo gives a metric a largest value.
func upTo(most float64, m Metric) Metric {
	m.most = most
	return m
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
			Names: plain(with("_bucket")...), Type: Histogram, Help: help + " Counts by upper bound.", labels: append(slices.Clone(engineLabels), le),
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

// ofDeployment returns a metric that kube-state-metrics exports.
func ofDeployment(help string, read func(*autoscaling.Sample) int, name string) Metric {
	return Metric{
		Names: plain(name), Type: Gauge, Help: help, labels: []label{deployment},
		Difference: "The Deployment stands for the pool, whatever its name.",
		gateway:    func(s *autoscaling.Sample) (float64, bool) { return float64(read(s)), true },
	}
}

// Unadapted is the name under which an exporter has a metric that a metrics adapter has renamed, as far as that is known:
// adapters take the prefix vllm: away, or its colon.
func Unadapted(name string) string {
	for _, rest := range []string{name, strings.TrimPrefix(name, "vllm_")} {
		if own := "vllm:" + rest; metricOf(name) == nil && metricOf(own) != nil {
			return own
		}
	}
	return name
}

// metricOf returns the metric with a name; nil if the catalogue lacks it.
func metricOf(text string) *Metric {
	for i := range catalogue {
		if catalogue[i].name(text) != nil {
			return &catalogue[i]
		}
	}
	return nil
}
