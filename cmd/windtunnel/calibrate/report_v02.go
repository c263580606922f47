// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"math"
	"regexp"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/calibrate/results"
	"windtunnel.dev/windtunnel/pkg/report/benchmark"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// firstVersion is a report of version 0.1, whose fields are others.
var firstVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*"?version"?:\s*["']?0\.1["']?\s*,?\s*$`)
})

// looksLikeReport reports whether a text is a Benchmark Report of version 0.2 or later.
func looksLikeReport(raw []byte) bool {
	return (benchmark.Looks(raw) || jsonReport().Match(raw)) && !firstVersion().Match(raw)
}

// jsonReport are the fields of a report in JSON, of which a text has at least one.
var jsonReport = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*\{?\s*"(run|scenario)"\s*:\s*\{`)
})

// benchmarkReport reads a Benchmark Report 0.2: what one of its replicas served.
func (f *runFile) benchmarkReport(raw []byte) (results.Result, field.ErrorList) {
	r, errs := benchmark.Read(raw)
	if len(errs) > 0 {
		return results.Result{}, errs
	}
	res := results.Result{Load: calibrate.Load{Arrivals: calibrate.PoissonArrivals}}
	errs = reportEngine(r, &res)
	errs = append(errs, reportLengths(r, &res)...)
	errs = append(errs, reportFigures(r, &res)...)
	if len(errs) > 0 {
		return res, errs
	}
	return res, reportLoad(r, &res)
}

// reportEngine takes the only engine of a report.
func reportEngine(r *benchmark.Report, res *results.Result) field.ErrorList {
	res.Notes = append(res.Notes, "the report has no single requests: lengths and arrivals are drawn, each by itself")
	path := field.NewPath("scenario", "stack")
	engines := r.Engines()
	switch {
	case len(engines) == 0:
		res.Notes = append(res.Notes, "the report has no engine in scenario.stack: one replica is assumed")
		return nil
	case len(engines) > 1:
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, fmt.Sprintf("the report has %d engines, and calibrate replays on one: measure one alone", len(engines)))}
	}
	e := engines[0]
	if !knownTool(e.Tool) {
		return field.ErrorList{field.NotSupported(path.Child("standardized", "tool"), e.Tool, []string{"vllm", "llm-d", "windtunnel"})}
	}
	if e.Role != "replica" {
		res.Notes = append(res.Notes, fmt.Sprintf("the only engine of the report has the role %s: it is taken for one that does prefill and decode", e.Role))
	}
	if tp := e.Accelerator.Parallelism.TP; tp != nil {
		res.TensorParallelism = int(*tp)
	}
	res.Model = e.Model.Name
	if e.Replicas > 1 {
		res.Notes = append(res.Notes, fmt.Sprintf("the report has %d replicas: one of them is replayed with an equal part of the load", e.Replicas))
	}
	return nil
}

// otherTools are engines that are no vLLM.
var otherTools = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)sglang|tgi|text-generation|tensorrt|trt|lmdeploy|llama[.]?cpp|ollama`)
})

func knownTool(tool string) bool { return !otherTools().MatchString(tool) }

func reportReplicas(r *benchmark.Report) float64 {
	if engines := r.Engines(); len(engines) == 1 {
		return float64(engines[0].Replicas)
	}
	return 1
}

// reportLengths are the lengths of prompts and of answers.
func reportLengths(r *benchmark.Report, res *results.Result) field.ErrorList {
	path := field.NewPath("results", "request_performance", "aggregate", "requests")
	var errs field.ErrorList
	input, err := r.InputLengths()
	if err != nil {
		errs = append(errs, field.Invalid(path.Child("input_length"), field.OmitValueType{}, err.Error()))
	}
	output, err := r.OutputLengths()
	if err != nil {
		errs = append(errs, field.Invalid(path.Child("output_length"), field.OmitValueType{}, err.Error()))
	}
	if len(errs) > 0 {
		return errs
	}
	var q benchmark.Requests
	if p := r.Results.RequestPerformance; p != nil && p.Aggregate != nil && p.Aggregate.Requests != nil {
		q = *p.Aggregate.Requests
	}
	res.Load.Input, res.Load.Output = lengthsOf(input, q.InputLength), lengthsOf(output, q.OutputLength)
	return nil
}

// lengthsOf have the mean that was measured, if any was.
func lengthsOf(law stats.Quantiles, measured *benchmark.Statistics) func(float64) float64 {
	if measured == nil || measured.Mean == 0 {
		return law.At
	}
	return law.ScaledTo(measured.Mean)
}

// reportFigures are the means and percentiles of a report; NaN where it has none.
func reportFigures(r *benchmark.Report, res *results.Result) field.ErrorList {
	metrics := r.Metrics()
	some := false
	for m, metric := range [calibrate.Metrics]string{"ttft", "tpot", "e2e"} {
		for s := range calibrate.Statistics {
			value, has := metrics[metric+"."+s.String()]
			res.Figures[m][s] = orNaN(value, has)
		}
		some = some || !math.IsNaN(res.Figures[m][calibrate.Mean])
	}
	if !some {
		return field.ErrorList{field.Required(field.NewPath("results", "request_performance", "aggregate", "latency"),
			"the report has none of time_to_first_token, time_per_output_token and request_latency")}
	}
	return nil
}

// reportLoad is how many requests came to one replica, and when.
func reportLoad(r *benchmark.Report, res *results.Result) field.ErrorList {
	p := r.Results.RequestPerformance
	if p == nil || p.Aggregate == nil || p.Aggregate.Requests == nil || p.Aggregate.Requests.Total == 0 {
		return field.ErrorList{field.Required(field.NewPath("results", "request_performance", "aggregate", "requests"), "the report counts no requests")}
	}
	replicas := reportReplicas(r)
	res.Load.Requests = max(1, int(math.Round(float64(p.Aggregate.Requests.Total)/replicas)))
	var s benchmark.LoadStandardized
	if r.Scenario != nil && r.Scenario.Load != nil {
		s = r.Scenario.Load.Standardized
	}
	if s.RateQPS != nil {
		res.Load.Rate = *s.RateQPS / replicas
	}
	if c := s.Concurrency; c != nil && !math.IsInf(*c, 1) {
		res.Load.Concurrency = max(1, int(math.Round(*c/replicas)))
	}
	if p := s.Prefix; p != nil && p.PrefixLen.Value > 0 {
		res.Load.PrefixTokens = int(min(p.PrefixLen.Value, workload.MaxTokens))
		res.Load.Prefixes = int(min(p.NumGroups, maxPrefixes) * min(p.NumPrefixes, maxPrefixes))
	}
	if s.MultiTurn != nil && s.MultiTurn.Enabled {
		res.Notes = append(res.Notes, "the report's requests are turns of conversations: they are replayed as single requests, which find less in the prefix cache")
	}
	reportPace(r, res, replicas)
	return nil
}

// reportPace completes how requests were sent: the pauses of a closed loop, or the rate at
// which requests ended where the report states neither a rate nor a limit.
func reportPace(r *benchmark.Report, res *results.Result, replicas float64) {
	metrics := r.Metrics()
	served, e2e := metrics["throughput.requests"]/replicas, metrics["e2e.mean"]
	l := &res.Load
	switch {
	case l.Rate > 0:
	case l.Concurrency > 0:
		l.ThinkSeconds = pause(float64(l.Concurrency), served, e2e)
		if l.ThinkSeconds > 0 {
			res.Notes = append(res.Notes, fmt.Sprintf("%d users who send %.4g requests per second that take %.4g s pause %.3g s between two: the replay draws such pauses", l.Concurrency, served, e2e, l.ThinkSeconds))
		}
		if warmedUp(r) {
			l.WarmUp = 2 * l.Concurrency
		}
	case served > 0:
		l.Rate = served
		res.Notes = append(res.Notes, fmt.Sprintf("the report states neither rate_qps nor concurrency: requests are drawn at the %.4g per second that were served, which is right where none piled up", served))
	default:
		res.Unpaced = field.Required(field.NewPath("scenario", "load", "standardized", "rate_qps"), "the report states no rate, no concurrency and no request_rate, without which no arrivals can be drawn")
	}
}

// warmedUp reports whether the figures of a simulation are without its first requests.
func warmedUp(r *benchmark.Report) bool {
	if !r.IsSimulated() || r.Scenario == nil || r.Scenario.Load == nil {
		return false
	}
	config, _ := r.Scenario.Load.Native.Config.(map[string]any)
	horizon, _ := config["horizon"].(map[string]any)
	return horizon["warmup"] != nil
}

// pause is the time between two requests of a user by Little's law: users are as many as
// requests per second times the seconds of a request and a pause. Below a fifth of a request
// it is the start and the end of a benchmark, where fewer users are busy.
func pause(users, perSecond, seconds float64) float64 {
	if perSecond == 0 || seconds == 0 {
		return 0
	}
	if p := users/perSecond - seconds; p > 0.2*seconds {
		return p
	}
	return 0
}
