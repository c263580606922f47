// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
)

const documentHead = `<!-- Written by make validation. Do not edit. -->
# Validation: measured vLLM against the simulator

This page compares simulated latencies with open measurements of vLLM: loads on H100 of which the
means are published, predicted [without calibration](#without-calibration), and two runs of vLLM
0.19.0 with every request, to which coefficients are fitted.

The two runs serve Llama-3.1-8B in bf16 on one GPU and were published with LLMServingSim (MIT).
They serve the same 300 ShareGPT requests (257,239 prompt tokens, 195,753 output tokens, 29 s of
arrivals), one on an RTX PRO 6000, the other on an RTX 4090.

| | RTX PRO 6000 | RTX 4090 |
|---|---|---|
| max_num_seqs | 128 | 256 |
| max_num_batched_tokens, block size, prefix caching | 2048, 16, on | 2048, 16, on |
| KV blocks (vLLM reserves one) | not recorded, never full: %d by the formula | 2588, as reported; full, requests are preempted |
| bandwidth, bf16 peak | %.3f TB/s, %.0f TFLOPS | %.3f TB/s, %.0f TFLOPS |
| maximum number of running / waiting requests | 128 / 104 | 49 / 234 |

The RTX 4090 achieves almost all of its peak FLOP/s and the RTX PRO 6000 six tenths of its own: this
share belongs to the GPU and does not transfer. A fit to one predicts the other with the
other's own share of FLOP/s, and with its own shares of bandwidth and overheads.

TTFT is first token − queued, E2E is last token − queued, by the engine's clock;
TPOT is (last − first) ÷ (output tokens − 1), one value for each request. Percentiles are
interpolated linearly. The simulator replays the requests on one replica: each request arrives
at the time at which vLLM queued it, and its prompt has the same block hashes.

The code and the two runs determine every figure of this page:

    make validation     # fits again and writes this page and those that it quotes; some minutes
    go test ./pkg/calibrate -run 'Validation|Measured|Means|Stored|Beginning'

## In short

%s
On the same two runs, the means of LLMServingSim 2.0 have errors of %s on the RTX PRO 6000
and of %s on the RTX 4090 (TTFT / TPOT / E2E).
`

const fitHead = `
## How the coefficients were found

The fit finds five coefficients of the roofline: the achieved shares of bandwidth (η) and of
FLOP/s (MFU, one value for both phases), and the overheads per layer (α), per token (β) and
per sequence (γ). The search (CMA-ES, %d generations of %d) minimizes this loss, in
percent:

    √(Σ w·e² ÷ Σ w) + 0.1·(|TPOT| + |E2E|) + 0.1·Σ log₂²(overhead ÷ usual)

e are the relative errors of mean, P50, P90 and P99 of TTFT, TPOT and E2E; the mean has
ten times the weight of the others. |TPOT| and |E2E| are the mean absolute
relative errors of single requests. The last term, the pull, keeps an overhead near its
usual value unless the run contradicts that value. Each value is the mean over replays in
which every step is longer or shorter at random, with a standard deviation of 1 %%. The
figures below are means over %d replays that the search has not seen.

| fitted to | η | MFU | α µs | β µs | γ µs |
|---|---|---|---|---|---|
`

// document returns the page.
func (v *validation) document() string {
	var b bytes.Buffer
	p, g := v.runs[pro].Engine, v.runs[rtx4090].Engine
	fmt.Fprintf(&b, documentHead, p.KVBlocks,
		p.Accelerator.MemoryBandwidthBytesPerSecond/1e12, p.Accelerator.BF16FlopsPerSecond/1e12,
		g.Accelerator.MemoryBandwidthBytesPerSecond/1e12, g.Accelerator.BF16FlopsPerSecond/1e12,
		v.inShort(), means(v.published(pro)), means(v.published(rtx4090)))
	v.onPoints(&b)
	v.onOtherPages(&b)
	fmt.Fprintf(&b, fitHead, DefaultGenerations, generationSize, judgementReplays)
	v.coefficientRows(&b)
	v.onItself(&b)
	v.heldBack(&b)
	v.transfer(&b)
	v.details(&b)
	v.noise(&b)
	v.ours(&b)
	v.olderStack(&b)
	b.WriteString(documentTail)
	return b.String()
}

func means(e Figures) string {
	return fmt.Sprintf("%s / %s / %s %%", percent(e[TTFT][Mean]), percent(e[TPOT][Mean]), percent(e[E2E][Mean]))
}

// inShort sums up the errors of the means.
func (v *validation) inShort() string {
	var b strings.Builder
	b.WriteString("| errors of the means | TTFT % | TPOT % | E2E % | largest of all P50 and P99 % |\n|---|---|---|---|---|\n")
	for _, c := range [][2]string{{pro, pro}, {rtx4090, rtx4090}, {rtx4090, pro}, {pro, rtx4090}} {
		e := v.judge(c[0], c[1]).Errors()
		what := c[0] + ", fitted to itself"
		if c[0] != c[1] {
			what = c[0] + ", predicted by the fit to " + c[1]
		}
		worst := 0.0
		for m := range e {
			for _, s := range []Statistic{P50, P99} {
				if math.Abs(e[m][s]) > math.Abs(worst) {
					worst = e[m][s]
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", what, percent(e[TTFT][Mean]), percent(e[TPOT][Mean]), percent(e[E2E][Mean]), percent(worst))
	}
	return b.String()
}

func (v *validation) coefficientRows(b *bytes.Buffer) {
	for _, name := range []string{pro, rtx4090, pro + noPull, rtx4090 + noPull, pro + firstPart, rtx4090 + firstPart} {
		f := v.fits[name]
		ms := func(d, unit time.Duration) float64 { return float64(d) / float64(unit) }
		fmt.Fprintf(b, "| %s | %.4f | %.4f | %.2f | %.2f | %.2f |\n", name, f.MemoryEfficiency, f.FlopsEfficiency,
			ms(f.LayerOverhead, time.Microsecond), ms(f.TokenOverhead, time.Microsecond), ms(f.SequenceOverhead, time.Microsecond))
	}
	b.WriteString(`
η and α can replace each other, because the time to read the weights is as constant as the
overhead of the layers. The same holds for MFU and β. So a single coefficient is less certain
than the step time that all of them give.
`)
}

func (v *validation) onItself(b *bytes.Buffer) {
	b.WriteString("\n## Fitted to itself\n")
	for _, run := range []string{pro, rtx4090} {
		j := v.judge(run, run)
		fmt.Fprintf(b, "\n### %s\n\n", run)
		v.table(b, j, v.published(run))
		p := prediction{requests: j.PredictedTimes}
		fmt.Fprintf(b, "\nSingle requests: the mean absolute error is %.2f %% for TPOT and %.2f %% for E2E.\n",
			100*p.meanAbsolute(TPOT, j.MeasuredTimes), 100*p.meanAbsolute(E2E, j.MeasuredTimes))
	}
}

// table writes a judgement beside the errors of the published simulator.
func (v *validation) table(b *bytes.Buffer, j *Judgement, published Figures) {
	b.WriteString("| | vLLM ms | predicted ms | error % | noise % | LLMServingSim's error % |\n|---|---|---|---|---|---|\n")
	errs := j.Errors()
	for m := range Metrics {
		for s := range Statistics {
			fmt.Fprintf(b, "| %v %v | %.1f | %.1f | %s | %.2f | %s |\n", m, s, j.Measured[m][s]*1e3, j.Predicted[m][s]*1e3,
				percent(errs[m][s]), 100*j.Spread[m][s]/j.Measured[m][s], percent(published[m][s]))
		}
	}
}

// heldBack writes how the end of each run is predicted from its beginning.
func (v *validation) heldBack(b *bytes.Buffer) {
	b.WriteString(`
## Fitted to the beginning, predicting the end

The search sees only the first 200 requests; the replay has all 300. Errors of mean / P50 / P99 of
the other 100:

| | TTFT % | TPOT % | E2E % |
|---|---|---|---|
`)
	for _, run := range []string{pro, rtx4090} {
		parts := v.judgements(run, run+firstPart, func(r *Run) { r.Fitted = partRequests })
		fmt.Fprintf(b, "| %s |", run)
		for _, statistics := range parts[1].Errors() {
			fmt.Fprintf(b, " %s / %s / %s |", percent(statistics[Mean]), percent(statistics[P50]), percent(statistics[P99]))
		}
		b.WriteString("\n")
	}
}

func (v *validation) transfer(b *bytes.Buffer) {
	b.WriteString(`
## Fitted to one, predicting the other

Only the accelerator changes: its bandwidth, its peak and the share of it that its own fit found,
and the KV blocks and max_num_seqs of its run.
`)
	for _, run := range []string{rtx4090, pro} {
		fmt.Fprintf(b, "\n### %s, by the fit to %s\n\n", run, other(run))
		v.table(b, v.judge(run, other(run)), v.published(run))
	}
	b.WriteString("\nThe same without the pull, errors of the means:\n\n| | TTFT % | TPOT % | E2E % |\n|---|---|---|---|\n")
	for _, run := range []string{rtx4090, pro} {
		e := v.judge(run, other(run)+noPull).Errors()
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", run, percent(e[TTFT][Mean]), percent(e[TPOT][Mean]), percent(e[E2E][Mean]))
	}
	b.WriteString(`
The pull contributes to the second of these predictions. The RTX 4090 never ran more than 49
requests at once, so its run has little information about the overhead per sequence, and the
RTX PRO 6000 ran 128. The usual overheads of the pull, the defaults of the roofline, are
rounded values of early fits to these two runs. So the predictions with the pull are not
fully blind; the predictions without it are.

The plot compares predicted and measured values of single requests, with the fit to the RTX 4090.
x is the RTX PRO 6000, which the fit has not seen:

`)
	var plot bytes.Buffer
	fitted, heldBack := v.judge(rtx4090, rtx4090), v.judge(pro, rtx4090)
	WriteTextPlot(&plot, []*Judgement{fitted, heldBack})
	for line := range strings.Lines(plot.String()) {
		b.WriteString("    " + line)
	}
}

func (v *validation) details(b *bytes.Buffer) {
	b.WriteString(`
## What each detail is worth

Each row changes one setting to a wrong value, without a new fit. Errors of the means:

| run | wrong setting | TTFT % | TPOT % | E2E % |
|---|---|---|---|---|
`)
	for _, d := range []struct {
		run, what string
		change    func(*Run)
	}{
		{rtx4090, "none", func(*Run) {}},
		{rtx4090, "3178 KV blocks, which is memory × 0.9 − weights", func(r *Run) { r.Engine.KVBlocks = 3178 }},
		{rtx4090, "2640 KV blocks", func(r *Run) { r.Engine.KVBlocks = 2640 }},
		{rtx4090, "no prefix caching", func(r *Run) { r.Engine.PrefixCaching = false }},
		{rtx4090, "a prompt is admitted as soon as its first chunk fits", func(r *Run) { r.Engine.ReserveFullPrompt = false }},
		{rtx4090, "max_num_batched_tokens 8192", func(r *Run) { r.Engine.MaxNumBatchedTokens = 8192 }},
		{pro, "none", func(*Run) {}},
		{pro, "max_num_seqs 256", func(r *Run) { r.Engine.MaxNumSeqs = 256 }},
		{pro, "no prefix caching", func(r *Run) { r.Engine.PrefixCaching = false }},
		{pro, "a prompt is admitted as soon as its first chunk fits", func(r *Run) { r.Engine.ReserveFullPrompt = false }},
		{pro, "twice as many KV blocks", func(r *Run) { r.Engine.KVBlocks *= 2 }},
		{pro, "1.792 TB/s, as in the workstation edition", func(r *Run) { r.Engine.Accelerator.MemoryBandwidthBytesPerSecond = 1.792e12 }},
		{pro, "500 TFLOPS", func(r *Run) { r.Engine.Accelerator.BF16FlopsPerSecond = 500e12 }},
	} {
		e := v.judge(d.run, d.run, d.change).Errors()
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", d.run, d.what, percent(e[TTFT][Mean]), percent(e[TPOT][Mean]), percent(e[E2E][Mean]))
	}
}

// noise writes how far figures move when all steps are a little longer.
func (v *validation) noise(b *bytes.Buffer) {
	b.WriteString(`
## The noise floor

The table shows how far a mean moves when every step is longer or shorter by 0.01 %, without
jitter: the largest of ten changes between −0.05 and +0.05 %, in percentage points.

| run | TTFT | TPOT | E2E |
|---|---|---|---|
`)
	for _, run := range []string{pro, rtx4090} {
		move := v.largestMove(run)
		fmt.Fprintf(b, "| %s | %.2f | %.2f | %.2f |\n", run, 100*move[TTFT], 100*move[TPOT], 100*move[E2E])
	}
	b.WriteString(`
The column "noise" above is the standard deviation over replays. The standard error of a mean
over ` + fmt.Sprint(judgementReplays) + ` replays is a quarter of it. A smaller difference has no meaning.
`)
}

// largestMove returns by how much of what was measured the means move at most
// from one of a few near factors of the step times to the next.
func (v *validation) largestMove(run string) (move [Metrics]float64) {
	r := v.runs[run]
	measured := FiguresOf(r.Measured())
	var previous Figures
	for k := -5; k <= 5; k++ {
		f := v.fits[run]
		timer := scaled{r.Engine.Roofline(f.on(r.Engine.Instance)), 1 + float64(k)*1e-4}
		all, err := r.replay(v.t.Context(), timer)
		if err != nil {
			v.t.Fatal(err)
		}
		figures := FiguresOf(all)
		for m := range move {
			if k > -5 {
				move[m] = max(move[m], math.Abs(figures[m][Mean]-previous[m][Mean])/measured[m][Mean])
			}
		}
		previous = figures
	}
	return move
}

// scaled makes steps longer by a factor.
type scaled struct {
	latency.StepTimer
	by float64
}

func (s scaled) StepTime(step latency.Step) time.Duration {
	return time.Duration(math.Round(float64(s.StepTimer.StepTime(step)) * s.by))
}

// ours writes how the made-up run comes out, which needs no data of others.
func (v *validation) ours(b *bytes.Buffer) {
	run := readRun(v.t, "own", ownEngine(), ownLog, ownBlocks)
	fitted, err := Fit(v.t.Context(), []*Run{run}, Options{Workers: 2, Generations: 40})
	if err != nil {
		v.t.Fatal(err)
	}
	c := fitted.First()
	judgements, err := run.Judge(v.t.Context(), c, false, 2)
	if err != nil {
		v.t.Fatal(err)
	}
	e := judgements[0].Errors()
	fmt.Fprintf(b, `
## A run of our own

pkg/calibrate/testdata has a synthetic run of 140 requests, simulated with known coefficients.
A short fit (40 generations) finds these values, with the true value in brackets: η %.3f (%.2f), MFU
%.3f (%.2f), α %.1f (%.1f) µs, β %.2f (%.0f) µs, γ %.1f (%.0f) µs. Errors of the means: %s.
A test asserts that the fit finds the shares to 6 %%, the duration of three different steps
to 2 %% and the means to 0.5 %%.
`, c.MemoryEfficiency, ownCoefficients[memoryShare], c.PrefillEfficiency, ownCoefficients[flopsShare],
		c.LayerOverhead.Seconds()*1e6, ownCoefficients[layerOverhead]/1e3, c.TokenOverhead.Seconds()*1e6, ownCoefficients[tokenOverhead]/1e3,
		c.SequenceOverhead.Seconds()*1e6, ownCoefficients[sequenceOverhead]/1e3, means(e))
}

const documentTail = `
## What falls short

- The two runs cover one model, one engine version, GPUs of one vendor, TP 1 and one workload. The
  points without calibration cover H100 alone, and means: no measurement checks other GPUs with
  experts, long contexts, data parallelism or speculative decoding.
- Of the points of gpt-oss-120b, four are twice as slow as their neighbours with more requests in
  flight. They are in the figures above, and no model of a step predicts them.
- The real engine accepts requests between two steps and records the arrival then, so a recorded
  arrival is at the end of a real step. In a replay the request also waits for the end of the
  current step: half a step more, about 15 ms, which matters where TTFT is short.
- The overheads contain sampling, detokenization, warm-up and graphs that are padded to a size. The
  simulator has no model of these.
- The cost of a layer whose kernels are launched one by one is found end to end on one rig. It may
  contain what that rig's client or first requests cost.
- A run has no information about batches that it never ran. The fit to the RTX 4090 without the
  pull is too slow where 128 requests run. Even with the pull, TTFT is the least accurate metric
  there: its mean reacts several times as strongly to the duration of a step as TPOT.
`
