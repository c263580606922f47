// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/latency"
)

// calibratedEntry is an entry of the user's with the errors of a fit. There is no error of TTFT.
const calibratedEntry = ownAccelerator + "  provenance: {shares: Fitted, models: [meta-llama/Llama-3.1-8B-Instruct], tensorParallelism: [1], source: a run, meanAbsoluteErrorPercent: {TPOT: 2.5, E2E: 3}}\n"

func TestModelError(t *testing.T) {
	calibrated := func(s *v1alpha1.Scenario) {
		s.Catalogue = []v1alpha1.CatalogueSource{{Inline: ptr.To(calibratedEntry)}}
		s.Pools[0].Accelerator = "my-gpu"
	}
	for name, tc := range map[string]struct {
		edit    func(*v1alpha1.Scenario)
		metric  latency.CheckedMetric
		share   float64
		settles string // empty where the pool is checked
	}{
		"a calibrated pool":                      {calibrated, "TPOT", 0.025, ""},
		"a metric that was not measured":         {calibrated, "TTFT", 0, "measure TTFT of meta-llama/Llama-3.1-8B-Instruct on my-gpu at TP 1, and calibrate"},
		"the overheads of the fit in the pool":   {func(s *v1alpha1.Scenario) { calibrated(s); s.Pools[0].Latency.Roofline = overheads }, "E2E", 0.03, ""},
		"coefficients of the user's own":         {func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Roofline = overheads }, "TPOT", 0, "measure TPOT of meta-llama/Llama-3.1-8B-Instruct on h100-sxm at TP 1, and calibrate"},
		"a model without shares":                 {func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Model = v1alpha1.PhysicsModel }, "TPOT", 0, "measure TPOT of meta-llama/Llama-3.1-8B-Instruct on h100-sxm at TP 1, and calibrate"},
		"an engine that speculates":              {speculate(eagle()), "TPOT", 0, "measure TPOT of meta-llama/Llama-3.1-8B-Instruct on h100-sxm at TP 1, and calibrate"},
		"a GPU of which there is no measurement": {func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator = "mi300x" }, "E2E", 0, "measure E2E of meta-llama/Llama-3.1-8B-Instruct on mi300x at TP 1, and calibrate"},
		"one pool of two that is unchecked": {func(s *v1alpha1.Scenario) {
			calibrated(s)
			s.Pools = append(s.Pools, s.Pools[0], s.Pools[0])
			s.Pools[1].Name, s.Pools[1].Accelerator, s.Pools[2].Name = "second", "mi300x", "third"
		}, "TPOT", 0, "measure TPOT of meta-llama/Llama-3.1-8B-Instruct on mi300x at TP 1, and calibrate"},
	} {
		t.Run(name, func(t *testing.T) {
			got := new(Builder).ModelError(rootOf(t, buildValid(t, tc.edit).in), tc.metric)
			if got.Unchecked != (tc.settles != "") || !got.Unchecked && got.Share != tc.share || got.Unchecked && got.Settles != tc.settles {
				t.Errorf("%+v, want %v, %s", got, tc.share, tc.settles)
			}
		})
	}
}

// TestStepTimesNameTheirErrors tests the end of a line. The figures of the built-in table
// come from a validation.
func TestStepTimesNameTheirErrors(t *testing.T) {
	const unchecked, so = "; unchecked: no measurement of ", ", so calibrate before you rely on absolute times"
	on := func(accelerator, model string) func(*v1alpha1.Scenario) {
		return func(s *v1alpha1.Scenario) { s.Pools[0].Accelerator, s.Pools[0].Model = accelerator, model }
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"a GPU without a measurement":  {on("mi300x", "gpt-oss-20b"), unchecked + "models with experts on mi300x" + so},
		"an engine that speculates":    {speculate(eagle()), unchecked + "engines with speculative decoding" + so},
		"a fit to another model":       {on("rtx-4090", "Qwen3-8B"), unchecked + "Qwen/Qwen3-8B with these shares at TP 1" + so},
		"the user's own overheads":     {func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Roofline = overheads }, unchecked + "these coefficients" + so},
		"a model that knows no shares": {func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Model = v1alpha1.PhysicsModel }, unchecked + "these coefficients" + so},
		"the user's own shares": {func(s *v1alpha1.Scenario) {
			s.Catalogue, s.Pools[0].Accelerator = []v1alpha1.CatalogueSource{{Inline: ptr.To(ownAccelerator)}}, "my-gpu"
		}, unchecked + "these coefficients" + so},
		"a calibrated pool": {func(s *v1alpha1.Scenario) {
			s.Catalogue, s.Pools[0].Accelerator = []v1alpha1.CatalogueSource{{Inline: ptr.To(calibratedEntry)}}, "my-gpu"
			s.Pools[0].Engine.Version = "0.15"
		}, "; such predictions (dense models, bf16, vLLM 0.15) were off by 2.5 % in TPOT, by 3 % in E2E"},
		"experts that were measured": {on("h100-sxm", "gpt-oss-120b"), "; such predictions (models with experts, mxfp4, vLLM "},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _ := new(Builder).StepTimes(buildValid(t, tc.edit).in, spec)
			if len(lines) != 1 || !strings.Contains(lines[0], tc.want) {
				t.Errorf("%q, want at the end %q", lines, tc.want)
			}
		})
	}
}

func TestTextsOfChecks(t *testing.T) {
	for want, check := range map[string]latency.AppliedCheck{
		"17 % in TPOT (median ratio 0.85, 43 points)": {Check: latency.Check{Metric: "TPOT", MeanAbsoluteErrorPercent: 17, MedianRatio: 0.85, Points: 43}},
		"9.6 % in TTFT (p90 21 %, median ratio 1.1, 1 point with vLLM 0.11, at TP 8)": {
			But: "with vLLM 0.11, at TP 8", Check: latency.Check{Metric: "TTFT", MeanAbsoluteErrorPercent: 9.6, P90AbsoluteErrorPercent: 21, MedianRatio: 1.1, Points: 1},
		},
		"0.1 % in E2E (median ratio 1, 2 points of the fit)": {Check: latency.Check{Metric: "E2E", MeanAbsoluteErrorPercent: 0.1, MedianRatio: 1, Points: 2, Fitted: true}},
	} {
		if got := checkText(&check); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

var overheads = &v1alpha1.RooflineCoefficients{LayerOverheadMicroseconds: "20"}

// rootOf is a scenario as a plan holds it.
func rootOf(t *testing.T, in *v1alpha1.Scenario) Tree {
	t.Helper()
	raw := jsontest.Encode(t, in)
	root, d := Tree{}, json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	return root
}

// The worse of two errors bounds that of their sum.
func TestTheErrorOfASum(t *testing.T) {
	both := []latency.AppliedCheck{
		{Check: latency.Check{Metric: "TPOT", MeanAbsoluteErrorPercent: 6}}, {Check: latency.Check{Metric: "TTFT", MeanAbsoluteErrorPercent: 10}},
	}
	if percent, known := errorPercent(both, "E2E"); percent != 10 || !known {
		t.Errorf("%v %t, want 10", percent, known)
	}
	if _, known := errorPercent(both[:1], "E2E"); known {
		t.Error("one of two parts is enough for a sum")
	}
}

// A difference has the error of one model if nothing that step times depend on differs.
func TestScenariosWithOneModelOfStepTimes(t *testing.T) {
	of := func(edit func(*v1alpha1.Scenario)) string {
		return new(Builder).ModelError(rootOf(t, buildValid(t, edit).in), "TPOT").Model
	}
	base := of(func(*v1alpha1.Scenario) {})
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		same bool
	}{
		"more replicas":    {func(s *v1alpha1.Scenario) { s.Pools[0].Replicas++ }, true},
		"larger batches":   {func(s *v1alpha1.Scenario) { s.Pools[0].Engine.MaxNumBatchedTokens = 4096 }, true},
		"more GPUs":        {func(s *v1alpha1.Scenario) { s.Pools[0].TensorParallelism = 2 }, false},
		"another format":   {func(s *v1alpha1.Scenario) { s.Pools[0].Quantization.Weights = "fp8" }, false},
		"another release":  {func(s *v1alpha1.Scenario) { s.Pools[0].Engine.Version = "0.15" }, false},
		"other overheads":  {func(s *v1alpha1.Scenario) { s.Pools[0].Latency.Roofline = overheads }, false},
		"a pool like this": {func(s *v1alpha1.Scenario) { s.Pools = append(s.Pools, s.Pools[0]); s.Pools[1].Name = "b" }, true},
	} {
		if got := of(tc.edit); (got == base) != tc.same {
			t.Errorf("%s: one model %t", name, got == base)
		}
	}
}
