// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestRowsOfEachFormat(t *testing.T) {
	tests := map[Precision]map[int64]int64{
		BF16: {1: 2, 128: 256, 576: 1152},
		FP8:  {1: 1, 128: 128, 576: 576},
		INT8: {1: 1, 128: 128, 576: 576},
		INT4: {1: 3, 64: 34, 128: 66, 129: 69, 576: 298}, // with a scale for each group begun
	}
	for format, rows := range tests {
		for n, want := range rows {
			if got := format.rowBytes(n); got != want {
				t.Errorf("%d numbers of %s take %d bytes, want %d", n, format, got, want)
			}
		}
	}
}

// Embedding, LM head and norms keep 16 bits.
func TestQuantisedWeightsOfAnInstance(t *testing.T) {
	const layers, rest = layers8B, 2*head8B + 65*4096
	tests := map[Precision]int64{
		"":   2*layers + 2*rest,
		BF16: 2*layers + 2*rest,
		FP8:  layers + 2*rest,
		INT8: layers + 2*rest,
		INT4: layers/2 + layers/128*2 + 2*rest,
		// 4 bits each, and a scale of 16 bits for 32 of them, of 8 for 16 and for 32.
		INT4Group32: layers/2 + layers/32*2 + 2*rest,
		NVFP4:       layers/2 + layers/16 + 2*rest,
		MXFP4:       layers/2 + layers/32 + 2*rest,
	}
	for format, want := range tests {
		i := Instance{Model: mustModel(t, "Llama-3.1-8B"), Accelerator: mustAccelerator(t, "h100-sxm"), TensorParallelism: 1, Quantization: Quantization{Weights: format}}
		if got := i.WeightBytes(); got != want {
			t.Errorf("%q: %d bytes, want %d", format, got, want)
		}
		// Of the embedding a token is one row; it is not read as a whole.
		if got, want := int64(i.alwaysReadBytes()), want-2*(head8B+65*4096); got != want {
			t.Errorf("%q: a step reads %d bytes, want %d", format, got, want)
		}
	}
}

func TestWeightsInModelFormat(t *testing.T) {
	i := instance(t, "DeepSeek-V3", "h200-sxm", 1)
	plain := i.Model.embeddingParameters() + i.Model.normParameters() + i.Model.routerParameters()
	if got, want := i.WeightBytes(), i.Model.Parameters()+plain; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func TestKVOfOneGPU(t *testing.T) {
	tests := []struct {
		model string
		kv    Precision
		tp    int
		want  int64
	}{
		{"Qwen2.5-7B", "", 1, 57344}, // 4 KV heads
		{"Qwen2.5-7B", "", 2, 28672},
		{"Qwen2.5-7B", "", 4, 14336},
		{"Qwen2.5-7B", "", 8, 14336}, // a head is not divided
		{"Llama-3.1-8B", BF16, 1, 131072},
		{"Llama-3.1-8B", FP8, 1, 65536},
		{"Llama-3.1-8B", INT8, 2, 32768},
		{"Llama-3.1-8B", INT4, 1, 2 * 32 * 8 * 66},
		{"DeepSeek-V3", "", 1, 70272},
		{"DeepSeek-V3", "", 8, 70272}, // a latent vector belongs to all heads
		{"DeepSeek-V3", FP8, 8, 35136},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprintf("%s in %s on %d", tc.model, tc.kv, tc.tp), func(t *testing.T) {
			i := Instance{Model: mustModel(t, tc.model), TensorParallelism: tc.tp, Quantization: Quantization{KVCache: tc.kv}}
			if got := i.KVBytesPerToken(); got != tc.want {
				t.Errorf("%d bytes, want %d", got, tc.want)
			}
		})
	}
}

// Compute follows the weights where the accelerator can: w8a8. Where it has no
// such cores, the weights are unpacked and multiplied in 16 bits.
func TestComputeFormatFollowsWeights(t *testing.T) {
	tests := []struct {
		accelerator string
		q           Quantization
		teraflops   float64
	}{
		{"h100-sxm", Quantization{}, 989},
		{"h100-sxm", Quantization{Weights: FP8}, 1978},
		{"h100-sxm", Quantization{Weights: INT8}, 1978},
		{"h100-sxm", Quantization{Weights: INT4}, 989},
		{"h100-sxm", Quantization{Weights: FP8, Activations: BF16}, 989},
		{"h100-sxm", Quantization{KVCache: FP8}, 989},
		{"a100-sxm", Quantization{Weights: FP8}, 312},
		{"a100-sxm", Quantization{Weights: INT8}, 624},
		{"b200-sxm", Quantization{Weights: INT8}, 2250},
		{"h100-sxm", Quantization{Weights: NVFP4}, 989},
		{"b200-sxm", Quantization{Weights: NVFP4}, 9000},
		{"b200-sxm", Quantization{Weights: NVFP4, Activations: BF16}, 2250},
		{"b200-sxm", Quantization{Weights: MXFP4}, 2250}, // unless asked for
		{"b200-sxm", Quantization{Weights: MXFP4, Activations: MXFP4}, 9000},
		{"b200-sxm", Quantization{Weights: MXFP4, Activations: FP8}, 4500}, // both at the rate of FP8
		{"b200-sxm", Quantization{Weights: INT4Group32}, 2250},
		{"mi355x", Quantization{Weights: NVFP4}, 2516.6},
		{"mi355x", Quantization{Weights: MXFP4}, 2516.6},
		{"mi355x", Quantization{Weights: MXFP4, Activations: MXFP4}, 10066.3},
		{"mi355x", Quantization{Weights: MXFP4, Activations: FP8}, 5033.2},
	}
	for _, tc := range tests {
		i := Instance{Model: mustModel(t, "Llama-3.1-8B"), Accelerator: mustAccelerator(t, tc.accelerator), TensorParallelism: 1, Quantization: tc.q}
		if got := i.computeFlopsPerSecond() / 1e12; math.Abs(got-tc.teraflops) > 1e-9 {
			t.Errorf("%s, %+v: %.0f TFLOPS, want %.0f", tc.accelerator, tc.q, got, tc.teraflops)
		}
		if errs := i.Validate(nil); len(errs) > 0 {
			t.Errorf("%s, %+v: %v", tc.accelerator, tc.q, errs.ToAggregate())
		}
	}
}

func TestQuantizationValidation(t *testing.T) {
	tests := map[string]struct {
		accelerator string
		q           Quantization
		want        []string
	}{
		"formats that are none": {"h100-sxm", Quantization{"fp4", "auto", "int4"}, []string{
			`pool.quantization.weights: Unsupported value: "fp4": supported values: "bf16", "fp8", "int8", "int4", "int4-g32", "nvfp4", "mxfp4"`,
			`pool.quantization.kvCache: Unsupported value: "auto": supported values: "bf16", "fp8", "int8", "int4"`,
			`pool.quantization.activations: Unsupported value: "int4": supported values: "bf16", "fp8", "int8", "nvfp4", "mxfp4"`,
		}},
		"FP8 on an accelerator without it": {"a100-sxm", Quantization{Weights: FP8, Activations: FP8}, []string{
			`pool.quantization.activations: Invalid value: "fp8": a100-sxm does not compute in it; in bf16 it can serve weights stored in it`}},
		"keys and values of a format of weights": {"b200-sxm", Quantization{KVCache: NVFP4}, []string{
			`pool.quantization.kvCache: Unsupported value: "nvfp4": supported values: "bf16", "fp8", "int8", "int4"`}},
		"NVFP4 on an accelerator without it": {"h100-sxm", Quantization{Weights: NVFP4, Activations: NVFP4}, []string{
			`pool.quantization.activations: Invalid value: "nvfp4": h100-sxm does not compute in it; in bf16 it can serve weights stored in it`}},
		"NVFP4 on one that computes in MXFP4": {"mi355x", Quantization{Weights: NVFP4, Activations: NVFP4}, []string{
			`pool.quantization.activations: Invalid value: "nvfp4": mi355x does not compute in it; in bf16 it can serve weights stored in it`}},
		"MXFP4 by FP8 without cores of 4 bits": {"h100-sxm", Quantization{Weights: MXFP4, Activations: FP8}, []string{
			`pool.quantization.activations: Invalid value: "fp8": must be the format of the weights, mxfp4, or bf16`}},
		"activations of another format": {"h100-sxm", Quantization{Weights: INT8, Activations: FP8}, []string{
			`pool.quantization.activations: Invalid value: "fp8": must be the format of the weights, int8, or bf16`}},
		"activations of 8 bits for weights of 16": {"h100-sxm", Quantization{Activations: FP8}, []string{
			`pool.quantization.activations: Invalid value: "fp8": must be the format of the weights, bf16, or bf16`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i := Instance{Model: mustModel(t, "Llama-3.1-8B"), Accelerator: mustAccelerator(t, tc.accelerator), TensorParallelism: 1, Quantization: tc.q}
			if diff := cmp.Diff(tc.want, errorMessages(i.Validate(field.NewPath("pool")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

// A pool's formats are those of the whole model; where it states none, layers and
// experts keep their own. Activations hold for what they can multiply.
func TestFormatsOfExperts(t *testing.T) {
	tests := map[string]struct {
		accelerator              string
		layers, experts          Precision // of the entry
		q                        Quantization
		wantLayers, wantExperts  Precision
		wantMultiply, wantExpert float64 // TFLOPS
		fault                    string
	}{
		"experts as the layers":             {"h100-sxm", FP8, "", Quantization{}, FP8, FP8, 1978, 1978, ""},
		"experts of their own":              {"h100-sxm", "", MXFP4, Quantization{}, BF16, MXFP4, 989, 989, ""},
		"layers of 8 bits, experts of 4":    {"b200-sxm", FP8, NVFP4, Quantization{}, FP8, NVFP4, 4500, 9000, ""},
		"the pool has one format for both":  {"h100-sxm", "", MXFP4, Quantization{Weights: FP8}, FP8, FP8, 1978, 1978, ""},
		"all in 16 bits":                    {"h100-sxm", FP8, MXFP4, Quantization{Weights: BF16}, BF16, BF16, 989, 989, ""},
		"activations that suit the experts": {"b200-sxm", "", MXFP4, Quantization{Activations: MXFP4}, BF16, MXFP4, 2250, 9000, ""},
		"activations that suit the layers":  {"h100-sxm", FP8, INT4, Quantization{Activations: FP8}, FP8, INT4, 1978, 989, ""},
		"activations that suit neither": {"h100-sxm", FP8, INT4, Quantization{Activations: INT8}, FP8, INT4, 1978, 989,
			`pool.quantization.activations: Invalid value: "int8": must be the format of the weights, fp8 or that of the experts, int4, or bf16`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			i := instance(t, "Mixtral-8x7B", tc.accelerator, 8)
			i.Model.Weights, i.Model.MoE.Weights, i.Quantization = tc.layers, tc.experts, tc.q
			if got, want := [2]Precision{i.quantization().Weights, i.expertQuantization().Weights}, [2]Precision{tc.wantLayers, tc.wantExperts}; got != want {
				t.Errorf("layers and experts in %v, want %v", got, want)
			}
			if got, want := [2]float64{i.computeFlopsPerSecond() / 1e12, i.expertFlopsPerSecond() / 1e12}, [2]float64{tc.wantMultiply, tc.wantExpert}; got != want {
				t.Errorf("layers and experts at %v TFLOPS, want %v", got, want)
			}
			var want []string
			if tc.fault != "" {
				want = []string{tc.fault}
			}
			if diff := cmp.Diff(want, errorMessages(i.Validate(field.NewPath("pool")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

// Experts of Mixtral-8x7B in MXFP4, all else in 16 bits: 32 layers have 8 experts of
// 3 matrices of 4096 by 14336, 17 bytes for 32 weights.
func TestBytesOfExperts(t *testing.T) {
	i := instance(t, "Mixtral-8x7B", "h100-sxm", 2)
	plain := i.WeightBytes()
	const experts = 8 * 32 * 3 * 4096 * 14336
	i.Model.MoE.Weights = MXFP4
	if got, want := i.WeightBytes(), plain-experts*2/2+experts*17/32/2; got != want {
		t.Errorf("%d bytes on each of 2 GPUs, want %d", got, want)
	}
	if got, want := i.expertBytes(), float64(experts/8*17/32/2); got != want {
		t.Errorf("an expert takes %f bytes, want %f", got, want)
	}
}

// The regression reads all experts in a step, in their own format.
func TestPhysicsReadsExpertsInTheirFormat(t *testing.T) {
	i := instance(t, "Mixtral-8x7B", "h100-sxm", 2)
	before := i.Physics().step
	i.Model.MoE.Weights = FP8
	const saved = 8 * 32 * 3 * 4096 * 14336 // bytes: one for each weight
	if got, want := before-i.Physics().step, physicsWeights*saved/2/3.35e6; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%f µs less, want %f", got, want)
	}
}
