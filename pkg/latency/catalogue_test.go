// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesAreSorted(t *testing.T) {
	want := []string{
		"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen3-14B", "Qwen/Qwen3-32B", "Qwen/Qwen3-8B",
		"meta-llama/Llama-2-70b-hf", "meta-llama/Llama-3.1-70B-Instruct", "meta-llama/Llama-3.1-8B-Instruct",
	}
	if diff := cmp.Diff(want, ModelNames()); diff != "" {
		t.Errorf("models (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a100-sxm", "h100-sxm", "h200-sxm", "l40s"}, AcceleratorNames()); diff != "" {
		t.Errorf("accelerators (−want +got):\n%s", diff)
	}
}

func TestLookupModel(t *testing.T) {
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
			m, ok := LookupModel(tc.name)
			if ok != (tc.want != "") || m.Name != tc.want {
				t.Errorf("LookupModel(%q) = %q, %v, want %q", tc.name, m.Name, ok, tc.want)
			}
		})
	}
	if _, ok := LookupAccelerator("H100-SXM"); ok {
		t.Error("an accelerator is found under a name in another case")
	}
}

func TestWhatLookupGivesIsTheCallersOwn(t *testing.T) {
	m := mustModel(t, "Llama-3.1-8B")
	m.Aliases[0], m.Layers = "overwritten", 0
	if again := mustModel(t, "Llama-3.1-8B"); again.Aliases[0] == "overwritten" || again.Layers == 0 {
		t.Error("the catalogue has changed")
	}
}

// The catalogue is read strictly; what it holds must make sense too.
func TestEveryEntryIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range models() {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if name == "" || seen[name] {
				t.Errorf("%s: the name %q is empty or taken", m.Name, name)
			}
			seen[name] = true
		}
		if slices.Min([]int{m.Layers, m.HiddenSize, m.AttentionHeads, m.KVHeads, m.HeadDim, m.IntermediateSize, m.VocabularySize}) < 1 {
			t.Errorf("%s: a figure is missing: %+v", m.Name, m)
		}
		if m.AttentionHeads%m.KVHeads != 0 {
			t.Errorf("%s: %d heads share %d KV heads", m.Name, m.AttentionHeads, m.KVHeads)
		}
	}
	for _, a := range accelerators() {
		if seen[a.Name] {
			t.Errorf("the name %q is taken", a.Name)
		}
		seen[a.Name] = true
		if a.MemoryBytes < 1 || min(a.MemoryBandwidthBytesPerSecond, a.BF16FlopsPerSecond, a.LinkBandwidthBytesPerSecond) <= 0 {
			t.Errorf("%s: a figure is missing: %+v", a.Name, a)
		}
		if errs := DefaultRoofline(a).Validate(nil); len(errs) > 0 {
			t.Errorf("%s: %v", a.Name, errs.ToAggregate())
		}
	}
}

func TestTheCatalogueIsReadStrictly(t *testing.T) {
	tests := map[string]string{
		"a key that does not exist": "- name: x\n  layer: 3\n",
		"a key given twice":         "- name: x\n  layers: 3\n  layers: 4\n",
		"a word for a number":       "- name: x\n  layers: many\n",
		"no list":                   "name: x\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := parse[Model]([]byte(text)); err == nil {
				t.Errorf("read as %+v", got)
			}
		})
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
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := mustModel(t, name)
			if got := float64(m.Parameters()) / 1e9; math.Abs(got-tc.parametersBillion) > 0.005 {
				t.Errorf("parameters = %.3f billion, want %.2f", got, tc.parametersBillion)
			}
			if got := float64(m.WeightBytes()) / gib; math.Abs(got/tc.weightsGiB-1) > 0.0005 {
				t.Errorf("weights = %.2f GiB, want %.2f", got, tc.weightsGiB)
			}
			if got := m.KVBytesPerToken(); got != tc.kvBytesPerToken {
				t.Errorf("KV bytes per token = %d, want %d", got, tc.kvBytesPerToken)
			}
			if got := 2 * float64(m.layerParameters()+m.headParameters()) / 1e9; math.Abs(got/tc.gigaflopsPerToken-1) > 0.005 {
				t.Errorf("%.2f GFLOP a token, want %.1f", got, tc.gigaflopsPerToken)
			}
		})
	}
}

func TestKVBytesOfOneGPU(t *testing.T) {
	m := mustModel(t, "Qwen2.5-7B") // 4 KV heads
	for tp, want := range map[int]int64{1: 57344, 2: 28672, 4: 14336, 8: 14336} {
		if got := m.kvBytesPerToken(tp); got != want {
			t.Errorf("TP %d: %d bytes, want %d: a head is not divided", tp, got, want)
		}
	}
}

// Whoever reads the files sees the unit of each figure in its key.
func TestAcceleratorKeysNameTheirUnits(t *testing.T) {
	for line := range strings.Lines(string(acceleratorsYAML)) {
		key, _, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(key, "#") || key == "- name" {
			continue
		}
		if !strings.Contains(key, "Bytes") && !strings.Contains(key, "PerSecond") && !strings.HasSuffix(key, "Efficiency") {
			t.Errorf("key %q names no unit", key)
		}
		if !strings.Contains(line, "# ") {
			t.Errorf("key %q has no source", key)
		}
	}
}
