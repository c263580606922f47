// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const smallEntries = `# two documents
---
models:
- name: tiny
  aliases: [smallest]
  layers: 2
  hiddenSize: 256
  attentionHeads: 4
  kvHeads: 2
  headDim: 64
  intermediateSize: 512
  vocabularySize: 1000
  contextTokens: 2048
  tiedEmbeddings: true
---
# more
accelerators:
- name: slow-gpu
  memoryBytes: 8000000000
  memoryBandwidthBytesPerSecond: 1e11
  bf16FlopsPerSecond: 1e13
  linkBandwidthBytesPerSecond: 8e9
  memoryEfficiency: 0.8
  prefillEfficiency: 0.5
  decodeEfficiency: 0.5
`

func TestParseEntries(t *testing.T) {
	got, errs := ParseEntries([]byte(smallEntries), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := Entries{
		Models: []Model{{
			Name: "tiny", Aliases: []string{"smallest"}, Layers: 2, HiddenSize: 256, AttentionHeads: 4, KVHeads: 2, HeadDim: 64,
			IntermediateSize: 512, VocabularySize: 1000, ContextTokens: 2048, TiedEmbeddings: true,
		}},
		Accelerators: []Accelerator{{
			Name: "slow-gpu", MemoryBytes: 8e9, MemoryBandwidthBytesPerSecond: 1e11, BF16FlopsPerSecond: 1e13, LinkBandwidthBytesPerSecond: 8e9,
			MemoryEfficiency: 0.8, PrefillEfficiency: 0.5, DecodeEfficiency: 0.5,
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (−want +got):\n%s", diff)
	}
	c := Builtin().With(got)
	if m, ok := c.Model("smallest"); !ok || m.Name != "tiny" {
		t.Errorf("the model is not found by its alias")
	}
	if got, want := got.Models[0].Parameters(), int64(2*(256*(2*256+2*128)+3*256*512)+256*1000+5*256); got != want {
		t.Errorf("%d weights, want %d: the LM head is the embedding", got, want)
	}
}

func TestParseEntriesErrors(t *testing.T) {
	model := "layers: 2, hiddenSize: 256, attentionHeads: 4, vocabularySize: 1000, contextTokens: 2048"
	heads := ", kvHeads: 2, headDim: 64"
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":       {"# nothing\n", []string{"c: Required value: there are neither models nor accelerators"}},
		"an empty list": {"models: []\n", []string{"c: Required value: there are neither models nor accelerators"}},
		"no YAML":       {"models: [", []string{"c: Invalid value: yaml: line 1: did not find expected node content"}},
		"another list":  {"gpus: []\n", []string{`c: Invalid value: unknown field "gpus"`}},
		"no lists":      {"[]\n", []string{`c: Invalid value: "array": must be an object`}},
		"a key that does not exist": {"models: [{name: x, layer: 3}]", []string{
			`c.models[0]: Invalid value: unknown field "layer"`}},
		"a key given twice": {"models:\n- name: x\n  layers: 3\n  layers: 4\n", []string{
			"c: Invalid value: yaml: unmarshal errors:\n  line 4: key \"layers\" already set in map"}},
		"a word for a number": {"models: [{name: x, layers: many}]", []string{
			`c.models[0].layers: Invalid value: "string": must be a whole number`}},
		"an empty model": {"models: [{}]", []string{
			"c.models[0].name: Required value: a model has a name",
			"c.models[0].layers: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].hiddenSize: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].attentionHeads: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].vocabularySize: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].contextTokens: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].kvHeads: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].headDim: Invalid value: 0: must be at least 1 and at most 1073741824",
		}},
		"a dense model without MLPs": {"models: [{name: x, " + model + heads + "}]", []string{
			"c.models[0].intermediateSize: Invalid value: 0: must be at least 1 and at most 1073741824"}},
		"a width that no layer has": {"models: [{name: x, " + model + heads + ", intermediateSize: 9, moe: {experts: 4, expertsPerToken: 2, expertIntermediateSize: 8}}]", []string{
			"c.models[0].intermediateSize: Invalid value: 9: every layer has experts: their width is moe.expertIntermediateSize"}},
		"more experts a token than there are": {"models: [{name: x, " + model + heads + ", moe: {experts: 4, expertsPerToken: 5, expertIntermediateSize: 8}}]", []string{
			"c.models[0].moe.expertsPerToken: Invalid value: 5: must be at most the 4 experts"}},
		"experts in no layer": {"models: [{name: x, " + model + heads + ", intermediateSize: 9, moe: {experts: 4, expertsPerToken: 2, expertIntermediateSize: 8, layerStep: 3}}]", []string{
			"c.models[0].moe: Invalid value: no layer has experts: leave it out"}},
		"more experts than there can be": {"models: [{name: x, " + model + heads + ", moe: {experts: 4097, expertsPerToken: 2, expertIntermediateSize: 8}}]", []string{
			"c.models[0].moe.experts: Invalid value: 4097: must be at most 4096"}},
		"values of other types": {"models: [{name: 3}, {tiedEmbeddings: 1}, {aliases: x}]\naccelerators: [{memoryEfficiency: half}]", []string{
			`c.models[0].name: Invalid value: "number": must be a text`,
			`c.models[1].tiedEmbeddings: Invalid value: "number": must be true or false`,
			`c.models[2].aliases: Invalid value: "string": must be a list`,
			`c.accelerators[0].memoryEfficiency: Invalid value: "string": must be a number`,
		}},
		"a model without a name among its aliases": {"models: [{name: x, aliases: [''], " + model + heads + ", intermediateSize: 9}]", []string{
			"c.models[0].aliases[0]: Required value: a name is not empty"}},
		"latent vectors beside heads": {"models: [{name: x, " + model + heads + ", intermediateSize: 9, mla: {kvRank: 1, nopeHeadDim: 1, ropeHeadDim: 1, valueHeadDim: 0}}]", []string{
			"c.models[0].kvHeads: Invalid value: 2: must not be set together with mla",
			"c.models[0].headDim: Invalid value: 64: must not be set together with mla",
			"c.models[0].mla.valueHeadDim: Invalid value: 0: must be at least 1 and at most 1073741824",
		}},
		"weights of a format that is none": {"models: [{name: x, " + model + heads + ", intermediateSize: 9, weights: fp16}]", []string{
			`c.models[0].weights: Unsupported value: "fp16": supported values: "bf16", "fp8", "int8", "int4", "int4-g32", "nvfp4", "mxfp4"`}},
		"experts of a format that is none": {"models: [{name: x, " + model + heads + ", moe: {experts: 4, expertsPerToken: 2, expertIntermediateSize: 8, weights: fp4}}]", []string{
			`c.models[0].moe.weights: Unsupported value: "fp4": supported values: "bf16", "fp8", "int8", "int4", "int4-g32", "nvfp4", "mxfp4"`}},
		"a window of nothing in more layers than there are": {"models: [{name: x, " + model + heads + ", intermediateSize: 9, slidingWindow: {layers: 9}}]", []string{
			"c.models[0].slidingWindow.tokens: Invalid value: 0: must be at least 1 and at most 1073741824",
			"c.models[0].slidingWindow.layers: Invalid value: 9: must be at most the 2 layers"}},
		"a window over latent vectors": {"models: [{name: x, " + model + ", intermediateSize: 9, slidingWindow: {tokens: 4, layers: 1}, mla: {kvRank: 1, nopeHeadDim: 1, ropeHeadDim: 1, valueHeadDim: 1}}]", []string{
			"c.models[0].slidingWindow: Invalid value: must not be set together with mla"}},
		"a model beyond all measure": {"models: [{name: x, layers: 1000000, hiddenSize: 1000000, attentionHeads: 4, vocabularySize: 1, contextTokens: 1, intermediateSize: 1000000" + heads + "}]", []string{
			"c.models[0]: Invalid value: the model has more than 10^15 weights"}},
		"an empty accelerator": {"accelerators: [{fp8FlopsPerSecond: -1}]", []string{
			"c.accelerators[0].name: Required value: an accelerator has a name",
			"c.accelerators[0].memoryBytes: Invalid value: 0: must be at least 1 and at most 2^50",
			"c.accelerators[0].memoryBandwidthBytesPerSecond: Invalid value: 0: must be at least 1e6 and at most 1e18, a second",
			"c.accelerators[0].bf16FlopsPerSecond: Invalid value: 0: must be at least 1e6 and at most 1e18, a second",
			"c.accelerators[0].fp8FlopsPerSecond: Invalid value: -1: must be at least 1e6 and at most 1e18, a second",
			"c.accelerators[0].linkBandwidthBytesPerSecond: Invalid value: 0: must be at least 1e6 and at most 1e18, a second",
			"c.accelerators[0].memoryEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"c.accelerators[0].prefillEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
			"c.accelerators[0].decodeEfficiency: Invalid value: 0: must be greater than 0 and at most 1: it is a share of the peak",
		}},
		"a name in two documents": {smallEntries + "---\nmodels: [{name: smallest, intermediateSize: 9, " + model + heads + "}]", []string{
			`c[2].models[0].name: Duplicate value: "smallest"`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := ParseEntries([]byte(tc.text), field.NewPath("c"))
			if diff := cmp.Diff(tc.want, errorMessages(errs)); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseEntries(f *testing.F) {
	f.Add([]byte(smallEntries))
	f.Add(fileOf(f, "models.yaml"))
	f.Add(fileOf(f, "accelerators.yaml"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		entries, errs := ParseEntries(raw, field.NewPath("catalogue"))
		if len(errs) > 0 {
			return
		}
		c := Builtin().With(entries)
		for _, m := range entries.Models {
			mustBeUsable(t, m)
			if got, ok := c.Model(m.Name); !ok || got.Layers != m.Layers {
				t.Errorf("%q is not found", m.Name)
			}
		}
	})
}
