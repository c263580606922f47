// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// exampleEngine and exampleTruth are what the examples in testdata were simulated with. Each
// has the shape that its tool writes.
func exampleEngine() calibrate.Engine {
	model, _ := latency.Builtin().Model("Llama-3.1-8B")
	gpu, _ := latency.Builtin().Accelerator("rtx-4090")
	return calibrate.Engine{
		Instance:    latency.Instance{Model: model, Accelerator: gpu, TensorParallelism: 1},
		BlockTokens: 16, KVBlocks: 2400, MaxNumSeqs: 64, MaxNumBatchedTokens: 2048, MaxModelLen: 8192,
		PrefixCaching: true, ReserveFullPrompt: true,
	}
}

func exampleTruth() latency.RooflineCoefficients {
	c := exampleEngine().DefaultRoofline()
	c.MemoryEfficiency, c.PrefillEfficiency, c.DecodeEfficiency = 0.78, 0.66, 0.66
	return c
}

const exampleRequests = 60

// exampleLoad has prompts of 200 to 599 and answers of 20 to 99 tokens.
func exampleLoad() calibrate.Load {
	return calibrate.Load{
		Requests: exampleRequests, Arrivals: calibrate.PoissonArrivals,
		Input:  func(share float64) float64 { return 200 + math.Floor(400*share) },
		Output: func(share float64) float64 { return 20 + math.Floor(80*share) },
	}
}

// example is a benchmark: its requests, what was measured of each, and when they were sent.
type example struct {
	run   *calibrate.Run
	times []calibrate.Times
	sent  []float64
}

// simulated returns a closed loop of 4, or an open loop of 3 requests per second.
func simulated(t *testing.T, l calibrate.Load) example {
	t.Helper()
	run := calibrate.NewReportedRun("example", exampleEngine(), l, calibrate.Figures{})
	times, err := run.Replay(t.Context(), exampleTruth(), 0)
	if err != nil {
		t.Fatal(err)
	}
	e := example{run: run, times: times}
	for _, q := range run.Requests {
		e.sent = append(e.sent, 100+q.Queued.Sub(0).Seconds())
	}
	return e
}

func closedLoop(l calibrate.Load) calibrate.Load { l.Concurrency = 4; return l }
func openLoop(l calibrate.Load) calibrate.Load   { l.Rate = 3; return l }

// digits rounds to six decimal places, as the examples are written.
func digits(v float64) float64 { return math.Round(v*1e6) / 1e6 }

func (e example) list(of func(i int) float64) []float64 {
	all := make([]float64, len(e.times))
	for i := range all {
		all[i] = digits(of(i))
	}
	return all
}

func (e example) input(i int) float64  { return float64(e.run.Requests[i].InputTokens) }
func (e example) output(i int) float64 { return float64(e.run.Requests[i].OutputTokens) }

// summary has the statistics of values under the names of a format.
func summary(values []float64, median string, unit float64) map[string]any {
	sorted := slices.Sorted(slices.Values(values))
	at := func(share float64) float64 {
		x := share * float64(len(sorted)-1)
		low := int(x)
		return digits((sorted[low] + (x-float64(low))*(sorted[min(low+1, len(sorted)-1)]-sorted[low])) * unit)
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	m := map[string]any{"mean": digits(sum / float64(len(values)) * unit), "min": at(0), "max": at(1), median: at(0.5)}
	for _, p := range []int{10, 25, 75, 90, 95, 99} {
		m[fmt.Sprintf("p%d", p)] = at(float64(p) / 100)
	}
	return m
}

func (e example) ttft(i int) float64 { return e.times[i].TTFT }
func (e example) tpot(i int) float64 { return e.times[i].TPOT }
func (e example) e2e(i int) float64  { return e.times[i].E2E }

// vllm is a result of vllm bench serve.
func (e example) vllm(detailed bool) map[string]any {
	m := map[string]any{
		"date": "20261101-101010", "backend": "vllm", "label": nil, "model_id": "meta-llama/Llama-3.1-8B-Instruct",
		"num_prompts": len(e.times), "request_rate": "inf", "burstiness": 1.0, "max_concurrency": nil, "completed": len(e.times), "failed": 0,
		"duration":           20.0,
		"total_input_tokens": sum(e.list(e.input)), "total_output_tokens": sum(e.list(e.output)),
	}
	if c := e.run.Concurrency; c > 0 {
		m["max_concurrency"] = c
	} else {
		m["request_rate"] = 3.0
	}
	for name, of := range map[string]func(int) float64{"ttft": e.ttft, "tpot": e.tpot} {
		s := summary(e.list(of), "median", 1e3)
		m["mean_"+name+"_ms"], m["median_"+name+"_ms"], m["p99_"+name+"_ms"] = s["mean"], s["median"], s["p99"]
	}
	if !detailed {
		return m
	}
	m["input_lens"], m["output_lens"], m["ttfts"] = e.list(e.input), e.list(e.output), e.list(e.ttft)
	gaps := make([][]float64, len(e.times))
	for i := range gaps {
		for range int(e.output(i)) - 1 {
			gaps[i] = append(gaps[i], digits(e.tpot(i)))
		}
	}
	m["itls"], m["errors"] = gaps, make([]string, len(gaps))
	return m
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// guide is a benchmark of a report of guidellm.
func (e example) guide(strategy map[string]any) map[string]any {
	of := func(f func(int) float64, unit float64) any {
		s := summary(e.list(f), "p50", unit)
		p := map[string]any{}
		for _, name := range []string{"p10", "p25", "p50", "p75", "p90", "p95", "p99"} {
			p[name] = s[name]
		}
		return map[string]any{"successful": map[string]any{"mean": s["mean"], "min": s["min"], "max": s["max"], "percentiles": p}}
	}
	return map[string]any{
		"config":   map[string]any{"strategy": strategy, "backend": map[string]any{"model": "meta-llama/Llama-3.1-8B-Instruct"}},
		"duration": 20.0,
		"metrics": map[string]any{
			"request_totals":         map[string]any{"successful": len(e.times), "errored": 0, "incomplete": 0, "total": len(e.times)},
			"request_latency":        of(e.e2e, 1),
			"time_to_first_token_ms": of(e.ttft, 1e3),
			"prompt_token_count":     of(e.input, 1),
			"output_token_count":     of(e.output, 1),
		},
	}
}

// stage is a report of inference-perf.
func (e example) stage(load map[string]any) map[string]any {
	load["count"] = len(e.times)
	return map[string]any{
		"benchmark_time_seconds": 20.0, "load_summary": load,
		"successes": map[string]any{
			"count": len(e.times),
			"latency": map[string]any{
				"request_latency":       summary(e.list(e.e2e), "median", 1),
				"time_to_first_token":   summary(e.list(e.ttft), "median", 1),
				"time_per_output_token": summary(e.list(e.tpot), "median", 1),
			},
			"prompt_tokens": summary(e.list(e.input), "median", 1),
			"output_len":    summary(e.list(e.output), "median", 1),
		},
		"failures": map[string]any{"count": 0},
	}
}

// perRequest is a log of requests of inference-perf.
func (e example) perRequest() []any {
	var all []any
	for i := range e.times {
		first, last := digits(e.sent[i]+e.ttft(i)), digits(e.sent[i]+e.e2e(i))
		all = append(all, map[string]any{
			"start_time": digits(e.sent[i]), "end_time": last, "error": nil,
			"info": map[string]any{
				"request_metrics":  map[string]any{"text": map[string]any{"input_tokens": e.input(i)}},
				"response_metrics": map[string]any{"output_tokens": e.output(i), "output_token_times": []float64{first, last}},
			},
		})
	}
	return all
}

// reportV01 is a Benchmark Report 0.1.
func (e example) reportV01() map[string]any {
	unit := func(f func(int) float64, units string, scale float64) any {
		s := summary(e.list(f), "p50", scale)
		s["units"] = units
		return s
	}
	return map[string]any{
		"version": "0.1",
		"scenario": map[string]any{
			"model": map[string]any{"name": "meta-llama/Llama-3.1-8B-Instruct"},
			"host":  map[string]any{"type": []string{"replica"}, "accelerator": []any{map[string]any{"model": "NVIDIA-RTX-4090", "count": 1, "parallelism": map[string]any{"tp": 1}}}},
			"load":  map[string]any{"name": "vllm-benchmark", "args": map[string]any{"num_prompts": len(e.times), "request_rate": "inf", "max_concurrency": 4}},
		},
		"metrics": map[string]any{
			"time": map[string]any{"duration": 20.0},
			"requests": map[string]any{
				"total":        len(e.times),
				"input_length": unit(e.input, "count", 1), "output_length": unit(e.output, "count", 1),
			},
			"latency": map[string]any{
				"time_to_first_token":   unit(e.ttft, "ms", 1e3),
				"time_per_output_token": unit(e.tpot, "ms/token", 1e3),
				"request_latency":       unit(e.e2e, "s", 1),
			},
		},
	}
}

// scrape is what vLLM's metrics say after the example was sent a number of times.
func (e example) scrape(times float64) string {
	var b strings.Builder
	labels := `engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"`
	for _, h := range []struct {
		name   string
		of     func(int) float64
		bounds []float64
	}{
		{"vllm:time_to_first_token_seconds", e.ttft, []float64{0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 1}},
		{"vllm:e2e_request_latency_seconds", e.e2e, []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5}},
		{"vllm:request_time_per_output_token_seconds", e.tpot, []float64{0.01, 0.025, 0.05}},
		{"vllm:request_prompt_tokens", e.input, []float64{100, 200, 500, 1000}},
		{"vllm:request_generation_tokens", e.output, []float64{10, 20, 50, 100, 200}},
	} {
		values := e.list(h.of)
		fmt.Fprintf(&b, "# HELP %s Histogram of the example.\n# TYPE %s histogram\n", h.name, h.name)
		for _, bound := range h.bounds {
			n := 0
			for _, v := range values {
				if v <= bound {
					n++
				}
			}
			fmt.Fprintf(&b, "%s_bucket{%s,le=\"%g\"} %g\n", h.name, labels, bound, float64(n)*times)
		}
		fmt.Fprintf(&b, "%s_bucket{%s,le=\"+Inf\"} %g\n", h.name, labels, float64(len(values))*times)
		fmt.Fprintf(&b, "%s_count{%s} %g\n%s_sum{%s} %g\n", h.name, labels, float64(len(values))*times, h.name, labels, digits(sum(values)*times))
	}
	fmt.Fprintf(&b, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{%s} 0\n", labels)
	return b.String()
}

// rows are results of InferenceX: closed loops, whose lengths are between 0.8 and 1 times the
// stated ones, on one GPU and on two, and a row of another engine.
func rows(t *testing.T) []map[string]any {
	var all []map[string]any
	for _, concurrency := range []int{2, 8} {
		l := calibrate.Load{Requests: 10 * concurrency, Concurrency: concurrency, Input: uniform(320, 400), Output: uniform(80, 100)}
		e := simulated(t, l)
		ttft, tpot := summary(e.list(e.ttft), "median", 1), summary(e.list(e.tpot), "median", 1)
		all = append(all, map[string]any{
			"hw": "rtx4090", "framework": "vllm", "model": "meta-llama/Llama-3.1-8B-Instruct", "precision": "bf16",
			"tp": 1, "ep": 1, "dp_attention": "false", "spec_decoding": "none", "disagg": false,
			"conc": concurrency, "isl": 400, "osl": 100,
			"mean_ttft": ttft["mean"], "median_ttft": ttft["median"], "p99_ttft": ttft["p99"],
			"mean_tpot": tpot["mean"], "median_tpot": tpot["median"], "p99_tpot": tpot["p99"],
		})
	}
	for key, value := range map[string]any{"tp": 2, "framework": "sglang"} {
		other := map[string]any{}
		for k, v := range all[0] {
			other[k] = v
		}
		other[key] = value
		all = append(all, other)
	}
	slices.SortStableFunc(all, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(b["framework"]), fmt.Sprint(a["framework"]))
	})
	return all
}

// TestWriteExamples writes testdata, with -update.
func TestWriteExamples(t *testing.T) {
	if !*golden.Update {
		t.Skip("writes testdata, with -update only")
	}
	closed, open := simulated(t, closedLoop(exampleLoad())), simulated(t, openLoop(exampleLoad()))
	write := func(name string, v any) {
		t.Helper()
		text, is := v.(string)
		if !is {
			raw, err := json.MarshalIndent(v, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw) + "\n"
		}
		testfile.Write(t, "testdata/"+name, []byte(text))
	}
	compact := func(v any) string {
		raw := jsontest.Encode(t, v)
		return string(raw) + "\n"
	}
	write("vllm-bench-detailed.json", compact(closed.vllm(true)))
	write("vllm-bench-detailed-open.json", compact(open.vllm(true)))
	equal := closedLoop(exampleLoad())
	equal.Input, equal.Output = constant(400), constant(60)
	write("vllm-bench.json", simulated(t, equal).vllm(false))
	write("guidellm.json", map[string]any{"metadata": map[string]any{"version": 2}, "benchmarks": []any{
		closed.guide(map[string]any{"type_": "concurrent", "streams": 4}), open.guide(map[string]any{"type_": "poisson", "rate": 3.0}),
	}})
	write("stage_0_lifecycle_metrics.json", open.stage(map[string]any{"requested_rate": 3.0, "achieved_rate": 3.0}))
	write("stage_1_lifecycle_metrics.json", closed.stage(map[string]any{"concurrency": 4}))
	write("per_request_lifecycle_metrics.json", compact(open.perRequest()))
	write("benchmark_report_v0.1.yaml", closed.reportV01())
	write("before.prom", open.scrape(1))
	write("after.prom", open.scrape(2))
	table := rows(t)
	write("inferencex.json", table)
	header := []string{"hw", "framework", "model", "precision", "tp", "conc", "isl", "osl", "mean_ttft", "mean_tpot"}
	lines := []string{strings.Join(header, ",")}
	for _, row := range table {
		var words []string
		for _, name := range header {
			words = append(words, fmt.Sprint(row[name]))
		}
		lines = append(lines, strings.Join(words, ","))
	}
	write("inferencex.csv", strings.Join(lines, "\n")+"\n")
}
