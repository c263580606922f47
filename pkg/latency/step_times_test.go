// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
)

const stepTimesPage = "../../docs/studies/step-times.md"

// What the page is about: batches of decodes at one context, and prompts that an
// idle engine computes in one step.
var (
	opTables = []struct{ accelerator, folder, version string }{
		{"a100-sxm", "a100_sxm", "0.14.0"}, {"h100-sxm", "h100_sxm", "0.24.0"},
	}
	servedModels = []struct {
		model string
		tp    int
	}{
		{"Llama-3.1-8B", 1}, {"Llama-3.1-8B", 2}, {"Qwen3-14B", 1}, {"Qwen3-32B", 2}, {"Llama-3.1-70B", 4}, {"Llama-3.1-70B", 8},
	}
	batches = []int{1, 8, 32, 64, 128, 256}
	prompts = []int{512, 2048, 8192}
)

const decodeContext = 1024

// toleranceShare is how far from the kernels a step of decodes may be.
const toleranceShare = 0.15

// kernelComparison are default step times over the sum of the measured kernels: of
// a whole step, and of its work alone; 0 where the tables do not reach.
type kernelComparison struct{ whole, work float64 }

func (o *ops) decodes(i Instance, batch int) kernelComparison {
	kernels, ok := o.decodeStep(i, batch, decodeContext)
	return i.against(kernels, ok, step(decodes(batch, decodeContext)...))
}

func (o *ops) prompt(i Instance, tokens int) kernelComparison {
	kernels, ok := o.prefillStep(i, tokens)
	return i.against(kernels, ok, step(sequence{tokens: tokens, ends: true}))
}

func (i Instance) against(kernels float64, ok bool, s Step) kernelComparison {
	if !ok {
		return kernelComparison{}
	}
	c := i.DefaultRoofline()
	whole := i.Roofline(c).StepTime(s).Seconds() * 1e3
	c.LayerOverhead, c.SequenceOverhead, c.TokenOverhead = 0, 0, 0
	return kernelComparison{whole / kernels, i.Roofline(c).StepTime(s).Seconds() * 1e3 / kernels}
}

const stepTimesHead = `# Step times against measured kernels

This page compares the default step times of the catalogue with measured GPU kernels. In the first
two sections each figure is the simulated time of an engine step, divided by the sum of the measured
times of the kernels in that step. The measurements are from ai-dynamo/aiconfigurator (commit 095f58a,
Apache-2.0): matrix products, attention and all-reduce of vLLM 0.14.0 on A100 SXM and of
vLLM 0.24.0 on H100 SXM, in bf16. For each layer the sum has four matrix products, attention
and, on several GPUs, two all-reduces; it also has the LM head. Between measured sizes it
interpolates linearly.

    go test ./pkg/latency -run StepTimesPage -update

writes this page from the tables, which are not part of the repository. A test compares it
with them. A dash means that no table has the attention of such a step.

A cell has two ratios, *step / work*. *Step* is the whole default step. It contains norms,
kernel launches, sampling and scheduling, which the sum of kernels does not contain, so a
perfect model would show 1.05 to 1.10. *Work* is the step without its overheads (31 µs per
layer, 11 µs per sequence, 1 µs per token): the roofline and the all-reduce, which correspond
to the measured kernels.
`

// stepTimesDocument returns the page, and its figures in words.
func stepTimesDocument(t *testing.T) string {
	var decode, prefill strings.Builder
	columns(&decode, "| GPU | model | TP |", batches)
	columns(&prefill, "| GPU | model | TP |", prompts)
	steps, works := errorTally{within: toleranceShare}, errorTally{within: toleranceShare}
	for _, table := range opTables {
		o := readOps(t, table.folder, table.version)
		for _, served := range servedModels {
			i := instance(t, served.model, table.accelerator, served.tp)
			for _, b := range []*strings.Builder{&decode, &prefill} {
				fmt.Fprintf(b, "| %s | %s | %d |", table.accelerator, served.model, served.tp)
			}
			for _, n := range batches {
				a := o.decodes(i, n)
				steps.add(a.whole)
				works.add(a.work)
				decode.WriteString(a.cell())
			}
			for _, n := range prompts {
				prefill.WriteString(o.prompt(i, n).cell())
			}
			decode.WriteString("\n")
			prefill.WriteString("\n")
		}
	}
	return stepTimesHead +
		fmt.Sprintf("\n## Decode\n\nThe column is the number of decodes in the batch, each after %d tokens. Within %.0f %% of the kernels: %s of whole steps, %s of the work.\n",
			decodeContext-1, 100*toleranceShare, steps, works) + decode.String() + `
The whole steps above this range are on H100: steps of 8B with 64 sequences or more, where
11 µs per sequence are a fifth of the step, and steps of 70B on four and eight GPUs, where the
overhead of 80 layers is 2.5 ms. Both overheads come from fits to measured runs of vLLM
([validation.md](../validation.md)). They also contain sampling and scheduling on the CPU, which
the kernels do not measure.

## Prefill

The column is the number of tokens of a prompt that an idle engine computes in one step.
` + prefill.String() + `
The default share of peak compute in prefill is lower than the share of the kernels. The kernels
reach 0.7 to 0.8 of the peak. The catalogue has 0.45, the published share for prefill of whole
engines, which includes all other costs of a step with prompts. With it the simulated TTFT on
H100 is close to the measured TTFT. Decode hardly depends on the share, because it is limited
by memory up to about 200 sequences: with published decode shares (0.18 on A100, 0.30 on
H100) instead of 0.45, steps of 128 and 256 sequences were up to 2.5 times too long.
` + expertsSection(t)
}

// columns writes the head of a table: three names, and a column for each size.
func columns(b *strings.Builder, names string, sizes []int) {
	b.WriteString("\n" + names)
	for _, n := range sizes {
		fmt.Fprintf(b, " %d |", n)
	}
	fmt.Fprintf(b, "\n|---|---|---|%s\n", strings.Repeat("---|", len(sizes)))
}

func (a kernelComparison) cell() string {
	if a.whole == 0 {
		return " – |"
	}
	return fmt.Sprintf(" %.2f / %.2f |", a.whole, a.work)
}

// errorTally counts ratios, and those at most within from 1.
type errorTally struct {
	within      float64
	all, inside int
	least, most float64
}

func (t *errorTally) add(ratio float64) {
	if ratio == 0 {
		return
	}
	if t.all == 0 {
		t.least = ratio
	}
	t.all++
	if math.Abs(ratio-1) <= t.within {
		t.inside++
	}
	t.least, t.most = min(t.least, ratio), max(t.most, ratio)
}

func (t errorTally) String() string {
	return fmt.Sprintf("%d of %d (%.2f to %.2f)", t.inside, t.all, t.least, t.most)
}

func TestStepTimesPageMatchesTables(t *testing.T) {
	got := stepTimesDocument(t)
	golden.Check(t, stepTimesPage, got)
}
