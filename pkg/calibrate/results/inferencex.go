// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// InferenceX draws lengths evenly between a share of the stated one and all of it, and sends
// ten requests for each one in flight.
const (
	inferenceXLeast       = 0.8
	inferenceXRequestsPer = 10
)

func isInferenceX(o object) bool { return o.has("conc") && o.has("isl") && o.has("osl") }

// inferenceXHeader returns the header of rows as CSV.
func inferenceXHeader(raw []byte) ([]string, bool) {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	header, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil {
		return nil, false
	}
	for i := range header {
		header[i] = strings.ToLower(strings.TrimSpace(header[i]))
	}
	has := func(name string) bool { return slices.Contains(header, name) }
	return header, has("conc") && has("isl") && has("osl")
}

// csvRows reads the rows below a header. An empty value is none.
func (r *reader) csvRows(raw []byte, header []string) []object {
	lines := csv.NewReader(bytes.NewReader(raw))
	lines.FieldsPerRecord = len(header)
	records, err := lines.ReadAll()
	if err != nil {
		r.whole("is not CSV: " + err.Error())
		return nil
	}
	var rows []object
	for i, record := range records[1:] {
		fields := map[string]any{}
		for k, v := range record {
			if v = strings.TrimSpace(v); v != "" {
				fields[header[k]] = v
			}
		}
		rows = append(rows, r.object(fields, field.NewPath(fmt.Sprintf("line %d", i+2))))
	}
	return rows
}

// inferenceX reads the rows of vLLM with a tensor parallelism, and says which it leaves out.
func (r *reader) inferenceX(rows []object, tensorParallelism int) []Result {
	left := map[string]int{}
	var kept []object
	for _, o := range rows {
		if why := o.leftOut(tensorParallelism); why != "" {
			left[why]++
		} else {
			kept = append(kept, o)
		}
	}
	if len(r.errs) > 0 {
		return nil
	}
	var out []string
	for _, why := range slices.Sorted(maps.Keys(left)) {
		out = append(out, fmt.Sprintf("%d of %s", left[why], why))
	}
	if len(kept) == 0 {
		return r.whole(fmt.Sprintf("has no row of vLLM at tensor parallelism %d alone; it has %s", tensorParallelism, strings.Join(out, ", ")))
	}
	r.oneEngine(kept)
	var all []Result
	for _, o := range kept {
		all = append(all, o.inferenceX())
	}
	all[0].note("rows have no single requests: %d for each one in flight are replayed, with lengths between %g and 1 times the stated ones, as InferenceX sends them", inferenceXRequestsPer, inferenceXLeast)
	if len(out) > 0 {
		all[0].note("rows of the file are left out: %s", strings.Join(out, ", "))
	}
	return all
}

// leftOut says why a row is of another engine than the run's; empty where it is not.
func (o object) leftOut(tensorParallelism int) string {
	yes := func(name string) bool { return strings.EqualFold(o.text(name), "true") || o.text(name) == "1" }
	set := func(name string) bool {
		v := strings.ToLower(o.text(name))
		return v != "" && v != "none" && v != "off"
	}
	switch framework := strings.ToLower(o.text("framework")); {
	case framework != "" && framework != "vllm":
		return framework
	case yes("disagg") || yes("is_multinode"):
		return "prefill and decode on engines of their own"
	case yes("dp_attention"):
		return "data-parallel attention"
	case set("mtp") || set("spec_decoding"):
		return "speculative decoding"
	}
	if tp := o.needed("tp", "the GPUs of a replica"); int(tp) != tensorParallelism && tp > 0 {
		return fmt.Sprintf("tensor parallelism %g", tp)
	}
	if ep := o.number("ep"); ep > 1 {
		return "expert parallelism"
	}
	return ""
}

// oneEngine refuses rows of several models or GPUs: no settings describe them.
func (r *reader) oneEngine(rows []object) {
	for _, name := range []string{"model", "hw", "precision"} {
		seen := map[string]bool{}
		for _, o := range rows {
			seen[o.text(name)] = true
		}
		if len(seen) > 1 {
			r.errs = append(r.errs, field.Invalid(rows[0].at(name), field.OmitValueType{},
				fmt.Sprintf("the rows are of several (%s): write those of each into a file of its own", strings.Join(slices.Sorted(maps.Keys(seen)), ", "))))
		}
	}
}

// inferenceX reads a row, which is a closed loop.
func (o object) inferenceX() Result {
	res := Result{Model: o.text("model"), TensorParallelism: o.count("tp", maxConcurrency, "the GPUs of a replica"), Figures: vllmFigures(o)}
	concurrency := o.count("conc", maxConcurrency, "the requests in flight")
	isl, osl := o.needed("isl", "the tokens of a prompt"), o.needed("osl", "the tokens of an answer")
	res.Part = fmt.Sprintf("%d in flight, %g+%g tokens", concurrency, isl, osl)
	res.Load = calibrate.Load{
		Requests: inferenceXRequestsPer * concurrency, Concurrency: concurrency,
		Arrivals: calibrate.PoissonArrivals,
		Input:    uniform(inferenceXLeast*isl, isl), Output: uniform(inferenceXLeast*osl, osl),
	}
	if !measured(res.Figures) {
		o.reader.errs = append(o.reader.errs, field.Required(o.at("mean_ttft"), "the row has no mean of TTFT, TPOT and E2E"))
	}
	return res
}
