// SPDX-License-Identifier: Apache-2.0

package observe

import "strconv"

// A Measure is a figure of an hour.
type Measure struct {
	// Metric and Quantile name it. Quantile is 0 of a mean, a rate or a share.
	Metric   string  `json:"metric"`
	Quantile float64 `json:"quantile,omitempty"`
	Unit     Unit    `json:"unit"`
	// families are those that it needs.
	families []family
	read     func(*hour) (Figure, bool)
}

// Unit is the unit of a measure.
type Unit string

// The units.
const (
	Seconds   Unit = "seconds"
	PerSecond Unit = "per second"
	Tokens    Unit = "tokens"
	Share     Unit = "share"
	Count     Unit = "count"
)

// Name is the metric with its quantile, such as ttft.p99.
func (m *Measure) Name() string {
	if m.Quantile == 0 {
		return m.Metric
	}
	return m.Metric + ".p" + strconv.FormatFloat(100*m.Quantile, 'g', 4, 64)
}

// The names of the measures that assumptions are about.
const (
	requestRate  = "requestRate"
	arrivalRate  = "arrivalRate"
	promptTokens = "promptTokens"
	outputTokens = "outputTokens"
	hitShare     = "hitShare"
	itl          = "itl"
)

// Measures returns all measures, in the order of tables: what comes in, then what comes of it.
func Measures() []Measure {
	measures := []Measure{
		{Metric: requestRate, Unit: PerSecond, families: []family{finished}, read: rate(finished.names)},
		{Metric: arrivalRate, Unit: PerSecond, families: []family{routed}, read: rate(routed.names)},
		{Metric: promptTokens, Unit: Tokens, families: []family{prompts}, read: quotient(prompts.with("_sum"), prompts.with("_count"))},
		{Metric: outputTokens, Unit: Tokens, families: []family{answers}, read: quotient(answers.with("_sum"), answers.with("_count"))},
		{Metric: hitShare, Unit: Share, families: []family{hits, lookups}, read: quotient(hits.names, lookups.names)},
	}
	for _, h := range []struct {
		metric string
		of     family
	}{{"ttft", firstTokens}, {itl, tokenGaps}, {"tpot", tokenTimes}, {"e2e", wholeTimes}} {
		measures = append(measures, Measure{Metric: h.metric, Unit: Seconds, families: []family{h.of}, read: quotient(h.of.with("_sum"), h.of.with("_count"))})
		for _, q := range []float64{0.5, 0.9, 0.99} {
			measures = append(measures, Measure{Metric: h.metric, Quantile: q, Unit: Seconds, families: []family{h.of}, read: quantileOf(h.of.with("_bucket"), q)})
		}
	}
	return append(measures,
		Measure{Metric: "running", Unit: Count, families: []family{running}, read: sumOfGauges(running.names)},
		Measure{Metric: "waiting", Unit: Count, families: []family{waiting}, read: sumOfGauges(waiting.names)},
		Measure{Metric: "kvUsage", Unit: Share, families: []family{kvUsage}, read: meanOfGauges(kvUsage.names)},
		Measure{Metric: "promptThroughput", Unit: PerSecond, families: []family{computed}, read: rate(computed.names)},
		Measure{Metric: "outputThroughput", Unit: PerSecond, families: []family{given}, read: rate(given.names)},
		Measure{Metric: "eppQueue", Unit: Count, families: []family{routedQueues}, read: meanOfGauges(routedQueues.names)},
	)
}

// rate is the growth of counters per second.
func rate(names []string) func(*hour) (Figure, bool) {
	return func(h *hour) (Figure, bool) {
		growth, ok := h.growth(names)
		return Figure{Value: growth / h.seconds()}, ok
	}
}

// quotient divides the growths of two counters.
func quotient(above, below []string) func(*hour) (Figure, bool) {
	return func(h *hour) (Figure, bool) {
		a, okA := h.growth(above)
		b, okB := h.growth(below)
		if !okA || !okB || !(b > 0) {
			return Figure{}, false
		}
		return Figure{Value: a / b}, true
	}
}

func quantileOf(names []string, q float64) func(*hour) (Figure, bool) {
	return func(h *hour) (Figure, bool) {
		value, in, ok := quantile(h.buckets(names), q)
		return Figure{Value: value, Bucket: &in}, ok
	}
}

// sumOfGauges is the mean over time of the sum of the engines' gauges: what was scraped together
// with one engine missing counts without it.
func sumOfGauges(names []string) func(*hour) (Figure, bool) {
	return func(h *hour) (Figure, bool) {
		sum, _, times, ok := h.gauges(names)
		if !ok {
			return Figure{}, false
		}
		return Figure{Value: sum / times}, true
	}
}

// meanOfGauges is the mean over time and engines.
func meanOfGauges(names []string) func(*hour) (Figure, bool) {
	return func(h *hour) (Figure, bool) {
		sum, samples, _, ok := h.gauges(names)
		if !ok {
			return Figure{}, false
		}
		return Figure{Value: sum / samples}, true
	}
}
