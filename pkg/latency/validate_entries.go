// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// No figure of a model is larger than maxSize, and neither is the number of
// its weights larger than maxParameters, so that sums stay exact.
const (
	maxSize       = 1 << 30
	maxParameters = 1e15
)

// Validate reports figures that are missing or contradict each other, as
// faults of the fields of a model, whose path is given.
func (m Model) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "a model has a name"))
	}
	for n, alias := range m.Aliases {
		if alias == "" {
			errs = append(errs, field.Required(path.Child("aliases").Index(n), "a name is not empty"))
		}
	}
	errs = append(errs, validateSizes(1, path, namedSizes{
		{"layers", m.Layers}, {"hiddenSize", m.HiddenSize}, {"attentionHeads", m.AttentionHeads},
		{"vocabularySize", m.VocabularySize}, {"contextTokens", m.ContextTokens},
	})...)
	errs = append(errs, validateWeightFormat(m.Weights, path.Child("weights"))...)
	errs = append(errs, m.validateAttention(path)...)
	if m.SlidingWindow != nil {
		errs = append(errs, m.validateWindow(path.Child("slidingWindow"))...)
	}
	if m.MoE != nil {
		errs = append(errs, m.validateMoE(path.Child("moe"))...)
	}
	if len(errs) > 0 {
		return errs
	}
	if m.moeLayers() < int64(m.Layers) {
		errs = validateSizes(1, path, namedSizes{{"intermediateSize", m.IntermediateSize}})
	} else if m.IntermediateSize != 0 {
		errs = append(errs, field.Invalid(path.Child("intermediateSize"), m.IntermediateSize,
			"every layer has experts: their width is moe.expertIntermediateSize"))
	}
	if len(errs) == 0 && m.roughParameters() > maxParameters {
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "the model has more than 10^15 weights"))
	}
	return errs
}

// validateWeightFormat reports a format that no weights are published in; none
// stands for a default.
func validateWeightFormat(format Precision, path *field.Path) field.ErrorList {
	if format == "" || slices.Contains(weightFormats, format) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, format, weightFormats)}
}

// roughParameters returns more than the number of weights, whatever the size
// of the figures.
func (m Model) roughParameters() float64 {
	width := float64(m.IntermediateSize) + 8*float64(m.AttentionHeads)*float64(m.HeadDim+1)
	if a := m.MLA; a != nil {
		heads := float64(m.AttentionHeads) * float64(a.NopeHeadDim+a.RopeHeadDim+a.ValueHeadDim)
		width += float64(a.QueryRank+a.KVRank+a.RopeHeadDim) + 2*heads*(1+float64(a.QueryRank+a.KVRank)/float64(m.HiddenSize))
	}
	if m.MoE != nil {
		width += float64(m.MoE.SharedIntermediateSize) + float64(m.MoE.Experts)*float64(m.MoE.ExpertIntermediateSize+1)
	}
	return float64(m.HiddenSize) * (4*float64(m.Layers)*width + 2*float64(m.VocabularySize))
}

func (m Model) validateAttention(path *field.Path) field.ErrorList {
	if m.MLA == nil {
		errs := validateSizes(1, path, namedSizes{{"kvHeads", m.KVHeads}, {"headDim", m.HeadDim}})
		if len(errs) == 0 && m.AttentionHeads%m.KVHeads != 0 {
			errs = append(errs, field.Invalid(path.Child("kvHeads"), m.KVHeads,
				fmt.Sprintf("must divide the %d attention heads", m.AttentionHeads)))
		}
		return errs
	}
	var errs field.ErrorList
	for _, f := range (namedSizes{{"kvHeads", m.KVHeads}, {"headDim", m.HeadDim}}) {
		if f.size != 0 {
			errs = append(errs, field.Invalid(path.Child(f.name), f.size, "must not be set together with mla"))
		}
	}
	a, path := m.MLA, path.Child("mla")
	errs = append(errs, validateSizes(0, path, namedSizes{{"queryRank", a.QueryRank}})...)
	return append(errs, validateSizes(1, path, namedSizes{
		{"kvRank", a.KVRank}, {"nopeHeadDim", a.NopeHeadDim}, {"ropeHeadDim", a.RopeHeadDim}, {"valueHeadDim", a.ValueHeadDim},
	})...)
}

func (m Model) validateWindow(path *field.Path) field.ErrorList {
	if m.MLA != nil {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must not be set together with mla")}
	}
	w := m.SlidingWindow
	errs := validateSizes(1, path, namedSizes{{"tokens", w.Tokens}, {"layers", w.Layers}})
	if w.Layers > m.Layers {
		errs = append(errs, field.Invalid(path.Child("layers"), w.Layers, fmt.Sprintf("must be at most the %d layers", m.Layers)))
	}
	return errs
}

// maxExperts keeps the list of expected experts short.
const maxExperts = 4096

func (m Model) validateMoE(path *field.Path) field.ErrorList {
	e := m.MoE
	errs := validateSizes(1, path, namedSizes{
		{"experts", e.Experts}, {"expertsPerToken", e.ExpertsPerToken}, {"expertIntermediateSize", e.ExpertIntermediateSize},
	})
	errs = append(errs, validateSizes(0, path, namedSizes{
		{"sharedIntermediateSize", e.SharedIntermediateSize}, {"firstDenseLayers", e.FirstDenseLayers}, {"layerStep", e.LayerStep},
	})...)
	errs = append(errs, validateWeightFormat(e.Weights, path.Child("weights"))...)
	if e.Experts > maxExperts {
		errs = append(errs, field.Invalid(path.Child("experts"), e.Experts, fmt.Sprintf("must be at most %d", maxExperts)))
	}
	if e.ExpertsPerToken > e.Experts {
		errs = append(errs, field.Invalid(path.Child("expertsPerToken"), e.ExpertsPerToken,
			fmt.Sprintf("must be at most the %d experts", e.Experts)))
	}
	if len(errs) == 0 && m.moeLayers() < 1 {
		errs = append(errs, field.Invalid(path, field.OmitValueType{}, "no layer has experts: leave it out"))
	}
	return errs
}

// Validate reports figures that are missing or make no sense, as faults of the
// fields of an accelerator, whose path is given.
func (a Accelerator) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if a.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "an accelerator has a name"))
	}
	if a.Generation != "" {
		errs = append(errs, validateLine(a.Generation, path.Child("generation"))...)
	}
	if a.MemoryBytes < 1 || a.MemoryBytes > 1<<50 {
		errs = append(errs, field.Invalid(path.Child("memoryBytes"), a.MemoryBytes, "must be at least 1 and at most 2^50"))
	}
	for _, f := range []struct {
		name     string
		value    float64
		optional bool
	}{
		{"memoryBandwidthBytesPerSecond", a.MemoryBandwidthBytesPerSecond, false},
		{"bf16FlopsPerSecond", a.BF16FlopsPerSecond, false},
		{"fp8FlopsPerSecond", a.FP8FlopsPerSecond, true},
		{"int8FlopsPerSecond", a.INT8FlopsPerSecond, true},
		{"fp4FlopsPerSecond", a.FP4FlopsPerSecond, true},
		{"mxfp4FlopsPerSecond", a.MXFP4FlopsPerSecond, true},
		{"linkBandwidthBytesPerSecond", a.LinkBandwidthBytesPerSecond, false},
	} {
		if f.optional && f.value == 0 || f.value >= 1e6 && f.value <= 1e18 {
			continue
		}
		errs = append(errs, field.Invalid(path.Child(f.name), f.value, "must be at least 1e6 and at most 1e18, a second"))
	}
	errs = append(errs, validateShare(a.MemoryEfficiency, path.Child("memoryEfficiency"))...)
	errs = append(errs, validateShare(a.PrefillEfficiency, path.Child("prefillEfficiency"))...)
	errs = append(errs, validateShare(a.DecodeEfficiency, path.Child("decodeEfficiency"))...)
	if a.FP8KVEfficiency != 0 {
		errs = append(errs, validateShare(a.FP8KVEfficiency, path.Child("fp8KVEfficiency"))...)
	}
	errs = append(errs, validateNotNegative(a.EagerLayerMicroseconds, path.Child("eagerLayerMicroseconds"))...)
	if a.LinkEfficiency != 0 {
		errs = append(errs, validateShare(a.LinkEfficiency, path.Child("linkEfficiency"))...)
	}
	errs = append(errs, validateCurves(a.AllReduce, path.Child("allReduce"))...)
	return append(errs, a.Provenance.validate(path.Child("provenance"))...)
}

// namedSizes are sizes under the names of their fields.
type namedSizes []struct {
	name string
	size int
}

func validateSizes(least int, path *field.Path, list namedSizes) field.ErrorList {
	var errs field.ErrorList
	for _, f := range list {
		if f.size < least || f.size > maxSize {
			errs = append(errs, field.Invalid(path.Child(f.name), f.size, fmt.Sprintf("must be at least %d and at most %d", least, maxSize)))
		}
	}
	return errs
}
