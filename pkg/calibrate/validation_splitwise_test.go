// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// stepTimes are what Splitwise measured of one batch: the seconds of its
// prompts' step, and the mean of the steps that give a token each.
type stepTimes struct{ prompt, token float64 }

// batchShape is a batch of equal prompts on so many GPUs.
type batchShape struct{ tp, promptTokens, batch int }

// splitwise reads the medians of Llama-2-70B with 128 output tokens. Prompt times
// of 64 at once on two GPUs cannot be right, and are left out.
func (v *validation) splitwise(hardware string) map[batchShape]stepTimes {
	v.t.Helper()
	f := testfile.Open(v.t, testdata.File(v.t, "traces", "splitwise-sim", "perf_model.csv"))
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		v.t.Fatal(err)
	}
	prompts, tokens := map[batchShape][]float64{}, map[batchShape][]float64{}
	for _, row := range rows[1:] {
		at := func(name string) string { return row[slices.Index(rows[0], name)] }
		number := func(name string) float64 {
			x, err := strconv.ParseFloat(at(name), 64)
			if err != nil {
				v.t.Fatal(err)
			}
			return x
		}
		s := batchShape{int(number("tensor_parallel")), int(number("prompt_size")), int(number("batch_size"))}
		if at("model") != "llama2-70b" || at("hardware") != hardware || number("token_size") != 128 || s.tp == 2 && s.batch == 64 {
			continue
		}
		prompts[s] = append(prompts[s], number("prompt_time")/1e3)
		tokens[s] = append(tokens[s], number("token_time")/1e3)
	}
	all := map[batchShape]stepTimes{}
	for s := range prompts {
		slices.Sort(prompts[s])
		slices.Sort(tokens[s])
		all[s] = stepTimes{quantile(prompts[s], 0.5), quantile(tokens[s], 0.5)}
	}
	return all
}

// steps returns the step of a batch's prompts and the one in the middle of its
// 128 tokens.
func (s batchShape) steps() (prompt, token latency.Step) {
	tokens, context := s.promptTokens*s.batch, int64(s.batch)*int64(s.promptTokens+64)
	return latency.Step{
			Sequences: s.batch, PrefillTokens: tokens, ContextTokens: int64(tokens), SampledTokens: s.batch,
			AttentionPairs: int64(s.batch) * int64(s.promptTokens) * int64(s.promptTokens+1) / 2,
		}, latency.Step{
			Sequences: s.batch, DecodeTokens: s.batch, ContextTokens: context, SampledTokens: s.batch,
			AttentionPairs: context, DecodePairs: context,
		}
}

// stepErrors returns the mean absolute relative errors of the steps of both
// kinds on tp GPUs.
func stepErrors(measured map[batchShape]stepTimes, i latency.Instance, c latency.RooflineCoefficients, tp int) (prompt, token float64) {
	i.TensorParallelism = tp
	timer := i.Roofline(c)
	n := 0.0
	for _, s := range slices.SortedFunc(maps.Keys(measured), func(a, b batchShape) int {
		return (a.promptTokens-b.promptTokens)<<20 + (a.batch - b.batch)
	}) {
		if s.tp != tp {
			continue
		}
		p, d := s.steps()
		prompt += math.Abs(timer.StepTime(p).Seconds()/measured[s].prompt - 1)
		token += math.Abs(timer.StepTime(d).Seconds()/measured[s].token - 1)
		n++
	}
	return prompt / n, token / n
}

// fitSteps fits shares and overheads, the collectives' among them, to the steps
// on two and four GPUs.
func fitSteps(measured map[batchShape]stepTimes, i latency.Instance) latency.RooflineCoefficients {
	seven := append(slices.Clone(five), shared(allReduceLatency, linkShare)...)
	decode := func(x []float64) (latency.RooflineCoefficients, float64) {
		values, outside := at(x, seven)
		return seven.coefficients(values, 2).roofline(i), outside // the same on two GPUs and on four
	}
	start := append(usual(i).point(five), stats.Log(20e3), stats.Log(0.5))
	e := newEvolution("calibrate/splitwise", start, []float64{0.2, 0.3, 1, 1, 1, 1, 0.2}, generationSize)
	for range 120 {
		all := e.generation(generationSize)
		for k := range all {
			c, outside := decode(all[k].at)
			all[k].value = outside * outsideWeight
			for _, tp := range []int{2, 4} {
				prompt, token := stepErrors(measured, i, c, tp)
				all[k].value += 100 * (prompt + token)
			}
		}
		e.adapt(all)
	}
	c, _ := decode(e.mean)
	return c
}

func (v *validation) olderStack(b *bytes.Buffer) {
	b.WriteString(`
## Other GPUs, several of them, an older engine

Splitwise (MIT) published step times of Llama-2-70B in fp16 from 2023, on two, four
and eight GPUs: prefill of whole prompts of 128 to 8192 tokens, and decode of 1 to 64 requests.
The table has mean absolute errors in percent, once with the defaults of the catalogue and once
with a fit to the steps on two and four GPUs. The fit does not see the steps on eight GPUs.

| | GPUs | prefill, catalogue | decode, catalogue | prefill, fitted | decode, fitted |
|---|---|---|---|---|---|
`)
	for _, gpu := range [][2]string{{"a100-80gb", "a100-sxm"}, {"h100-80gb", "h100-sxm"}} {
		measured, i := v.splitwise(gpu[0]), instance("meta-llama/Llama-2-70b-hf", gpu[1])
		fitted := fitSteps(measured, i)
		for _, tp := range []int{2, 4, 8} {
			served := i
			served.TensorParallelism = tp
			p, d := stepErrors(measured, i, served.DefaultRoofline(), tp)
			fp, fd := stepErrors(measured, i, fitted, tp)
			fmt.Fprintf(b, "| %s | %d | %.0f | %.0f | %.0f | %.0f |\n", gpu[1], tp, 100*p, 100*d, 100*fp, 100*fd)
		}
	}
	b.WriteString(`
These errors do not confirm the model. A decode step took as long on eight A100s as on four,
although each GPU reads half as many weights, and the achieved share of FLOP/s in prefill fell
from about 0.6 on two GPUs to about 0.3 on eight. The roofline models neither effect. Engines
have changed since then, but the runs above validate one GPU only.
`)
}
