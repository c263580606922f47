// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// contextTokens returns max_position_embeddings as rope scaling extends it. A
// config of type yarn may state what it extends; Llama 3's own type and plain
// rope extend nothing beyond what is stated.
func (c *hubConfig) contextTokens() int {
	positions := c.integer("max_position_embeddings")
	c.ignore("rope_parameters")
	for _, key := range []string{"rope_scaling", "rope_parameters"} {
		var fields map[string]json.RawMessage
		if !c.optional(key, &fields) {
			continue
		}
		scaling := hubConfig{path: c.at(key), values: fields, read: map[string]bool{}}
		positions = scaling.scaledPositions(positions)
		c.errs = append(c.errs, scaling.errs...)
		break
	}
	return positions
}

func (c *hubConfig) scaledPositions(positions int) int {
	kind, factor := "default", 1.
	if !c.optional("rope_type", &kind) {
		c.optional("type", &kind)
	}
	c.optional("factor", &factor)
	if !(factor >= 1 && factor <= 1e6) {
		c.addError("factor", "must be at least 1 and at most 1e6")
		return positions
	}
	switch kind {
	case "default", "llama3", "mrope":
		return positions
	case "yarn":
		positions = c.integerOr("original_max_position_embeddings", positions)
		fallthrough
	case "linear", "dynamic":
		// More than a model may have, so that Validate says so.
		return int(min(float64(positions)*factor, 2*maxSize))
	}
	c.errs = append(c.errs, field.NotSupported(c.path.Child("rope_type"), kind, []string{"default", "dynamic", "linear", "llama3", "mrope", "yarn"}))
	return positions
}

// takeWeights takes the format that quantization_config states, where it is one for all
// layers or for the experts alone, as mxfp4 is.
func (c *hubConfig) takeWeights(m *Model) {
	var fields map[string]json.RawMessage
	if !c.optional("quantization_config", &fields) {
		return
	}
	q := hubConfig{path: c.at("quantization_config"), values: fields, read: map[string]bool{}}
	format := q.quantized()
	experts := format == MXFP4 || q.skips("self_attn")
	switch {
	case format == "":
	case !experts:
		m.Weights = format
	case m.MoE == nil && format == MXFP4:
		c.addError("quantization_config", "mxfp4 is the format of experts, and the model has none")
	case m.MoE == nil || format != MXFP4 && m.MoE.SharedIntermediateSize > 0 && !q.skips("shared_expert"):
		c.addError("quantization_config", "must be of all layers or of routed experts alone: other divisions are not modelled")
	default:
		m.MoE.Weights = format
	}
	c.errs = append(c.errs, q.errs...)
}

// skips reports whether a quantization leaves out the matrices with a word in their names.
func (c *hubConfig) skips(word string) bool {
	var ignored, kept []string
	c.optional("ignore", &ignored)
	c.optional("modules_to_not_convert", &kept)
	return slices.ContainsFunc(append(ignored, kept...), func(pattern string) bool {
		return strings.Contains(pattern, word) && !strings.Contains(pattern, "vision") && !strings.Contains(pattern, "visual")
	})
}

func (c *hubConfig) quantized() Precision {
	var method string
	c.optional("quant_method", &method)
	switch method {
	case "fp8", "fbgemm_fp8":
		return FP8
	case "mxfp4":
		return MXFP4
	case "gptq", "awq":
		return c.integerFormat(c.integer("bits"), c.integer("group_size"), "bits", 4)
	case "compressed-tensors":
		return c.compressed()
	}
	c.errs = append(c.errs, field.NotSupported(c.path.Child("quant_method"), method, []string{"awq", "compressed-tensors", "fbgemm_fp8", "fp8", "gptq", "mxfp4"}))
	return ""
}

// integerFormat returns a format of integers, if the number of bits is allowed.
func (c *hubConfig) integerFormat(bits, group int, key string, allowed ...int) Precision {
	switch {
	case !slices.Contains(allowed, bits):
		c.addError(key, "integers of %d bits are not modelled here", bits)
	case bits == 8:
		return INT8
	case group == int4Group:
		return INT4
	case group == 32:
		return INT4Group32
	default:
		c.addError("group_size", "must be 32 or %d: other groups of 4-bit weights are not modelled", int4Group)
	}
	return ""
}

// compressed reads the one group of a compressed-tensors config.
func (c *hubConfig) compressed() Precision {
	var scheme json.RawMessage
	if c.optional("kv_cache_scheme", &scheme) {
		c.addError("kv_cache_scheme", "remove it and set the format of the KV cache in the pool")
	}
	var groups map[string]struct {
		Weights *struct {
			Bits  int    `json:"num_bits"`
			Type  string `json:"type"`
			Group int    `json:"group_size"`
		} `json:"weights"`
	}
	raw := c.values["config_groups"]
	if err := json.Unmarshal(raw, &groups); err != nil || len(groups) != 1 {
		c.addError("config_groups", "must be one group for all layers")
		return ""
	}
	for _, g := range groups {
		switch {
		case g.Weights == nil:
			c.addError("config_groups", "must name the format of the weights")
		case g.Weights.Type == "float" && g.Weights.Bits == 8:
			return FP8
		case g.Weights.Type == "int":
			return c.integerFormat(g.Weights.Bits, g.Weights.Group, "config_groups", 4, 8)
		default:
			c.addError("config_groups", "weights of type %q with %d bits are not modelled", g.Weights.Type, g.Weights.Bits)
		}
	}
	return ""
}
