// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// measuredLoad is a load of which figures were measured, and pointSet what points have in
// common.
type measuredLoad struct {
	set string
	run *Run
}

// pointSet are points of one model, in one line of the page.
type pointSet struct {
	name    string
	metrics []Metric
	// fitted are the metrics whose constants were rounded from a fit to these points.
	fitted []Metric
	check  latency.Check
}

// The sets were told apart before anything was fitted: of the closed loops two and eight
// GPUs, and of the open ones the smallest model, for the way to the engine alone.
var pointSets = []pointSet{
	{"Llama-3.1-70B in FP8, TP 2 and 8", []Metric{TPOT, TTFT}, []Metric{TPOT, TTFT}, latency.Check{Kind: latency.Dense, TensorParallelism: []int{2, 8}, Weights: latency.FP8, FromVersion: "0.10", ToVersion: "0.11", Source: "Llama-3.1-70B, closed loops on engines of 2025"}},
	{"Llama-3.1-70B in FP8, TP 4", []Metric{TPOT, TTFT}, nil, latency.Check{Kind: latency.Dense, TensorParallelism: []int{4}, Weights: latency.FP8, FromVersion: "0.10", ToVersion: "0.11", Source: "Llama-3.1-70B, closed loops on engines of 2025"}},
	{"gpt-oss-120b, TP 2 and 8", []Metric{TPOT, TTFT}, []Metric{TPOT, TTFT}, latency.Check{Kind: latency.Experts, TensorParallelism: []int{2, 8}, Weights: latency.MXFP4, FromVersion: "0.18", ToVersion: "0.18", Source: "gpt-oss-120b, closed loops"}},
	{"gpt-oss-120b, TP 4", []Metric{TPOT, TTFT}, nil, latency.Check{Kind: latency.Experts, TensorParallelism: []int{4}, Weights: latency.MXFP4, FromVersion: "0.18", ToVersion: "0.18", Source: "gpt-oss-120b, closed loops"}},
	{"Llama-3.1-8B, TP 1", []Metric{TPOT, TTFT, E2E}, []Metric{TTFT}, latency.Check{Kind: latency.Dense, TensorParallelism: []int{1}, Weights: latency.BF16, FromVersion: "0.15", ToVersion: "0.15", Source: "Llama-3.1-8B, open loops under light load"}},
	{"Qwen3-14B, TP 1", []Metric{TPOT, TTFT, E2E}, nil, latency.Check{Kind: latency.Dense, TensorParallelism: []int{1}, Weights: latency.BF16, FromVersion: "0.15", ToVersion: "0.15", Source: "Qwen3-14B, open loops under light load"}},
	{"Mixtral-8x7B, TP 2", []Metric{TPOT, TTFT, E2E}, nil, latency.Check{Kind: latency.Experts, TensorParallelism: []int{2}, Weights: latency.BF16, FromVersion: "0.15", ToVersion: "0.15", Source: "Mixtral-8x7B, open loops under light load"}},
}

// directCost is what the way to the engine costs a client of its API server.
var directCost = latency.DirectWay.Cost()

// uniform are lengths between 0.8 and 1 times a figure.
func uniform(most float64) func(float64) float64 {
	return func(share float64) float64 { return most * (0.8 + 0.2*share) }
}

func constantLength(n float64) func(float64) float64 { return func(float64) float64 { return n } }

func records(t testing.TB, parts ...string) []map[string]string {
	t.Helper()
	file := testfile.Open(t, testdata.File(t, parts...))
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, row := range rows[1:] {
		r := map[string]string{}
		for i, name := range rows[0] {
			r[name] = row[i]
		}
		all = append(all, r)
	}
	return all
}

func number(t testing.TB, r map[string]string, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[name], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fittedGPUs names the numbers of GPUs that a closed loop was fitted or held out with.
func fittedGPUs(tp int) string {
	if tp == 4 {
		return "4"
	}
	return "2 and 8"
}

// closedLoopPoints reads the points of InferenceX but for those that are there twice or
// cannot be what they say (the README of the data).
func closedLoopPoints(t testing.TB) []*measuredLoad {
	t.Helper()
	seen := map[string]bool{}
	var points []*measuredLoad
	for _, r := range records(t, "serving", "h100-vllm.csv") {
		concurrency := int(number(t, r, "batch_size"))
		isl, osl, tp := number(t, r, "isl"), number(t, r, "osl"), int(number(t, r, "tp_size"))
		name := fmt.Sprintf("%s TP %d, %v/%v, %d", r["model_path"], tp, isl, osl, concurrency)
		dense := strings.Contains(r["model_path"], "Llama")
		key := name + r["silicon_ttft_ms"] + r["silicon_tpot_ms"]
		if seen[key] || concurrency == 512 || dense && tp == 2 && concurrency == 64 && isl+osl > 2048 {
			continue
		}
		seen[key] = true
		i := instance("gpt-oss-120b", "h100-sxm")
		i.EngineVersion = 18
		set := fmt.Sprintf("gpt-oss-120b, TP %s", fittedGPUs(tp))
		if dense {
			i = instance("Llama-3.1-70B", "h100-sxm")
			i.EngineVersion = 11
			i.Quantization = latency.Quantization{Weights: latency.FP8, KVCache: latency.FP8}
			set = fmt.Sprintf("Llama-3.1-70B in FP8, TP %s", fittedGPUs(tp))
		}
		i.TensorParallelism = tp
		e := Engine{
			Instance: i, BlockTokens: 16, MaxNumSeqs: concurrency, MaxNumBatchedTokens: 8192, MaxModelLen: i.Model.ContextTokens,
			KVBlocks: 1 << 20, Cost: directCost, ReserveFullPrompt: true,
			AsynchronousScheduling: i.EngineVersion.AsynchronousScheduling(),
		}
		if dense && tp == 2 {
			e.KVBlocks = 250_000 / 16
		}
		var f Figures
		f[TTFT][Mean], f[TPOT][Mean] = number(t, r, "silicon_ttft_ms")/1e3, number(t, r, "silicon_tpot_ms")/1e3
		points = append(points, &measuredLoad{set: set, run: NewReportedRun(name, e, Load{
			Requests: 10 * concurrency, Concurrency: concurrency, Input: uniform(isl), Output: uniform(osl), BlockTokens: 16,
		}, f)})
	}
	return points
}

func openLoopPoints(t testing.TB) []*measuredLoad {
	t.Helper()
	models := map[string]string{"Mixtral-8x7B-v0.1": "Mixtral-8x7B", "Qwen3-14B": "Qwen3-14B", "Llama-3.1-8B-Instruct": "Llama-3.1-8B"}
	rows := records(t, "serving", "h100-vllm-0.15-open-loop.csv")
	stages := map[string]int{}
	for _, r := range rows {
		stages[r["run"]]++
	}
	var points []*measuredLoad
	for _, r := range rows {
		i := instance(models[r["model"]], "h100-sxm")
		i.EngineVersion = 15
		i.TensorParallelism = int(number(t, r, "tp"))
		blocks, err := i.KVBlocks(16, i.DefaultMemoryBudget())
		if err != nil {
			t.Fatal(err)
		}
		e := Engine{
			Instance: i, BlockTokens: 16, MaxNumSeqs: 128, MaxNumBatchedTokens: int(number(t, r, "max_num_batched_tokens")),
			MaxModelLen: i.Model.ContextTokens, KVBlocks: blocks, Cost: directCost, ReserveFullPrompt: true, PrefixCaching: true,
			AsynchronousScheduling: true,
		}
		rate := number(t, r, "requests_per_s")
		prompt := number(t, r, "system_prompt_tokens") + number(t, r, "question_tokens")
		seconds := 1200.
		if stages[r["run"]] > 1 {
			seconds = 600
		}
		var f Figures
		f[TTFT][Mean], f[TPOT][Mean], f[E2E][Mean] = number(t, r, "ttft_mean_ms")/1e3, number(t, r, "itl_mean_ms")/1e3, number(t, r, "e2e_mean_ms")/1e3
		points = append(points, &measuredLoad{set: models[r["model"]] + fmt.Sprintf(", TP %d", i.TensorParallelism), run: NewReportedRun(fmt.Sprintf("%s %v/s", r["run"], rate), e, Load{
			Requests: int(rate * seconds), Rate: rate, Arrivals: PoissonArrivals, Input: constantLength(prompt), Output: constantLength(number(t, r, "output_tokens")),
			BlockTokens: 16, PrefixTokens: int(prompt), Prefixes: int(number(t, r, "prompt_groups") * number(t, r, "prompts_per_group")),
		}, f)})
	}
	return points
}

// measuredPoints are all of them.
func measuredPoints(t testing.TB) []*measuredLoad {
	return append(closedLoopPoints(t), openLoopPoints(t)...)
}

// change is one thing less than the defaults.
type change struct {
	name string
	run  func(*Run)
	cost func(*latency.RooflineCoefficients, latency.Instance)
}

// ratios replays the points and returns simulated ÷ measured means by set and metric.
func ratios(t testing.TB, points []*measuredLoad, c change) map[string][Metrics][]float64 {
	t.Helper()
	each := make([]Figures, len(points))
	sideBySide(runtime.GOMAXPROCS(0), len(points), func(n int) {
		run := *points[n].run
		if c.run != nil {
			c.run(&run)
		}
		costs := run.Engine.DefaultRoofline()
		if c.cost != nil {
			c.cost(&costs, run.Engine.Instance)
		}
		all, err := run.Replay(t.Context(), costs, 0)
		if err != nil {
			t.Error(err)
			return
		}
		each[n] = FiguresOf(all)
	})
	by := map[string][Metrics][]float64{}
	for n, p := range points {
		of := by[p.set]
		for m := range Metrics {
			of[m] = append(of[m], each[n][m][Mean]/p.run.Figures[m][Mean])
		}
		by[p.set] = of
	}
	return by
}

// checks returns the rows of the points for the table of checks.
func (v *validation) checks() latency.Checks {
	by := ratios(v.t, v.points, change{})
	var rows latency.Checks
	for _, set := range pointSets {
		for _, m := range set.metrics {
			c := set.check
			c.Accelerator, c.Metric, c.Fitted = "h100-sxm", latency.CheckedMetric(m.String()), slices.Contains(set.fitted, m)
			rows = append(rows, c.With(by[set.name][m]))
		}
	}
	for _, run := range []string{pro, rtx4090} {
		e := v.judge(run, run).Errors()
		for m := range Metrics {
			rows = append(rows, latency.Check{
				Accelerator: run, Kind: latency.Dense, TensorParallelism: []int{1}, Weights: latency.BF16, FromVersion: "0.19", ToVersion: "0.19",
				Metric: latency.CheckedMetric(m.String()), Fitted: true, Source: "a run of Llama-3.1-8B with 300 requests",
			}.With([]float64{1 + e[m][Mean]}))
		}
	}
	return rows
}

const pointsHead = `
## Without calibration

The catalogue's own coefficients predict %d measured points of vLLM on H100: loads whose means are
published, and no single requests. A ratio is simulated ÷ measured mean, and an error its
distance from 1. *Fitted* points are those from which constants were rounded; the others were set
apart by model or number of GPUs before, and predicted afterwards.

- Closed loops (InferenceX, published by ai-dynamo/aiconfigurator): Llama-3.1-70B in FP8 with an FP8
  KV cache on engines of 2025, and gpt-oss-120b on vLLM 0.18, with 4 to 64 requests in flight.
  Points that stand there twice, and nine with 512 requests in flight that contradict
  themselves, are left out.
- Open loops (published by the authors of inference-sim): vLLM 0.15.1 under light load, %d stages of
  10 or 20 minutes, by the client's clock. Their TPOT is the mean gap between chunks.

The points are by a client's clock, so each replay has the request cost of the preset Direct.

| | fitted | points | metric | median ratio | mean error %% | 90 %% within %% | before: median ratio | mean error %% |
|---|---|---|---|---|---|---|---|---|
`

// enginePoints6 are the median ratio and the mean absolute error in percent of engine
// version 6 on the same points, by set and metric.
const enginePoints6 = "testdata/points-engine6.json"

func (v *validation) onPoints(b *bytes.Buffer) {
	raw, err := os.ReadFile(enginePoints6)
	if err != nil {
		v.t.Fatal(err)
	}
	var before map[string]map[string][2]float64
	if err := json.Unmarshal(raw, &before); err != nil {
		v.t.Fatal(err)
	}
	open := 0
	for _, p := range v.points {
		if p.run.Concurrency == 0 {
			open++
		}
	}
	fmt.Fprintf(b, pointsHead, len(v.points), open)
	by := ratios(v.t, v.points, change{})
	for _, set := range pointSets {
		for _, m := range set.metrics {
			fitted := "no"
			if slices.Contains(set.fitted, m) {
				fitted = "yes"
			}
			c, old := latency.Check{}.With(by[set.name][m]), before[set.name][m.String()]
			fmt.Fprintf(b, "| %s | %s | %d | %v | %.2f | %.1f | %.1f | %.2f | %.1f |\n", set.name, fitted, c.Points, m,
				c.MedianRatio, c.MeanAbsoluteErrorPercent, c.P90AbsoluteErrorPercent, old[0], old[1])
		}
	}
	b.WriteString(`
*Before* is engine version 6: one maximum of compute and memory for all layers, no floor of
experts, and synchronous scheduling.
`)
	v.ablation(b)
}

// ablations are what the defaults have beside the maximum of compute and memory.
var ablations = []change{
	{name: "nothing"},
	{name: "experts: no floor, the share of bandwidth and MFU of other matrices", cost: func(c *latency.RooflineCoefficients, _ latency.Instance) {
		c.DispatchLatency, c.ExpertEfficiency, c.ExpertMemoryEfficiency = 0, 1, c.MemoryEfficiency
	}},
	{name: "sliding windows", run: func(r *Run) { r.Engine.Model.SlidingWindow = nil }},
	{name: "asynchronous scheduling", run: func(r *Run) { r.Engine.AsynchronousScheduling = false }},
	{name: "10 µs a layer for each doubling of GPUs, up to vLLM 0.13", cost: func(c *latency.RooflineCoefficients, i latency.Instance) {
		c.LayerOverhead = latency.DefaultRoofline(i.Accelerator).LayerOverhead
	}},
	{name: "slower reads of an FP8 KV cache", cost: func(c *latency.RooflineCoefficients, _ latency.Instance) { c.KVEfficiency = 1 }},
	{name: "kernels launched one by one beyond 512 tokens", cost: func(c *latency.RooflineCoefficients, _ latency.Instance) { c.EagerLayerOverhead = 0 }},
	{name: "the way to the engine", run: func(r *Run) { r.Engine.Cost = latency.RequestCost{} }},
}

func (v *validation) ablation(b *bytes.Buffer) {
	b.WriteString(`
### What each part is worth

Each row leaves one part out, without a new fit. Mean absolute errors of TPOT / TTFT in %:

| without | Llama-3.1-70B | gpt-oss-120b | Llama-3.1-8B | Qwen3-14B | Mixtral-8x7B |
|---|---|---|---|---|---|
`)
	for _, a := range ablations {
		by := ratios(v.t, v.points, a)
		fmt.Fprintf(b, "| %s |", a.name)
		for _, model := range []string{"Llama-3.1-70B", "gpt-oss-120b", "Llama-3.1-8B", "Qwen3-14B", "Mixtral-8x7B"} {
			of := ofModels(by, model)
			fmt.Fprintf(b, " %.1f / %.1f |", latency.Check{}.With(of[TPOT]).MeanAbsoluteErrorPercent, latency.Check{}.With(of[TTFT]).MeanAbsoluteErrorPercent)
		}
		b.WriteString("\n")
	}
	b.WriteString(`
Two parts were tried and left out. Slower KV reads where a GPU has one KV head, as kernel tables show,
make the errors larger (70B: TPOT 4.7 instead of 2.4 %). Efficiency of matrices by shape, taken as the
measured times of their kernels, moves the mean error of TPOT over the five sets where it is not fitted
from 4.8 to 5.9 %. Where it also replaces the 10 µs, it is 4.3 %: better for Llama-3.1-8B (3.9 instead of
8.7 %), worse for Qwen3-14B (3.6 instead of 1.8 %) and gpt-oss-120b (10.1 instead of 8.3 %). After a new
fit of both, one share is ahead: 4.1 against 4.4 % of TPOT, and 8.1 against 9.0 % of TTFT.

The sum of matrices and attention in place of one maximum changes little here (70B: TTFT 5.7 instead of
5.9 %), and much for the fits below: with it the RTX PRO 6000 is fitted at its true peak, with overheads
near to the usual ones.
`)
}

// ofModels returns the ratios of all sets of models.
func ofModels(by map[string][Metrics][]float64, models ...string) (of [Metrics][]float64) {
	for _, set := range pointSets {
		if slices.ContainsFunc(models, func(model string) bool { return strings.HasPrefix(set.name, model) }) {
			for m := range of {
				of[m] = append(of[m], by[set.name][m]...)
			}
		}
	}
	return of
}

// The targets of the defaults on measured points, in percent of mean absolute error.
func TestPointsArePredicted(t *testing.T) {
	points := measuredPoints(t)
	by := ratios(t, points, change{})
	for _, target := range []struct {
		models          []string
		tpot, ttft, e2e float64
	}{
		{[]string{"Llama-3.1-70B"}, 5, 10, 0},
		{[]string{"gpt-oss-120b"}, 9, 15, 0},
		{[]string{"Llama-3.1-8B", "Qwen3-14B", "Mixtral-8x7B"}, 6, 12, 6},
	} {
		of := ofModels(by, target.models...)
		for m, limit := range map[Metric]float64{TPOT: target.tpot, TTFT: target.ttft, E2E: target.e2e} {
			if limit == 0 {
				continue
			}
			if got := (latency.Check{}).With(of[m]).MeanAbsoluteErrorPercent; !(got <= limit) {
				t.Errorf("%v: mean error of %v is %.1f %%, at most %v %% is allowed", target.models, m, got, limit)
			}
		}
	}
}
