// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// fileOf is a file of the catalogue.
func fileOf(t testing.TB, name string) []byte {
	t.Helper()
	return testfile.Read(t, filepath.Join("catalogue", name))
}

// TestTheEmbeddedEntriesAreThoseOfTheFiles holds entries.json against the files that people edit.
func TestTheEmbeddedEntriesAreThoseOfTheFiles(t *testing.T) {
	var want Entries
	for _, name := range []string{"models.yaml", "accelerators.yaml"} {
		entries, errs := ParseEntries(fileOf(t, name), field.NewPath(name))
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		want.Models, want.Accelerators = append(want.Models, entries.Models...), append(want.Accelerators, entries.Accelerators...)
	}
	raw := jsontest.Encode(t, want)
	if *golden.Update {
		testfile.Write(t, filepath.Join("catalogue", "entries.json"), raw)
	}
	got := jsontest.Decode[Entries](t, fileOf(t, "entries.json"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go test ./pkg/latency -run %s -update writes entries.json (-files +embedded):\n%s", t.Name(), diff)
	}
}

func TestNamesAreSorted(t *testing.T) {
	want := []string{
		"MiniMaxAI/MiniMax-M2.5",
		"Qwen/Qwen2.5-14B",
		"Qwen/Qwen2.5-14B-Instruct",
		"Qwen/Qwen2.5-32B",
		"Qwen/Qwen2.5-32B-Instruct",
		"Qwen/Qwen2.5-72B",
		"Qwen/Qwen2.5-72B-Instruct",
		"Qwen/Qwen2.5-7B",
		"Qwen/Qwen2.5-7B-Instruct",
		"Qwen/Qwen3-14B",
		"Qwen/Qwen3-235B-A22B",
		"Qwen/Qwen3-235B-A22B-Instruct-2507",
		"Qwen/Qwen3-30B-A3B",
		"Qwen/Qwen3-30B-A3B-Instruct-2507",
		"Qwen/Qwen3-32B",
		"Qwen/Qwen3-8B",
		"Qwen/Qwen3-Coder-480B-A35B-Instruct",
		"deepseek-ai/DeepSeek-V3",
		"deepseek-ai/DeepSeek-V3.2",
		"google/gemma-3-12b-it",
		"google/gemma-3-27b-it",
		"meta-llama/Llama-2-70b-hf",
		"meta-llama/Llama-3.1-405B-Instruct",
		"meta-llama/Llama-3.1-70B-Instruct",
		"meta-llama/Llama-3.1-8B-Instruct",
		"meta-llama/Llama-4-Maverick-17B-128E-Instruct",
		"meta-llama/Llama-4-Scout-17B-16E-Instruct",
		"mistralai/Mistral-7B-Instruct-v0.3",
		"mistralai/Mistral-Small-24B-Instruct-2501",
		"mistralai/Mixtral-8x22B-Instruct-v0.1",
		"mistralai/Mixtral-8x7B-Instruct-v0.1",
		"moonshotai/Kimi-K2-Instruct",
		"moonshotai/Kimi-K2.5",
		"openai/gpt-oss-120b",
		"openai/gpt-oss-20b",
		"zai-org/GLM-4.5",
		"zai-org/GLM-4.5-Air",
		"zai-org/GLM-4.6",
	}
	if diff := cmp.Diff(want, Builtin().ModelNames()); diff != "" {
		t.Errorf("models (−want +got):\n%s", diff)
	}
	want = []string{
		"a100-sxm", "a100-sxm-40gb", "a10g", "b200-sxm", "b300-sxm", "gb200", "gb300", "gh200",
		"h100-pcie", "h100-sxm", "h20", "h200-sxm", "l4", "l40s", "mi300x", "mi325x", "mi355x",
		"rtx-4090", "rtx-pro-6000", "rtx-pro-6000-workstation",
	}
	if diff := cmp.Diff(want, Builtin().AcceleratorNames()); diff != "" {
		t.Errorf("accelerators (−want +got):\n%s", diff)
	}
}

func TestModelLookupByNameAndAlias(t *testing.T) {
	tests := map[string]struct{ name, want string }{
		"a canonical name":              {"meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
		"an alias":                      {"Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct"},
		"another case is another name":  {"llama-3.1-8b", ""},
		"half a name":                   {"Llama-3.1", ""},
		"no name":                       {"", ""},
		"an accelerator is not a model": {"h100-sxm", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, ok := Builtin().Model(tc.name)
			if ok != (tc.want != "") || m.Name != tc.want {
				t.Errorf("Model(%q) = %q, %v, want %q", tc.name, m.Name, ok, tc.want)
			}
		})
	}
	if _, ok := Builtin().Accelerator("H100-SXM"); ok {
		t.Error("an accelerator is found under a name in another case")
	}
}

func TestCatalogueReturnsCopies(t *testing.T) {
	m := mustModel(t, "DeepSeek-V3")
	m.Aliases[0], m.MoE.Experts, m.MLA.KVRank = "overwritten", 0, 0
	again := mustModel(t, "DeepSeek-V3")
	if again.Aliases[0] == "overwritten" || again.MoE.Experts == 0 || again.MLA.KVRank == 0 {
		t.Error("the catalogue has changed")
	}
}

func TestAcceleratorDefaultsAreValid(t *testing.T) {
	for _, name := range Builtin().AcceleratorNames() {
		if errs := DefaultRoofline(mustAccelerator(t, name)).Validate(nil); len(errs) > 0 {
			t.Errorf("%s: %v", name, errs.ToAggregate())
		}
	}
}

func TestUserEntriesComeFirst(t *testing.T) {
	llama, h100 := mustModel(t, "Llama-3.1-8B"), mustAccelerator(t, "h100-sxm")
	replaced, shadowing := llama.clone(), llama.clone()
	replaced.Layers = 33
	shadowing.Name, shadowing.Aliases, shadowing.Layers = "Qwen3-8B", nil, 34
	slower := h100
	slower.MemoryBytes /= 2
	c := Builtin().With(Entries{Models: []Model{replaced}}, Entries{Models: []Model{shadowing}, Accelerators: []Accelerator{slower}})
	for name, layers := range map[string]int{"Llama-3.1-8B": 33, llama.Name: 33, "Qwen3-8B": 34, "Qwen/Qwen3-8B": 36} {
		if m, ok := c.Model(name); !ok || m.Layers != layers {
			t.Errorf("%s has %d layers, want %d", name, m.Layers, layers)
		}
	}
	if a, _ := c.Accelerator("h100-sxm"); a.MemoryBytes != slower.MemoryBytes {
		t.Error("the accelerator is the built-in one")
	}
	if got, want := len(c.ModelNames()), len(Builtin().ModelNames())+1; got != want {
		t.Errorf("%d names, want %d", got, want)
	}
	if m := mustModel(t, "Llama-3.1-8B"); m.Layers != 32 {
		t.Error("the built-in catalogue has changed")
	}
}

func TestLaterListOverrides(t *testing.T) {
	first, second := mustModel(t, "Qwen3-8B"), mustModel(t, "Qwen3-8B")
	first.Layers, second.Layers = 1, 2
	for _, c := range []*Catalogue{
		Builtin().With(Entries{Models: []Model{first}}, Entries{Models: []Model{second}}),
		Builtin().With(Entries{Models: []Model{first}}).With(Entries{Models: []Model{second}}),
	} {
		if m, _ := c.Model("Qwen3-8B"); m.Layers != 2 {
			t.Errorf("%d layers, want 2", m.Layers)
		}
	}
}

func TestModelSizes(t *testing.T) {
	tests := map[string]struct {
		parametersBillion, weightsGiB float64
		kvBytesPerToken               int64
		gigaflopsPerToken             float64 // layers and LM head
	}{
		"Llama-3.1-8B":  {8.03, 14.96, 131072, 15.0},
		"Llama-3.1-70B": {70.55, 131.4, 327680, 139},
		"Llama-2-70B":   {68.98, 128.5, 327680, 137},
		"Qwen2.5-7B":    {7.62, 14.18, 57344, 14.1},
		"Qwen3-8B":      {8.19, 15.26, 147456, 15.1},
		"Qwen3-14B":     {14.77, 27.51, 163840, 28.0},
		"Qwen3-32B":     {32.76, 61.02, 262144, 64.0},
		"Mixtral-8x7B":  {46.70, 86.99, 131072, 25.5},
		"Qwen3-30B-A3B": {30.53, 56.87, 98304, 6.1},
		// 480 billion of which 35 are active, and 117 of which 5.1 are and 21 of which
		// 3.6 are, as published.
		"Qwen3-Coder-480B-A35B-Instruct": {480.15, 894.3, 253952, 2 * 34.5},
		"gpt-oss-120b":                   {116.79, 217.5, 36864, 2 * 5.13},
		"gpt-oss-20b":                    {20.91, 38.94, 24576, 2 * 3.61},
		// 671 billion of which 37 are active, as published: those count the
		// embedding, which nothing is multiplied by.
		"DeepSeek-V3": {671.03, 1249.9, 70272, 2 * (37.55 - 0.927)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := mustModel(t, name)
			i := Instance{Model: m, TensorParallelism: 1, Quantization: Quantization{Weights: BF16}}
			if got := float64(m.Parameters()) / 1e9; math.Abs(got-tc.parametersBillion) > 0.005 {
				t.Errorf("parameters = %.3f billion, want %.2f", got, tc.parametersBillion)
			}
			if got := float64(i.WeightBytes()) / gib; math.Abs(got/tc.weightsGiB-1) > 0.0005 {
				t.Errorf("weights = %.2f GiB, want %.2f", got, tc.weightsGiB)
			}
			if got := i.KVBytesPerToken(); got != tc.kvBytesPerToken {
				t.Errorf("KV bytes per token = %d, want %d", got, tc.kvBytesPerToken)
			}
			if got := 2 * float64(m.ActiveParameters()) / 1e9; math.Abs(got/tc.gigaflopsPerToken-1) > 0.005 {
				t.Errorf("%.2f GFLOP a token, want %.1f", got, tc.gigaflopsPerToken)
			}
		})
	}
}

// The sizes that the models are published with, in billions. Those of Llama 4, Gemma 3 and
// Kimi-K2.5 have a vision encoder of 0.4 to 0.9 too, and those of GLM-4.5 and MiniMax-M2 not
// the layers for further tokens.
func TestPublishedSizes(t *testing.T) {
	for name, tc := range map[string]struct{ parameters, active float64 }{
		"Llama-3.1-405B":    {405, 405},
		"Llama-4-Scout":     {109 - 0.9, 17},
		"Llama-4-Maverick":  {400, 17},
		"Mistral-7B-v0.3":   {7.25, 7.25},
		"Mistral-Small-24B": {23.6, 23.6},
		"Mixtral-8x22B":     {141, 39},
		"gemma-3-12b":       {12.2 - 0.42, 12.2 - 0.42},
		"gemma-3-27b":       {27.4 - 0.42, 27.4 - 0.42},
		"Qwen2.5-14B":       {14.7, 14.7},
		"Qwen2.5-32B":       {32.5, 32.5},
		"Qwen2.5-72B":       {72.7, 72.7},
		"Qwen3-235B-A22B":   {235, 22},
		"MiniMax-M2.5":      {229, 10},
		"GLM-4.5":           {355, 32},
		"GLM-4.6":           {355, 32},
		"GLM-4.5-Air":       {106, 12},
		"DeepSeek-V3.1":     {671, 37},
		"Kimi-K2":           {1026, 32},
		"Kimi-K2.5":         {1026, 32},
		"gpt-oss-120b":      {116.8, 5.1},
	} {
		m := mustModel(t, name)
		if got := float64(m.Parameters()) / 1e9; math.Abs(got/tc.parameters-1) > 0.015 {
			t.Errorf("%s: %.1f billion weights, want %.1f", name, got, tc.parameters)
		}
		// What is published rounds, and may count the embedding or not.
		active, embedding := float64(m.ActiveParameters())/1e9, float64(m.headParameters())/1e9
		if tc.active < active*0.93 || tc.active > (active+embedding)*1.03 {
			t.Errorf("%s: %.1f billion active weights, %.1f with the embedding, want %.1f", name, active, active+embedding, tc.active)
		}
	}
}

// The sum of the files on Hugging Face, in GB: experts of 4 bits and the rest of 16.
func TestPublishedBytesOfExperts(t *testing.T) {
	for name, want := range map[string]float64{"gpt-oss-20b": 13.8, "gpt-oss-120b": 65.2, "Kimi-K2.5": 595} {
		i := Instance{Model: mustModel(t, name), TensorParallelism: 1}
		if got := float64(i.WeightBytes()) / 1e9; math.Abs(got/want-1) > 0.02 {
			t.Errorf("%s: %.1f GB, want %.1f", name, got, want)
		}
	}
}

// The driver shows less than binary gigabytes, for ECC, and more than decimal ones: in MiB,
// as nvidia-smi prints them, and in bytes, as rocm-smi does.
func TestMemoryThatDriversShow(t *testing.T) {
	for name, want := range map[string]int64{
		"a100-sxm-40gb": 40960 << 20, "a10g": 23028 << 20, "l4": 23034 << 20, "h20": 97871 << 20, "gh200": 97871 << 20,
		"rtx-pro-6000": 97887 << 20, "rtx-pro-6000-workstation": 97887 << 20,
		"mi300x": 206141652992, "mi325x": 256<<30 - 16<<20, "mi355x": 309220868096,
	} {
		if got := mustAccelerator(t, name).MemoryBytes; got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
	}
}

// Base models have four times the context of those that follow instructions.
func TestContextOfQwen25(t *testing.T) {
	for _, size := range []string{"7B", "14B", "32B", "72B"} {
		base, instruct := mustModel(t, "Qwen2.5-"+size), mustModel(t, "Qwen2.5-"+size+"-Instruct")
		if base.ContextTokens != 131072 || instruct.ContextTokens != 32768 {
			t.Errorf("%s: %d and %d tokens, want 131072 and 32768", size, base.ContextTokens, instruct.ContextTokens)
		}
		instruct.Name, instruct.Aliases, instruct.ContextTokens = base.Name, base.Aliases, base.ContextTokens
		if diff := cmp.Diff(base, instruct); diff != "" {
			t.Errorf("%s (−base +instruct):\n%s", size, diff)
		}
	}
}

// Each built-in entry says where its shares come from, of models that the
// catalogue knows.
func TestBuiltInAcceleratorsHaveProvenance(t *testing.T) {
	for _, name := range Builtin().AcceleratorNames() {
		p := mustAccelerator(t, name).Provenance
		if p == nil || p.Source == "" {
			t.Errorf("%s: provenance %+v, want one with a source", name, p)
			continue
		}
		for _, model := range p.Models {
			if _, ok := Builtin().Model(model); !ok {
				t.Errorf("%s: the catalogue has no model %q", name, model)
			}
		}
	}
}

func TestProvenanceValidation(t *testing.T) {
	tests := map[string]struct {
		provenance Provenance
		want       []string // the faulty fields
	}{
		"published, and nothing else": {Provenance{Shares: Published}, nil},
		"fitted, with all there is":   {Provenance{Fitted, []string{"m"}, []int{1, 4}, "another-gpu", "a run", map[CheckedMetric]float64{"TTFT": 2.5}}, nil},
		"no source of shares":         {Provenance{}, []string{"p.shares"}},
		"an unknown one":              {Provenance{Shares: "Guessed"}, []string{"p.shares"}},
		"fitted on nothing":           {Provenance{Shares: Fitted}, []string{"p.models", "p.tensorParallelism"}},
		"an empty name and no GPU":    {Provenance{Fitted, []string{""}, []int{0}, "", "", nil}, []string{"p.models[0]", "p.tensorParallelism[0]"}},
		"a source of two lines":       {Provenance{Shares: Published, Source: "a\nb"}, []string{"p.source"}},
		"a source of a page":          {Provenance{Shares: Published, Source: strings.Repeat("x", 129)}, []string{"p.source"}},
		"an error of shares that are not fitted": {
			Provenance{Shares: Published, MeanAbsoluteErrorPercent: map[CheckedMetric]float64{"TTFT": 1}}, []string{"p.meanAbsoluteErrorPercent"},
		},
		"errors that make no sense": {
			Provenance{Fitted, []string{"m"}, []int{1}, "", "", map[CheckedMetric]float64{"ITL": 1, "TTFT": -1}},
			[]string{"p.meanAbsoluteErrorPercent", "p.meanAbsoluteErrorPercent[TTFT]"},
		},
		"too many of both": {
			Provenance{Fitted, strings.Split("a b c d e f g h i", " "), []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, "", "", nil},
			[]string{"p.models", "p.tensorParallelism"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range tc.provenance.validate(field.NewPath("p")) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("faulty fields (−want +got):\n%s", diff)
			}
		})
	}
}

// Whoever reads the files sees the unit of each figure in its key.
func TestAcceleratorKeysNameTheirUnits(t *testing.T) {
	for line := range strings.Lines(string(fileOf(t, "accelerators.yaml"))) {
		key, _, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(key, "#") || key == "- name" || key == "generation" || key == "accelerators" || key == "provenance" || key == "allReduce" || key == "- {tensorParallelism" || key == "microseconds" {
			continue
		}
		if !strings.Contains(key, "Bytes") && !strings.Contains(key, "PerSecond") && !strings.HasSuffix(key, "Efficiency") && !strings.HasSuffix(key, "Microseconds") {
			t.Errorf("key %q names no unit", key)
		}
		if !strings.Contains(line, "# ") {
			t.Errorf("key %q has no source", key)
		}
	}
}
