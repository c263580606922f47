// SPDX-License-Identifier: Apache-2.0

package results

import (
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// isPerRequest reports whether rows are a log of requests of inference-perf.
func isPerRequest(rows []any) bool {
	if len(rows) == 0 {
		return false
	}
	first, is := rows[0].(map[string]any)
	return is && first["start_time"] != nil && first["end_time"] != nil
}

// inferencePerfLog reads the lifecycle metrics of single requests of inference-perf.
func (r *reader) inferencePerfLog(rows []any) Result {
	var res Result
	failures := 0
	for i, row := range rows {
		fields, is := row.(map[string]any)
		at := field.NewPath(fmt.Sprintf("[%d]", i))
		if !is {
			r.errs = append(r.errs, field.Invalid(at, field.OmitValueType{}, "must be an object"))
			return res
		}
		o := r.object(fields, at)
		if o.has("error") {
			failures++
			continue
		}
		o.inferencePerfRequest(&res)
		if len(r.errs) > 0 {
			return res // the others are wrong alike
		}
	}
	if len(res.Requests) == 0 {
		r.whole("no request has an answer")
	}
	res.failed(float64(failures), float64(len(rows)))
	res.Load.Requests = len(res.Requests)
	return res
}

// inferencePerfRequest reads a request. Where its numbers are depends on the version.
func (o object) inferencePerfRequest(res *Result) {
	start := o.known("start_time", "when the request was sent")
	info := o.child("info")
	response, computed := info.child("response_metrics"), o.child("computed_metrics")
	input := first(computed.number("input_tokens"), info.below("request_metrics", "text").number("input_tokens"), info.number("input_tokens"))
	output := first(computed.number("output_tokens"), response.number("output_tokens"), info.number("output_tokens"))
	times := response.numbers("output_token_times")
	if times == nil {
		times = info.numbers("output_token_times")
	}
	ttft, last := computed.number("time_to_first_token"), o.known("end_time", "when the answer ended")
	if len(times) > 0 {
		ttft, last = first(ttft, times[0]-start), times[len(times)-1]
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"input_tokens", input}, {"output_tokens", output}, {"output_token_times", ttft}} {
		if math.IsNaN(v.value) {
			o.reader.errs = append(o.reader.errs, field.Required(info.at(v.name), "the log needs it of each request: inference-perf writes it where answers are streamed"))
		}
	}
	if len(o.reader.errs) > 0 {
		return
	}
	q, fault := request(start, ttft, last-start, input, output)
	if fault != "" {
		o.reader.errs = append(o.reader.errs, field.Invalid(o.at("info"), field.OmitValueType{}, fault))
		return
	}
	res.Requests = append(res.Requests, q)
}

// first is the first number that is known.
func first(values ...float64) float64 {
	for _, v := range values {
		if !math.IsNaN(v) {
			return v
		}
	}
	return math.NaN()
}
