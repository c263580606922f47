// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// openBackends are the protocols of vllm bench serve that vLLM speaks.
var openBackends = []string{"vllm", "openai", "openai-chat"}

// vllmBench reads what vllm bench serve --save-result wrote. With --save-detailed it has
// single requests.
func (r *reader) vllmBench(o object) Result {
	name := "backend"
	if !o.has(name) && o.has("endpoint_type") {
		name = "endpoint_type"
	}
	if b := o.text(name); b != "" && !slices.Contains(openBackends, b) {
		r.errs = append(r.errs, field.NotSupported(o.at(name), b, openBackends))
	}
	res := Result{Model: o.text("model_id"), Figures: vllmFigures(o)}
	res.Load.Requests = o.count("completed", maxRequests, "the number of requests that had an answer")
	completed := float64(res.Load.Requests)
	o.pace(&res)
	if o.has("ramp_up_strategy") {
		r.errs = append(r.errs, field.Forbidden(o.at("ramp_up_strategy"), "the rate rises during the benchmark, and no single rate describes it: measure at a constant one"))
	}
	res.failed(first(o.number("failed"), 0), completed+first(o.number("failed"), 0))
	if o.has("ttfts") {
		o.detailed(&res)
		return res
	}
	res.drawn()
	res.note("the file has no lengths of single requests: all are of the mean length (--save-detailed keeps them)")
	res.Load.Input = constant(math.Round(o.needed("total_input_tokens", "the tokens of all prompts") / completed))
	res.Load.Output = constant(math.Round(o.needed("total_output_tokens", "the tokens of all answers") / completed))
	if !measured(res.Figures) {
		r.errs = append(r.errs, field.Required(o.at("mean_ttft_ms"), "the file has no mean of TTFT, TPOT and E2E"))
	}
	return res
}

// pace reads how requests were sent.
func (o object) pace(res *Result) {
	res.Load.Arrivals = calibrate.PoissonArrivals
	if b := o.number("burstiness"); b > 100 {
		res.Load.Arrivals = calibrate.ConstantArrivals
	} else if !math.IsNaN(b) && b != 1 {
		res.note("the burstiness is %g: arrivals are replayed as if it were 1", b)
	}
	if o.has("max_concurrency") {
		res.Load.Concurrency = o.count("max_concurrency", maxConcurrency, "the requests in flight")
	}
	switch {
	case !o.has("request_rate"):
		if res.Load.Concurrency == 0 {
			res.Unpaced = field.Required(o.at("request_rate"), `the rate of requests, or "inf"`)
		}
	case o.text("request_rate") != "inf":
		res.Load.Rate = o.needed("request_rate", `the rate of requests, or "inf"`)
	}
}

// vllmFigures are in fields such as mean_ttft_ms, in milliseconds, and mean_ttft, in seconds.
func vllmFigures(o object) calibrate.Figures {
	f := unmeasured()
	for m, metric := range [calibrate.Metrics]string{"ttft", "tpot", "e2el"} {
		for s, statistic := range [calibrate.Statistics]string{"mean", "median", "p90", "p95", "p99"} {
			name := statistic + "_" + metric
			f[m][s] = o.number(name+"_ms") / 1e3
			if math.IsNaN(f[m][s]) {
				f[m][s] = o.number(name)
			}
			if f[m][s] == 0 {
				f[m][s] = math.NaN() // nothing was measured
			}
		}
	}
	return f
}

// detailed reads single requests. Without their times of sending, those of an open loop are
// drawn, and their figures are fitted to.
func (o object) detailed(res *Result) {
	input, output, ttft, starts := o.numbers("input_lens"), o.numbers("output_lens"), o.numbers("ttfts"), o.numbers("start_times")
	gaps, _ := o.fields["itls"].([]any)
	latencies := o.numbers("latencies")
	for _, list := range []struct {
		name   string
		length int
	}{{"input_lens", len(input)}, {"output_lens", len(output)}, {"itls", len(gaps)}} {
		if list.length != len(ttft) {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(list.name), field.OmitValueType{},
				fmt.Sprintf("has %d entries, and ttfts has %d", list.length, len(ttft))))
		}
	}
	if len(o.reader.errs) > 0 {
		return
	}
	var lens [2][]float64
	for i := range ttft {
		if output[i] == 0 || ttft[i] == 0 {
			continue // the request failed
		}
		lens[0], lens[1] = append(lens[0], input[i]), append(lens[1], output[i])
		last := ttft[i] + o.sumOf("itls", i, gaps[i])
		if len(latencies) == len(ttft) {
			last = latencies[i]
		}
		start := 0.0
		if len(starts) == len(ttft) {
			start = starts[i]
		}
		q, fault := request(start, ttft[i], last, input[i], output[i])
		if fault != "" {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at("ttfts").Index(i), field.OmitValueType{}, fault))
			return
		}
		res.Requests = append(res.Requests, q)
	}
	if len(res.Requests) == 0 {
		o.reader.errs = append(o.reader.errs, field.Invalid(o.at("ttfts"), field.OmitValueType{}, "no request has an answer"))
		return
	}
	res.Load.Requests = len(res.Requests)
	known := len(starts) == len(ttft)
	found := calibrate.FiguresOf(calibrate.NewRun("", calibrate.Engine{}, res.Requests).Measured())
	if disagree(found, res.Figures) {
		res.note("the lists of single requests do not have the means of the file: the means are fitted to, and itls may leave tokens out")
		res.drawn()
		res.Load.Input, res.Load.Output = sampled(lens[0]), sampled(lens[1])
		res.Requests = nil
		return
	}
	switch {
	case known && (res.Load.Concurrency == 0 || res.Load.Rate > 0):
		// The engine got them when they were sent, whatever held them back before.
		res.Load.Concurrency, res.Unpaced = 0, nil
	case res.Load.Rate > 0 || res.Unpaced != nil:
		res.drawn()
		res.Load.Input, res.Load.Output = sampled(lens[0]), sampled(lens[1])
		res.Figures = found
		res.Requests = nil
	default:
		for i := range res.Requests {
			res.Requests[i].FirstToken -= res.Requests[i].Queued
			res.Requests[i].LastToken -= res.Requests[i].Queued
			res.Requests[i].Queued = 0
		}
	}
}

// disagree reports whether means of single requests are not those that the file states.
func disagree(found, stated calibrate.Figures) bool {
	const much = 0.05
	for m := range stated {
		if e := found[m][calibrate.Mean]/stated[m][calibrate.Mean] - 1; math.Abs(e) > much {
			return true
		}
	}
	return false
}

// sumOf is the sum of the gaps between the tokens of a request.
func (o object) sumOf(name string, i int, gaps any) float64 {
	list, _ := gaps.([]any)
	sum := 0.0
	for k, v := range list {
		n, ok := number(v)
		if !ok || n < 0 {
			o.reader.errs = append(o.reader.errs, field.Invalid(o.at(name).Index(i).Index(k), shown(v), "must be a number of at least 0"))
			return 0
		}
		sum += n
	}
	return sum
}

// request is a request that was sent at a time, with the times of its tokens from then on;
// or what is wrong with it.
func request(sent, first, last, input, output float64) (calibrate.Request, string) {
	for _, tokens := range []float64{input, output} {
		if tokens < 1 || tokens > workload.MaxTokens || tokens != math.Floor(tokens) {
			return calibrate.Request{}, fmt.Sprintf("a request of %g input and %g output tokens: both must be whole numbers between 1 and %d", input, output, workload.MaxTokens)
		}
	}
	if !(first > 0 && last >= first && last <= maxSeconds && math.Abs(sent) <= maxSeconds) {
		return calibrate.Request{}, fmt.Sprintf("a request with its first token after %g s and its last one after %g s: times must be in seconds and in order", first, last)
	}
	return calibrate.NewRequest(sent, sent+first, sent+last, int(input), int(output)), ""
}

// maxSeconds keeps times within whole nanoseconds of 64 bits.
const maxSeconds = 4e9
