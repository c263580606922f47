// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
)

func errorMessages(errs field.ErrorList) []string {
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

func TestParallelismValidation(t *testing.T) {
	tests := map[string]struct {
		model, accelerator string
		tp                 int
		want               []string
	}{
		"one GPU": {"Llama-3.1-8B", "h100-sxm", 1, nil},
		"fewer KV heads than GPUs": {"Qwen2.5-7B", "h100-sxm", 7, []string{
			"pool.tensorParallelism: Invalid value: 7: must divide the 4 KV heads of Qwen/Qwen2.5-7B, or be a multiple of them"}},
		"more GPUs than a machine has": {"Llama-3.1-8B", "h100-sxm", 16, []string{
			"pool.tensorParallelism: Invalid value: 16: must be at most 8, the GPUs of one machine: links between machines are not modelled"}},
		"a large model on as many as it needs": {"Llama-3.1-70B", "h100-sxm", 2, nil},
		"no GPU": {"Llama-3.1-8B", "h100-sxm", 0, []string{
			"pool.tensorParallelism: Invalid value: 0: must be at least 1"}},
		"heads that cannot be dealt out": {"Qwen2.5-7B", "h100-sxm", 8, []string{
			"pool.tensorParallelism: Invalid value: 8: must divide the 28 attention heads of Qwen/Qwen2.5-7B"}},
		"KV heads that cannot be dealt out": {"Qwen2.5-7B", "h100-sxm", 7, []string{
			"pool.tensorParallelism: Invalid value: 7: must divide the 4 KV heads of Qwen/Qwen2.5-7B, or be a multiple of them"}},
		"weights beyond the memory": {"Llama-3.1-70B", "h100-sxm", 1, []string{
			"pool.tensorParallelism: Invalid value: 1: meta-llama/Llama-3.1-70B-Instruct does not fit: its weights take 131.4 GiB of each GPU, and h100-sxm has 80.0 GiB"}},
		"weights beyond a smaller memory": {"Llama-2-70B", "l40s", 1, []string{
			"pool.tensorParallelism: Invalid value: 1: meta-llama/Llama-2-70b-hf does not fit: its weights take 128.5 GiB of each GPU, and l40s has 45.0 GiB"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			errs := instance(t, tc.model, tc.accelerator, tc.tp).Validate(field.NewPath("pool"))
			if diff := cmp.Diff(tc.want, errorMessages(errs)); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func TestValidationReportsAllErrors(t *testing.T) {
	m := mustModel(t, "Llama-3.1-70B")
	m.Layers *= 2
	errs := Instance{Model: m, Accelerator: mustAccelerator(t, "h100-sxm"), TensorParallelism: 3}.Validate(nil)
	want := []string{
		"tensorParallelism: Invalid value: 3: must divide the 64 attention heads of meta-llama/Llama-3.1-70B-Instruct",
		"tensorParallelism: Invalid value: 3: meta-llama/Llama-3.1-70B-Instruct does not fit: its weights take 86.5 GiB of each GPU, and h100-sxm has 80.0 GiB",
	}
	if diff := cmp.Diff(want, errorMessages(errs)); diff != "" {
		t.Errorf("faults (−want +got):\n%s", diff)
	}
}

func TestValidateCoefficients(t *testing.T) {
	fine := RooflineCoefficients{MemoryEfficiency: 1, PrefillEfficiency: 0.01, DecodeEfficiency: 0.5, KVEfficiency: 0.5, ExpertEfficiency: 0.7, ExpertMemoryEfficiency: 1, ExpertImbalance: 1.3, LinkEfficiency: 0.5}
	tests := map[string]struct {
		validate func(*field.Path) field.ErrorList
		want     []string
	}{
		"a roofline without overheads": {fine.Validate, nil},
		"an empty roofline": {RooflineCoefficients{}.Validate, []string{
			"x.memoryEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.prefillEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.decodeEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.kvEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.expertEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.expertMemoryEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.linkEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"x.expertImbalance: Invalid value: 0: must be at least 1 and at most 1000: it is the busiest GPU's work over the mean",
		}},
		"shares beyond the peak, negative overheads": {RooflineCoefficients{
			MemoryEfficiency: 1.5, PrefillEfficiency: math.NaN(), DecodeEfficiency: 1, ExpertEfficiency: 1, ExpertImbalance: math.NaN(),
			StepOverhead: -1500 * time.Nanosecond, LayerOverhead: -1, TokenOverhead: -1, AllReduceLatency: -time.Microsecond,
			EagerLayerOverhead: -1, DispatchLatency: -1, DispatchTokenOverhead: -1, LinkEfficiency: 1, KVEfficiency: 2, ExpertMemoryEfficiency: 1,
		}.Validate, []string{
			"x.memoryEfficiency: Invalid value: 1.5: must be greater than 0 and at most 1: it is a share of the peak",
			"x.prefillEfficiency: Invalid value: NaN: must be greater than 0 and at most 1: it is a share of the peak",
			"x.kvEfficiency: Invalid value: 2: must be greater than 0 and at most 1: it is a share of the peak",
			"x.expertImbalance: Invalid value: NaN: must be at least 1 and at most 1000: it is the busiest GPU's work over the mean",
			"x.stepOverheadMicroseconds: Invalid value: -1.5: must be 0 or more",
			"x.layerOverheadMicroseconds: Invalid value: -0.001: must be 0 or more",
			"x.tokenOverheadMicroseconds: Invalid value: -0.001: must be 0 or more",
			"x.allReduceLatencyMicroseconds: Invalid value: -1: must be 0 or more",
			"x.eagerLayerOverheadMicroseconds: Invalid value: -0.001: must be 0 or more",
			"x.dispatchLatencyMicroseconds: Invalid value: -0.001: must be 0 or more",
			"x.dispatchTokenOverheadMicroseconds: Invalid value: -0.001: must be 0 or more",
		}},
		"an empty linear model": {Linear{}.Validate, nil},
		"a linear model with negative coefficients": {Linear{-1, math.NaN(), -0.5}.Validate, []string{
			"x.baseMicroseconds: Invalid value: -1: must be 0 or more",
			"x.perPrefillTokenMicroseconds: Invalid value: NaN: must be 0 or more",
			"x.perDecodeTokenMicroseconds: Invalid value: -0.5: must be 0 or more",
		}},
		"no costs": {RequestCost{}.Validate, nil},
		"negative costs": {RequestCost{-time.Microsecond, -2 * time.Microsecond, -time.Millisecond, -1}.Validate, []string{
			"x.queueBaseMicroseconds: Invalid value: -1: must be 0 or more",
			"x.queuePerTokenMicroseconds: Invalid value: -2: must be 0 or more",
			"x.perOutputTokenMicroseconds: Invalid value: -1000: must be 0 or more",
			"x.completionMicroseconds: Invalid value: -0.001: must be 0 or more",
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, errorMessages(tc.validate(field.NewPath("x")))); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func TestRooflinePanicsOnInvalidCoefficients(t *testing.T) {
	m, a := mustModel(t, "Llama-3.1-8B"), mustAccelerator(t, "h100-sxm")
	for name, build := range map[string]func(){
		"no GPU":          func() { Instance{Model: m, Accelerator: a}.Roofline(DefaultRoofline(a)) },
		"no coefficients": func() { Instance{Model: m, Accelerator: a, TensorParallelism: 1}.Roofline(RooflineCoefficients{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "no panic")
			build()
		})
	}
}
