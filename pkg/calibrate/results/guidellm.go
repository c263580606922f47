// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// guideLLM reads a report of guidellm, which holds one benchmark or several.
func (r *reader) guideLLM(o object) []Result {
	var all []Result
	benchmarks := o.objects("benchmarks")
	if len(benchmarks) == 0 {
		r.errs = append(r.errs, field.Required(o.at("benchmarks"), "at least one benchmark"))
	}
	for i, b := range benchmarks {
		res := b.guideLLM()
		o.sharedPrefix(&res)
		if len(benchmarks) > 1 {
			res.Part = fmt.Sprintf("benchmark %d", i)
		}
		all = append(all, res)
	}
	return all
}

// guideLLM reads a benchmark. guidellm's time per output token counts the first one too, and
// its mean of inter-token latencies is over tokens: TTFT and request latency say both.
func (o object) guideLLM() Result {
	res := Result{Figures: unmeasured()}
	res.drawn()
	metrics := o.child("metrics")
	totals := metrics.child("request_totals")
	if !metrics.has("request_totals") && o.has("run_stats") {
		totals = o.below("run_stats", "requests_made") // before 0.4
	}
	res.Load.Requests = totals.count("successful", maxRequests, "the number of requests that had an answer")
	successful := float64(res.Load.Requests)
	lost := first(totals.number("errored"), 0) + first(totals.number("incomplete"), 0)
	res.failed(lost, successful+lost)
	for _, m := range []struct {
		metric calibrate.Metric
		name   string
		unit   float64
	}{{calibrate.TTFT, "time_to_first_token_ms", 1e-3}, {calibrate.E2E, "request_latency", 1}} {
		s := metrics.below(m.name, "successful")
		s.needed("mean", "what was measured")
		res.Figures[m.metric] = s.statistics(s.child("percentiles"), guideLLMPercentiles, m.unit)
	}
	input, output := metrics.below("prompt_token_count", "successful"), metrics.below("output_token_count", "successful")
	res.Load.Input = input.lengths(input.child("percentiles"), guideLLMPercentiles)
	res.Load.Output = output.lengths(output.child("percentiles"), guideLLMPercentiles)
	o.guideLLMStrategy(&res)
	return res
}

// guideLLMStrategy reads how requests were sent: config.strategy, or args.strategy before
// 0.4.
func (o object) guideLLMStrategy(res *Result) {
	config := o.child("config")
	if !config.has("strategy") && o.has("args") {
		config = o.child("args")
	}
	res.Model = config.child("backend").text("model")
	s := config.child("strategy")
	res.Load.Arrivals = calibrate.PoissonArrivals
	kind := s.text("type_")
	switch kind {
	case "constant", "async":
		res.Load.Arrivals = calibrate.ConstantArrivals
		res.Load.Rate = s.needed("rate", "requests per second")
	case "poisson":
		res.Load.Rate = s.needed("rate", "requests per second")
	case "concurrent":
		res.Load.Concurrency = s.count("streams", maxConcurrency, "the requests in flight")
	case "synchronous":
		res.Load.Concurrency = 1
	case "throughput":
		if s.has("max_concurrency") {
			res.Load.Concurrency = s.count("max_concurrency", maxConcurrency, "the requests in flight")
		}
	case "":
		res.Unpaced = field.Required(s.at("type_"), "how requests were sent")
	default:
		o.reader.errs = append(o.reader.errs, field.NotSupported(s.at("type_"), kind, []string{"constant", "poisson", "concurrent", "synchronous", "throughput"}))
	}
}

// sharedPrefix reads which beginnings prompts share, and whether they are turns of
// conversations.
func (o object) sharedPrefix(res *Result) {
	data := o.below("config", "spec").objects("data")
	if len(data) != 1 {
		return
	}
	if turns := data[0].number("turns"); turns > 1 {
		res.note("requests are turns of conversations: they are replayed as single requests, which find less in the prefix cache")
	}
	buckets := data[0].objects("prefix_buckets")
	if len(buckets) != 1 {
		if len(buckets) > 1 {
			res.note("prompts share beginnings of several lengths: they are replayed without")
		}
		return
	}
	if tokens := buckets[0].number("prefix_tokens"); tokens > 0 {
		res.Load.PrefixTokens = int(min(tokens, workload.MaxTokens))
		res.Load.Prefixes = int(min(max(first(buckets[0].number("prefix_count"), 1), 1), maxConcurrency))
	}
}
