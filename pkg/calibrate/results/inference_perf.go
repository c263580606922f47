// SPDX-License-Identifier: Apache-2.0

package results

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// inferencePerf reads the lifecycle metrics of a stage, or of a whole benchmark, of
// inference-perf. Times are in seconds.
func (r *reader) inferencePerf(o object) Result {
	res := Result{Figures: unmeasured()}
	res.drawn()
	load, good := o.child("load_summary"), o.child("successes")
	res.Load.Requests = good.count("count", maxRequests, "the number of requests that had an answer")
	res.failed(first(o.child("failures").number("count"), 0), first(load.number("count"), 0))
	latency := good.child("latency")
	for m, name := range [calibrate.Metrics]string{"time_to_first_token", "time_per_output_token", "request_latency"} {
		s := latency.child(name)
		res.Figures[m] = s.statistics(s, inferencePerfPercentiles, 1)
	}
	if !measured(res.Figures) {
		r.errs = append(r.errs, field.Required(latency.at("request_latency").Child("mean"), "the file has no mean of TTFT, TPOT and request latency"))
	}
	res.Load.Input = good.eitherLengths("prompt_tokens", "prompt_len")
	res.Load.Output = good.eitherLengths("output_tokens", "output_len")
	res.Load.Arrivals = calibrate.PoissonArrivals
	switch {
	case load.has("concurrency"):
		res.Load.Concurrency = load.count("concurrency", maxConcurrency, "the requests in flight")
	case load.has("achieved_rate"):
		res.Load.Rate = load.needed("achieved_rate", "the rate at which requests were sent")
	case load.has("requested_rate"):
		res.Load.Rate = load.needed("requested_rate", "the rate at which requests were sent")
	default:
		res.Unpaced = field.Required(load.at("achieved_rate"), "the file does not say how requests were sent, as the summary of all stages does not: name a stage_N_lifecycle_metrics.json")
	}
	return res
}

// eitherLengths reads lengths from the first of two fields that has a mean.
func (o object) eitherLengths(first, second string) lengths {
	s := o.child(first)
	if !s.has("mean") {
		s = o.child(second)
	}
	return s.lengths(s, inferencePerfPercentiles)
}
