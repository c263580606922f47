// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuiltinChecksSurviveWritingAndReading(t *testing.T) {
	if diff := cmp.Diff(string(checksYAML), string(BuiltinChecks().YAML())); diff != "" {
		t.Errorf("the table, written again (−file +written):\n%s", diff)
	}
}

// Ratios 0.9, 1, 1.2 and 1.5: the median is (1 + 1.2) ÷ 2, the errors are 10, 0, 20 and
// 50 %, their mean is 20 %, and 90 % of 4 points, rounded up, are all 4.
func TestFiguresOfAChecksPoints(t *testing.T) {
	got := Check{Metric: CheckedTTFT}.With([]float64{1.2, 0.9, 1.5, 1})
	want := Check{Metric: CheckedTTFT, Points: 4, MedianRatio: 1.1, MeanAbsoluteErrorPercent: 20, P90AbsoluteErrorPercent: 50}
	rounded := Checks{got}
	if diff := cmp.Diff(Checks{want}.YAML(), rounded.YAML()); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
	// Of ten points nine are within the second largest error.
	ten := Check{}.With([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1.3, 2})
	if want := "p90AbsoluteErrorPercent: 30,"; !strings.Contains(ten.line(), want) {
		t.Errorf("ten points: %s", ten.line())
	}
}

func TestFaultyChecks(t *testing.T) {
	const good = `{accelerator: h100-sxm, kind: Dense, tensorParallelism: [1], weights: bf16, metric: TTFT, points: 1, medianRatio: 1, meanAbsoluteErrorPercent: 1, source: a}`
	for name, tc := range map[string]struct{ before, after, want string }{
		"no accelerator": {"h100-sxm", "h100", `checks[0]: accelerator: the catalogue has no "h100"`},
		"no kind":        {"Dense", "dense", `checks[0]: kind: must be Dense or Experts, not "dense"`},
		"no GPU":         {"[1]", "[0]", "checks[0]: tensorParallelism: must be numbers of GPUs, not [0]"},
		"one version":    {"metric:", `fromVersion: "0.11", metric:`, `checks[0]: toVersion: Invalid value: "": unknown version of vLLM; the known ones are 0.6 to 0.24; the nearest is 0.24`},
		"versions turned": {"metric:", `fromVersion: "0.11", toVersion: "0.9", metric:`,
			"checks[0]: fromVersion, toVersion: 0.11 is newer than 0.9"},
		"no metric": {"TTFT", "ITL", `checks[0]: metric: must be one of [TPOT TTFT E2E], not "ITL"`},
		"no points": {"points: 1", "points: 0", "checks[0]: points: must be at least 1, not 0"},
		"no ratio":  {"medianRatio: 1", "medianRatio: 0", "checks[0]: medianRatio must be above 0, and no error below 0"},
		"no source": {"source: a", "source: ''", "checks[0]: source: name the measurement"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseChecks([]byte("checks:\n- " + strings.Replace(good, tc.before, tc.after, 1)))
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestNearestCheck(t *testing.T) {
	rows := func(texts ...string) Checks {
		checks, err := parseChecks([]byte("checks:\n- {metric: TTFT, points: 1, medianRatio: 1, source: a, " + strings.Join(texts, "}\n- {metric: TTFT, points: 1, medianRatio: 1, source: a, ") + "}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return checks
	}
	const (
		cell  = "accelerator: h100-sxm, kind: Dense, tensorParallelism: [4], weights: fp8, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
		newer = "accelerator: h100-sxm, kind: Dense, tensorParallelism: [4], weights: fp8, fromVersion: '0.15', toVersion: '0.15', meanAbsoluteErrorPercent: "
		eight = "accelerator: h100-sxm, kind: Dense, tensorParallelism: [8], weights: fp8, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
		bf16  = "accelerator: h100-sxm, kind: Dense, tensorParallelism: [4], weights: bf16, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
		h200  = "accelerator: h200-sxm, kind: Dense, tensorParallelism: [4], weights: fp8, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
		moe   = "accelerator: h100-sxm, kind: Experts, tensorParallelism: [4], weights: fp8, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
		ada   = "accelerator: l40s, kind: Dense, tensorParallelism: [4], weights: fp8, fromVersion: '0.11', toVersion: '0.12', meanAbsoluteErrorPercent: "
	)
	for name, tc := range map[string]struct {
		checks  Checks
		version EngineVersion
		percent float64
		but     string
	}{
		"its own cell":                        {rows(h200+"1", bf16+"2", eight+"3", newer+"4", cell+"5"), 12, 5, ""},
		"another release before other GPUs":   {rows(h200+"1", bf16+"2", eight+"3", newer+"4"), 12, 4, "with vLLM 0.15"},
		"the nearest of other releases":       {rows(cell+"3", newer+"4"), 14, 4, "with vLLM 0.15"},
		"an older release":                    {rows(cell + "3"), 19, 3, "with vLLM 0.11 to 0.12"},
		"other GPUs before other weights":     {rows(h200+"1", bf16+"2", eight+"3"), 12, 3, "at TP 8"},
		"other weights before another device": {rows(h200+"1", bf16+"2"), 12, 2, "with weights in bf16"},
		"a device of the generation":          {rows(h200+"1", ada+"2", moe+"3"), 16, 1, "with vLLM 0.11 to 0.12, on h200-sxm"},
		"releases that are not known":         {rows(strings.Replace(cell, "fromVersion: '0.11', toVersion: '0.12', ", "", 1) + "5"), 19, 5, ""},
		"the greatest error of the nearest":   {rows(cell+"5", cell+"7", cell+"6"), 12, 7, ""},
		"points that nothing was fitted to":   {rows(cell+"7, fitted: true", cell+"6"), 12, 6, ""},
		"points of a fit on another device":   {rows(h200 + "1, fitted: true"), 12, 0, ""},
		"points of a fit with another engine": {rows(newer + "1, fitted: true"), 12, 1, "with vLLM 0.15"},
		"other kinds and generations":         {rows(moe+"1", ada+"2"), 12, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h100, _ := Builtin().Accelerator("h100-sxm")
			llama, _ := Builtin().Model("Llama-3.1-70B")
			i := Instance{Model: llama, Accelerator: h100, TensorParallelism: 4, Quantization: Quantization{Weights: FP8}, EngineVersion: tc.version}
			got, ok := tc.checks.Nearest(CheckedTTFT, i)
			if ok != (tc.percent > 0) || got.MeanAbsoluteErrorPercent != tc.percent || got.But != tc.but {
				t.Errorf("found %v: %v %q, want %v %q", ok, got.MeanAbsoluteErrorPercent, got.But, tc.percent, tc.but)
			}
		})
	}
}

func TestChecksOfAnInstance(t *testing.T) {
	fitted := &Provenance{Shares: Fitted, Models: []string{"Llama-3.1-8B"}, TensorParallelism: []int{1}, Source: "a fit", MeanAbsoluteErrorPercent: map[CheckedMetric]float64{"TTFT": 3}}
	for name, tc := range map[string]struct {
		accelerator, model string
		gpus               int
		edit               func(*Accelerator)
		want               int
		first              string
	}{
		"an entry of ours":                          {"h100-sxm", "Llama-3.1-8B", 1, nil, 3, "TPOT"},
		"a chip of its generation":                  {"h200-sxm", "Llama-3.1-8B", 1, nil, 3, "TPOT"},
		"a chip without a measurement":              {"mi300x", "Llama-3.1-8B", 1, nil, 0, ""},
		"experts, where only dense were measured":   {"rtx-pro-6000", "gpt-oss-20b", 1, nil, 0, ""},
		"published shares of a generation":          {"h100-sxm", "Llama-3.1-8B", 1, func(a *Accelerator) { a.Name = "h100-nvl" }, 3, "TPOT"},
		"a fit of ours":                             {"rtx-pro-6000", "Llama-3.1-8B", 1, nil, 3, "TPOT"},
		"a fit of ours to another model":            {"rtx-pro-6000", "Qwen3-8B", 1, nil, 0, ""},
		"a fit of ours to fewer GPUs":               {"rtx-pro-6000", "Llama-3.1-8B", 2, nil, 0, ""},
		"shares that the user gives":                {"h100-sxm", "Llama-3.1-8B", 1, func(a *Accelerator) { a.Provenance = nil }, 0, ""},
		"shares that were fitted on this":           {"h100-sxm", "Llama-3.1-8B", 1, func(a *Accelerator) { a.Provenance = fitted }, 1, "TTFT"},
		"shares that were fitted on something else": {"h100-sxm", "Llama-3.1-8B", 2, func(a *Accelerator) { a.Provenance = fitted }, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			i := Instance{TensorParallelism: tc.gpus}
			i.Accelerator, _ = Builtin().Accelerator(tc.accelerator)
			i.Model, _ = Builtin().Model(tc.model)
			if tc.edit != nil {
				tc.edit(&i.Accelerator)
			}
			got := i.Checks(Builtin())
			if len(got) != tc.want || len(got) > 0 && string(got[0].Metric) != tc.first {
				t.Errorf("%d checks, want %d: %+v", len(got), tc.want, got)
			}
		})
	}
}
