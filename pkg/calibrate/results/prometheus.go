// SPDX-License-Identifier: Apache-2.0

package results

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// The metrics of vLLM that a run is made of.
const (
	ttftSeconds   = "vllm:time_to_first_token_seconds"
	e2eSeconds    = "vllm:e2e_request_latency_seconds"
	tpotSeconds   = "vllm:request_time_per_output_token_seconds"
	promptTokens  = "vllm:request_prompt_tokens"
	answerTokens  = "vllm:request_generation_tokens"
	itlSeconds    = "vllm:inter_token_latency_seconds"
	oldITLSeconds = "vllm:time_per_output_token_seconds" // until vLLM 0.11
)

// otherEngines are the prefixes of the metrics of engines that are no vLLM.
var otherEngines = []struct{ prefix, engine string }{
	{"sglang:", "SGLang"}, {"sglang_", "SGLang"}, {"tgi_", "TGI"}, {"nv_trt_llm_", "TensorRT-LLM"}, {"trtllm_", "TensorRT-LLM"},
}

// looksLikeScrape reports whether a text is a scrape of metrics.
func looksLikeScrape(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte("# HELP ")) || bytes.HasPrefix(raw, []byte("# TYPE ")) || bytes.HasPrefix(raw, []byte("vllm:")) {
		return true
	}
	for _, other := range otherEngines {
		if bytes.HasPrefix(raw, []byte(other.prefix)) {
			return true
		}
	}
	return false
}

// ReadScrapes reads two scrapes of vLLM's metrics: what it served between them, which took so
// many seconds; 0 seconds is unknown.
func ReadScrapes(before, after []byte, seconds float64) (Result, field.ErrorList) {
	r := &reader{}
	all := r.scrape(after, before, seconds)
	if len(r.errs) > 0 {
		return Result{}, r.errs
	}
	return all[0], nil
}

// histogram has the counts of values up to bounds, and their sum.
type histogram struct {
	upTo       map[float64]float64
	sum, count float64
}

func (h *histogram) mean() float64 { return h.sum / h.count }

// scrape reads what an engine served from its start on, or since an earlier scrape.
func (r *reader) scrape(raw, before []byte, seconds float64) []Result {
	now, model := r.histograms(raw)
	if before != nil {
		earlier, _ := r.histograms(before)
		r.subtract(now, earlier)
	}
	res := Result{Model: model, Figures: unmeasured()}
	for _, name := range []string{ttftSeconds, promptTokens, answerTokens} {
		if h := now[name]; len(r.errs) == 0 && (h == nil || h.count == 0) {
			r.errs = append(r.errs, field.Required(field.NewPath(name), "the scrape counts nothing in this histogram"))
		}
	}
	if len(r.errs) > 0 {
		return nil
	}
	requests := min(now[answerTokens].count, maxRequests)
	res.Load.Requests = max(int(requests), 1)
	res.Load.Arrivals = calibrate.PoissonArrivals
	res.Load.Input, res.Load.Output = now[promptTokens].lengths(), now[answerTokens].lengths()
	r.scrapeFigures(&res, now, requests)
	res.drawn()
	res.note("the buckets of the histograms are wide: lengths are drawn within them, and of latencies only the means, which are exact, are fitted to")
	if seconds > 0 {
		res.Load.Rate = requests / seconds
		return []Result{res}
	}
	res.Unpaced = field.Required(field.NewPath("report", "seconds"), "a scrape has no clock: say how many seconds its requests took to come, from the scrape report.before on or from the engine's start, or report.concurrency if that number was in flight all the time")
	return []Result{res}
}

// scrapeFigures are the means. That of all gaps between tokens says how much later than its
// first token an answer ends.
func (r *reader) scrapeFigures(res *Result, now map[string]*histogram, requests float64) {
	ttft := now[ttftSeconds].mean()
	res.Figures[calibrate.TTFT][calibrate.Mean] = ttft
	if h := now[tpotSeconds]; h != nil && h.count > 0 {
		res.Figures[calibrate.TPOT][calibrate.Mean] = h.mean()
	}
	gaps := now[itlSeconds]
	if gaps == nil {
		gaps = now[oldITLSeconds]
	}
	switch h := now[e2eSeconds]; {
	case h != nil && h.count > 0:
		res.Figures[calibrate.E2E][calibrate.Mean] = h.mean()
	case gaps != nil && gaps.count > 0:
		res.Figures[calibrate.E2E][calibrate.Mean] = ttft + gaps.sum/requests
	default:
		r.errs = append(r.errs, field.Required(field.NewPath(e2eSeconds), "without it or "+itlSeconds+" the scrape does not say how long answers took"))
	}
}

// lengths are spread evenly within buckets, and have the mean of the histogram.
func (h *histogram) lengths() lengths {
	q := quantiles{stats.Quantiles{{Share: 0, Value: 1}}}
	bounds := slices.Sorted(maps.Keys(h.upTo))
	for _, bound := range bounds {
		if h.upTo[bound] > 0 && !math.IsInf(bound, 1) {
			q.add(h.upTo[bound]/h.count, bound)
		} else if !math.IsInf(bound, 1) {
			q.Quantiles[0].Value = bound
		}
	}
	if len(q.Quantiles) < 2 {
		return constant(h.mean())
	}
	return q.ScaledTo(h.mean())
}

// subtract leaves what came since an earlier scrape.
func (r *reader) subtract(now, earlier map[string]*histogram) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		h, e := now[name], earlier[name]
		if e == nil {
			continue
		}
		if e.count > h.count || e.sum > h.sum {
			r.errs = append(r.errs, field.Invalid(field.NewPath(name), field.OmitValueType{}, "counts less than in the scrape before: the engine started again in between, or the scrapes are in the wrong order"))
			return
		}
		h.count, h.sum = h.count-e.count, h.sum-e.sum
		for bound := range h.upTo {
			h.upTo[bound] -= e.upTo[bound]
		}
	}
}

// histograms reads a scrape: the histograms of vLLM that a run needs, summed over engines,
// and the model.
func (r *reader) histograms(raw []byte) (map[string]*histogram, string) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(raw))
	if err != nil {
		r.whole("is no scrape: " + err.Error())
		return nil, ""
	}
	all, models := map[string]*histogram{}, map[string]bool{}
	for _, name := range []string{ttftSeconds, e2eSeconds, tpotSeconds, promptTokens, answerTokens, itlSeconds, oldITLSeconds} {
		for _, m := range families[name].GetMetric() {
			if h := m.GetHistogram(); h != nil {
				all[name] = all[name].plus(h)
				models[labelOf(m, "model_name")] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(models))
	switch {
	case len(all) == 0 && otherMetrics(families) != "":
		r.whole(fmt.Sprintf("holds metrics of %s, and the coefficients are of vLLM: only its metrics can be calibrated to", otherMetrics(families)))
	case len(all) == 0:
		r.whole("holds none of vLLM's histograms with its line of # TYPE, such as " + ttftSeconds)
	case len(models) > 1:
		r.whole(fmt.Sprintf("holds several models (%s): scrape an engine with one", strings.Join(names, ", ")))
	default:
		return all, names[0]
	}
	return all, ""
}

// plus adds what one engine counted; to nothing where h is nil.
func (h *histogram) plus(o *dto.Histogram) *histogram {
	if h == nil {
		h = &histogram{upTo: map[float64]float64{}}
	}
	h.sum += o.GetSampleSum()
	h.count += float64(o.GetSampleCount())
	for _, b := range o.GetBucket() {
		h.upTo[b.GetUpperBound()] += float64(b.GetCumulativeCount())
	}
	return h
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// otherMetrics is the engine other than vLLM whose metrics a scrape holds; empty where it
// holds none.
func otherMetrics(families map[string]*dto.MetricFamily) string {
	for _, o := range otherEngines {
		for name := range families {
			if strings.HasPrefix(name, o.prefix) {
				return o.engine
			}
		}
	}
	return ""
}
