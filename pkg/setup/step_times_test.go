// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ownAccelerator is an entry of the user's, before its provenance.
const ownAccelerator = `accelerators:
- name: my-gpu
  memoryBytes: 85899345920
  memoryBandwidthBytesPerSecond: 2e12
  bf16FlopsPerSecond: 300e12
  linkBandwidthBytesPerSecond: 300e9
  memoryEfficiency: 0.8
  prefillEfficiency: 0.5
  decodeEfficiency: 0.5
`

func TestStepTimes(t *testing.T) {
	own := func(p *v1alpha1.Scenario, provenance string) {
		p.Catalogue = []v1alpha1.CatalogueSource{{Inline: ptr.To(ownAccelerator + provenance)}}
		p.Pools[0].Accelerator = "my-gpu"
	}
	for name, tc := range map[string]struct {
		edit           func(*v1alpha1.Scenario)
		want, warnings []string
	}{
		"published shares": {
			edit: func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator = "h20" },
			want: []string{"llama on h20, TP 1: shares of peak published (one MFU for both phases), fitted to no engine"},
		},
		"those of another accelerator": {
			edit: func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator = "b200-sxm" },
			want: []string{"llama on b200-sxm, TP 1: shares of peak published for gb200 (one MFU for both phases), fitted to no engine"},
		},
		"shares fitted on what the pool serves": {
			edit: func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator = "rtx-pro-6000" },
			want: []string{"llama on rtx-pro-6000, TP 1: shares of peak fitted on Llama-3.1-8B at TP 1 (a run of vLLM 0.19)"},
		},
		"shares fitted on another model": {
			edit: func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator, s.Pools[0].Model = "rtx-pro-6000", "Qwen3-8B" },
			want: []string{"llama on rtx-pro-6000, TP 1: shares of peak fitted on Llama-3.1-8B at TP 1 (a run of vLLM 0.19), not on Qwen/Qwen3-8B at TP 1"},
			warnings: []string{"spec.scenario.pools[0]: the shares of rtx-pro-6000 were fitted on Llama-3.1-8B at TP 1, " +
				"and this pool serves Qwen3-8B at TP 1: calibrate, or see the step times as an extrapolation"},
		},
		"shares fitted on one GPU, and two serve": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Accelerator, s.Pools[0].TensorParallelism = "rtx-pro-6000", 2
			},
			want: []string{"llama on rtx-pro-6000, TP 2: shares of peak fitted on Llama-3.1-8B at TP 1 (a run of vLLM 0.19), " +
				"not on meta-llama/Llama-3.1-8B-Instruct at TP 2; all-reduce: measured curve (vLLM 0.24.0)"},
			warnings: []string{"spec.scenario.pools[0]: the shares of rtx-pro-6000 were fitted on Llama-3.1-8B at TP 1, " +
				"and this pool serves meta-llama/Llama-3.1-8B-Instruct at TP 2: calibrate, or see the step times as an extrapolation"},
		},
		"an entry of the user's": {
			edit: func(s *v1alpha1.Scenario) { own(s, "") },
			want: []string{"llama on my-gpu, TP 1: shares of peak given by you"},
		},
		"an entry that calibrate wrote": {
			edit: func(s *v1alpha1.Scenario) {
				own(s, "  provenance: {shares: Fitted, models: [meta-llama/Llama-3.1-8B-Instruct], tensorParallelism: [1], source: 'windtunnel calibrate, 300 requests'}\n")
			},
			want: []string{"llama on my-gpu, TP 1: shares of peak fitted on meta-llama/Llama-3.1-8B-Instruct at TP 1 (windtunnel calibrate, 300 requests)"},
		},
		"one share and an overhead given": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Accelerator = "h20"
				s.Pools[0].Latency.Roofline = &v1alpha1.RooflineCoefficients{MemoryEfficiency: "0.7", StepOverheadMicroseconds: "2"}
			},
			want: []string{"llama on h20, TP 1: shares of peak published (one MFU for both phases), fitted to no engine; memoryEfficiency, stepOverheadMicroseconds given by you"},
		},
		"all shares given, of an accelerator that was fitted on another model": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Accelerator, s.Pools[0].Model = "rtx-4090", "Qwen2.5-7B"
				s.Pools[0].Latency.Roofline = &v1alpha1.RooflineCoefficients{MemoryEfficiency: "0.7", PrefillEfficiency: "0.5", DecodeEfficiency: "0.5"}
			},
			want: []string{"llama on rtx-4090, TP 1: shares of peak given by you"},
		},
		"a measured all-reduce given": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Accelerator, s.Pools[0].TensorParallelism = "h20", 2
				s.Pools[0].Latency.Roofline = &v1alpha1.RooflineCoefficients{AllReduce: []v1alpha1.AllReduceTime{
					{Bytes: 8192, Microseconds: "18"}, {Bytes: 1048576, Microseconds: "31"},
				}}
			},
			want: []string{"llama on h20, TP 2: shares of peak published (one MFU for both phases), fitted to no engine; all-reduce: measured curve given by you"},
		},
		"a linear model": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Latency = v1alpha1.Latency{Model: v1alpha1.LinearModel, Linear: &v1alpha1.LinearCoefficients{
					BaseMicroseconds: "1000", PerPrefillTokenMicroseconds: "1", PerDecodeTokenMicroseconds: "1",
				}}
			},
			want: []string{"llama on h100-sxm, TP 1: linear in the tokens of a step, by coefficients given by you"},
		},
		"the physics model": {
			edit: func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Model = v1alpha1.PhysicsModel },
			want: []string{"llama on h100-sxm, TP 1: a published regression, with one set of coefficients for all accelerators; all-reduce: part of it"},
		},
		"pools of which the same is to be said": {
			edit: func(s *v1alpha1.Scenario) {
				s.Pools[0].Accelerator = "h20"
				second, third := s.Pools[0], s.Pools[0]
				second.Name, third.Name, third.Accelerator = "second", "third", "b200-sxm"
				s.Pools = append(s.Pools, third, second)
			},
			want: []string{
				"llama, second on h20, TP 1: shares of peak published (one MFU for both phases), fitted to no engine",
				"third on b200-sxm, TP 1: shares of peak published for gb200 (one MFU for both phases), fitted to no engine",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := buildValid(t, tc.edit)
			got, warnings := new(Builder).StepTimes(m.in, spec)
			for i := range got {
				got[i], _, _ = strings.Cut(got[i], "; such predictions")
				got[i], _, _ = strings.Cut(got[i], "; unchecked")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("lines (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("warnings (−want +got):\n%s", diff)
			}
		})
	}
}
