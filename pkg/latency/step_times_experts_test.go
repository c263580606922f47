// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/internal/testdata"
)

// expertKernels are measured layers of experts of one GPU: routing, sorting tokens, the
// kernels of the experts and the sum, in milliseconds.
type expertKernels map[expertRow]float64

// expertRow is a measured layer, by the names of the table.
type expertRow struct {
	Format       string `parquet:"moe_dtype"`
	Tokens       int64  `parquet:"num_tokens"`
	Hidden       int64  `parquet:"hidden_size"`
	Width        int64  `parquet:"inter_size"`
	PerToken     int64  `parquet:"topk"`
	Experts      int64  `parquet:"num_experts"`
	CutOver      int64  `parquet:"moe_tp_size"`
	DealtOver    int64  `parquet:"moe_ep_size"`
	Distribution string `parquet:"distribution"`

	Milliseconds float64 `parquet:"latency"` // 0 in a key
}

// measuredFormats are the names of the table for formats of weights.
var measuredFormats = map[Precision]string{BF16: "bfloat16", FP8: "fp8_block", MXFP4: "w4a16_mxfp4", INT4Group32: "int4_wo"}

// choiceOfExperts is the measured distribution that the page is about.
const choiceOfExperts = "power_law_1.01"

func readExpertKernels(t *testing.T) expertKernels {
	t.Helper()
	rows, err := parquet.ReadFile[expertRow](testdata.File(t, "collectives", "h100_sxm_moe.vllm-0.24.0.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	k := expertKernels{}
	for _, r := range rows {
		ms := r.Milliseconds
		r.Milliseconds = 0
		k[r] = ms
	}
	return k
}

// The models of the catalogue that the table has, on numbers of H100 that hold them.
var (
	servedExperts = []struct {
		model string
		gpus  int
		whole bool // experts are dealt out, not cut
	}{
		{"Mixtral-8x7B", 2, false}, {"Mixtral-8x7B", 4, false}, {"Mixtral-8x22B", 8, false},
		{"Llama-4-Scout", 4, false}, {"Llama-4-Scout", 8, false}, {"Llama-4-Maverick", 16, true},
		{"gpt-oss-20b", 1, false}, {"gpt-oss-120b", 2, false}, {"gpt-oss-120b", 4, false}, {"gpt-oss-120b", 8, false},
		{"Qwen3-30B-A3B", 1, false}, {"Qwen3-30B-A3B", 2, false}, {"Qwen3-30B-A3B", 4, false},
		{"Qwen3-235B-A22B", 8, false}, {"Qwen3-235B-A22B", 8, true}, {"Qwen3-Coder-480B-A35B-Instruct", 16, true},
		{"MiniMax-M2.5", 4, false}, {"MiniMax-M2.5", 8, true},
		{"Kimi-K2.5", 8, false}, {"Kimi-K2.5", 8, true},
		{"DeepSeek-V3", 16, true}, {"Kimi-K2", 32, true},
	}
	expertTokens = []int{1, 8, 32, 128, 512, 2048, 8192}
)

// expertToleranceShare is how far from the kernels a layer of experts may be.
const expertToleranceShare = 0.25

// layer returns what a layer of an instance's experts takes.
func (k expertKernels) layer(t *testing.T, i Instance, tokens int) float64 {
	t.Helper()
	m := i.Model.MoE
	row := expertRow{
		Format: measuredFormats[i.expertQuantization().Weights],
		Tokens: int64(tokens), Hidden: int64(i.Model.HiddenSize), Width: int64(m.ExpertIntermediateSize),
		PerToken: int64(m.ExpertsPerToken), Experts: int64(m.Experts), CutOver: int64(i.TensorParallelism), DealtOver: 1,
		Distribution: choiceOfExperts,
	}
	if i.ExpertParallel {
		row.CutOver, row.DealtOver = row.DealtOver, row.CutOver
	}
	ms, ok := k[row]
	if !ok {
		t.Fatalf("the table has no %+v", row)
	}
	return ms
}

func expertsSection(t *testing.T) string {
	kernels := readExpertKernels(t)
	var table strings.Builder
	columns(&table, "| model | TP | EP |", expertTokens)
	byCut := map[bool]*errorTally{false: {within: expertToleranceShare}, true: {within: expertToleranceShare}}
	for _, served := range servedExperts {
		i := instance(t, served.model, "h100-sxm", served.gpus)
		i.ExpertParallel = served.whole
		cut, dealt := served.gpus, 1
		if served.whole {
			cut, dealt = dealt, cut
		}
		fmt.Fprintf(&table, "| %s | %d | %d |", served.model, cut, dealt)
		experts := i.expertTime(i.DefaultRoofline())
		for _, n := range expertTokens {
			ms := experts.of(int64(n)) / float64(i.Model.moeLayers()) / 1e6
			ratio := ms / kernels.layer(t, i, n)
			byCut[served.whole].add(ratio)
			fmt.Fprintf(&table, " %.2f |", ratio)
		}
		table.WriteString("\n")
	}
	return expertsHead + fmt.Sprintf("\nWithin %.0f %% of the kernels: %s with tensor parallelism, %s with expert parallelism.\n",
		100*expertToleranceShare, byCut[false], byCut[true]) + table.String() + expertsTail
}

const expertsHead = `
## Experts

A figure is the simulated time of one layer of experts, divided by the time that the same source
measured with vLLM 0.24.0 on H100 SXM. The column is the number of tokens in a step. With tensor
parallelism (TP) each expert is cut over the GPUs. With expert parallelism (EP) each GPU has whole
experts, and the tokens are those of all GPUs. The formats of the experts are those of the catalogue.

The measurement has vLLM's whole layer in a CUDA graph: it chooses experts, sorts tokens by expert,
multiplies and adds up. So it contains what the simulator's floor of 40 µs a layer stands for.
Neither time has the router's matrix product, shared experts or collectives. The measured tokens
choose experts by a power law (exponent 1.01), and the simulator takes all experts as equally
likely. The constants of the simulator are rounded from a fit to the rows of this table with tensor
parallelism: these figures do not validate it, they show what so few constants leave.
`

const expertsTail = `
The simulator is far off in four places:

- Prompts of Mixtral and gpt-oss are up to 2.7 times too slow. With 8192 tokens their kernels reach
  0.57 to 0.65 and 0.28 to 0.53 of the BF16 peak. The simulator has one share for each format: 0.38 in
  BF16, and 0.20 in 4 bits, which fits the Marlin kernels of Kimi-K2.5. On whole engines the simulated TTFT
  of both models is not too long: its median ratios are 0.87 to 0.95 ([validation.md](../validation.md)).
- Prompts with narrow experts are too fast, 0.59 for Qwen3-30B-A3B on four GPUs. The share does not
  fall with the width of a GPU's part of an expert, and moving the sorted tokens costs nothing by default.
- A single token in Qwen3-30B-A3B on several GPUs is almost twice too slow: the whole layer takes
  24 to 28 µs there, less than the floor.
- With expert parallelism the measured GPU is the busiest one. With 8192 tokens and 128 or more experts it
  takes 1.4 times as long as with even choices on 8 GPUs, and 1.6 times on 16 and 32 (medians of the
  source). With one token it reads a whole expert, and the simulator charges the mean of all GPUs. The default
  expertImbalance is 1. DeepSeek-V3 also has other kernels there than with tensor parallelism.
`
