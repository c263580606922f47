// SPDX-License-Identifier: Apache-2.0

package results

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// reportV01 reads a Benchmark Report of llm-d-benchmark, version 0.1.
func (r *reader) reportV01(o object) Result {
	res := Result{Figures: unmeasured()}
	res.drawn()
	if v := o.text("version"); v != "0.1" {
		r.errs = append(r.errs, field.NotSupported(o.at("version"), v, []string{"0.1"}))
		return res
	}
	scenario, metrics := o.child("scenario"), o.child("metrics")
	res.Model = scenario.child("model").text("name")
	o.hostV01(scenario, &res)
	requests := metrics.child("requests")
	total := float64(requests.count("total", maxRequests, "the number of requests"))
	failures := first(requests.number("failures"), 0) + first(requests.number("incomplete"), 0)
	if res.Load.Requests = int(total - min(failures, total)); res.Load.Requests == 0 {
		r.errs = append(r.errs, field.Invalid(requests.at("failures"), failures, "no request has an answer"))
	}
	res.failed(failures, total)
	input, output := requests.child("input_length"), requests.child("output_length")
	res.Load.Input, res.Load.Output = input.lengths(input, reportV01Percentiles), output.lengths(output, reportV01Percentiles)
	latency := metrics.child("latency")
	for m, name := range [calibrate.Metrics]string{"time_to_first_token", "time_per_output_token", "request_latency"} {
		s := latency.child(name)
		res.Figures[m] = s.statistics(s, reportV01Percentiles, s.unitV01())
	}
	if !measured(res.Figures) {
		r.errs = append(r.errs, field.Required(latency.at("time_to_first_token"), "the report has none of time_to_first_token, time_per_output_token and request_latency"))
	}
	scenario.loadV01(&res)
	return res
}

// hostV01 refuses several engines and reads the parallelism of the only one.
func (o object) hostV01(scenario object, res *Result) {
	host := scenario.child("host")
	accelerators := host.objects("accelerator")
	if len(accelerators) > 1 {
		o.reader.errs = append(o.reader.errs, field.Invalid(host.at("accelerator"), field.OmitValueType{}, "the report has several engines, and calibrate replays on one: measure one alone"))
		return
	}
	for _, a := range accelerators {
		if tp := a.child("parallelism").number("tp"); tp > 0 {
			res.TensorParallelism = int(min(tp, maxConcurrency))
		}
	}
	engines := scenario.child("platform").objects("engine")
	for _, e := range engines {
		if other := otherEngine(e.text("name")); other != "" {
			o.anotherEngine(e, "name", "the report is of "+other)
		}
		res.EngineVersion = e.text("version")
	}
}

// unitV01 is the unit of latencies, in seconds.
func (o object) unitV01() float64 {
	if len(o.fields) == 0 {
		return math.NaN()
	}
	units := map[string]float64{"ms": 1e-3, "s": 1, "ms/token": 1e-3, "s/token": 1}
	unit, known := units[o.text("units")]
	if !known {
		o.reader.errs = append(o.reader.errs, field.NotSupported(o.at("units"), o.text("units"), []string{"ms", "s", "ms/token", "s/token"}))
	}
	return unit
}

// loadV01 reads how requests were sent out of the arguments of the load generator.
func (o object) loadV01(res *Result) {
	load := o.child("load")
	args := load.child("args")
	stage := int(min(first(load.child("metadata").number("stage"), 0), maxConcurrency))
	switch name := load.text("name"); name {
	case "vllm-benchmark", "inferencemax":
		args.pace(res)
	case "guidellm":
		args.guideLLMArgs(stage, res)
	case "inference-perf":
		args.inferencePerfArgs(stage, res)
	default:
		o.reader.errs = append(o.reader.errs, field.NotSupported(load.at("name"), name, []string{"vllm-benchmark", "inferencemax", "guidellm", "inference-perf"}))
	}
}

// guideLLMArgs are a profile, and a rate or a number of streams for each stage.
func (o object) guideLLMArgs(stage int, res *Result) {
	res.Load.Arrivals = calibrate.PoissonArrivals
	rates := o.numbers("rate")
	kind := o.text("profile")
	if kind == "synchronous" {
		res.Load.Concurrency = 1
		return
	}
	if stage >= len(rates) || !slices.Contains([]string{"constant", "poisson", "concurrent"}, kind) {
		res.Unpaced = field.Required(o.at("rate"), "the report does not say how requests were sent")
		return
	}
	switch kind {
	case "concurrent":
		res.Load.Concurrency = int(min(max(rates[stage], 1), maxConcurrency))
	case "constant":
		res.Load.Arrivals = calibrate.ConstantArrivals
		res.Load.Rate = rates[stage]
	default:
		res.Load.Rate = rates[stage]
	}
}

// inferencePerfArgs are the stages of a load.
func (o object) inferencePerfArgs(stage int, res *Result) {
	res.Load.Arrivals = calibrate.PoissonArrivals
	load := o.child("load")
	stages := load.objects("stages")
	if stage >= len(stages) {
		res.Unpaced = field.Required(load.at("stages"), "the report does not say how requests were sent")
		return
	}
	if s := stages[stage]; s.has("concurrency_level") {
		res.Load.Concurrency = s.count("concurrency_level", maxConcurrency, "the requests in flight")
	} else {
		res.Load.Rate = s.needed("rate", "requests per second")
	}
}
