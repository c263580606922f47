// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// contextTokens returns max_position_embeddings as rope scaling extends it. A
// config of type yarn may state what it extends; Llama 3's own type and plain
// rope extend nothing beyond what is stated.
func (c *hubConfig) contextTokens() int {
	positions := c.integer("max_position_embeddings")
	c.read["rope_parameters"] = true
	for _, key := range []string{"rope_scaling", "rope_parameters"} {
		var fields map[string]json.RawMessage
		if !c.optional(key, &fields) {
			continue
		}
		scaling := hubConfig{path: c.path.Child(key), values: fields, read: map[string]bool{}}
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
	case "default", "llama3":
		return positions
	case "yarn":
		positions = c.integerOr("original_max_position_embeddings", positions)
		fallthrough
	case "linear", "dynamic":
		// More than a model may have, so that Validate says so.
		return int(min(float64(positions)*factor, 2*maxSize))
	}
	c.errs = append(c.errs, field.NotSupported(c.path.Child("rope_type"), kind, []string{"default", "dynamic", "linear", "llama3", "yarn"}))
	return positions
}

// slidingWindow returns the layers that layer_types says have a window, if any.
func (c *hubConfig) slidingWindow() *SlidingWindow {
	window, used := 0, true
	c.optional("use_sliding_window", &used)
	given := c.optional("sliding_window", &window) && used
	var layers []string
	listed := c.optional("layer_types", &layers)
	sliding := 0
	for _, kind := range layers {
		switch kind {
		case "full_attention":
		case "sliding_attention":
			sliding++
		default:
			c.addError("layer_types", "layers of other attention than full_attention and sliding_attention are not modelled")
			return nil
		}
	}
	switch {
	case given && !listed && window < c.integerOr("max_position_embeddings", window):
		c.addError("sliding_window", "must come with layer_types: which layers attend to the last %d tokens only is not known", window)
	case sliding > 0 && !given:
		c.addError("layer_types", "layers of sliding_attention need a sliding_window")
	case sliding > 0:
		return &SlidingWindow{Tokens: window, Layers: sliding}
	}
	return nil
}

// rejectUnknownKeys reports what would change the shape: an MLP that is not gated, and
// keys that are not known.
func (c *hubConfig) rejectUnknownKeys() {
	activation := "silu"
	if c.optional("hidden_act", &activation); activation != "silu" {
		c.addError("hidden_act", "must be silu, with gate, up and down matrices: other MLPs are not modelled")
	}
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if !c.read[key] && !slices.Contains(keysWithoutShape, key) {
			c.addError(key, "unknown key: it may change the model's shape; remove it if it does not")
		}
	}
}

// keysWithoutShape are those that change neither the number of weights, but for
// biases, nor the work of a token.
var keysWithoutShape = []string{
	"_attn_implementation_autoset", "_name_or_path", "attention_bias", "attention_dropout", "auto_map", "aux_loss_alpha",
	"bos_token_id", "dtype", "ep_size", "eos_token_id", "initializer_range", "max_window_layers", "mlp_bias", "model_type",
	"n_group", "norm_topk_prob", "num_nextn_predict_layers", "output_router_logits", "pad_token_id", "partial_rotary_factor", "pretraining_tp",
	"qk_head_dim", "qkv_bias", "rms_norm_eps", "rope_interleave", "rope_theta", "routed_scaling_factor", "router_aux_loss_coef",
	"router_jitter_noise", "scoring_func", "seq_aux", "topk_group", "topk_method", "torch_dtype", "transformers_version", "use_cache",
}

// takeWeights takes the format that quantization_config states, where it is one for all
// layers, or mxfp4, which is that of experts alone.
func (c *hubConfig) takeWeights(m *Model) {
	var fields map[string]json.RawMessage
	if !c.optional("quantization_config", &fields) {
		return
	}
	q := hubConfig{path: c.path.Child("quantization_config"), values: fields, read: map[string]bool{}}
	format := q.quantized()
	c.errs = append(c.errs, q.errs...)
	switch {
	case format != MXFP4:
		m.Weights = format
	case m.MoE != nil:
		m.MoE.Weights = format
	default:
		c.addError("quantization_config", "mxfp4 is the format of experts, and the model has none")
	}
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

// integerFormat returns INT4 or INT8, if the number of bits is allowed.
func (c *hubConfig) integerFormat(bits, group int, key string, allowed ...int) Precision {
	switch {
	case !slices.Contains(allowed, bits):
		c.addError(key, "integers of %d bits are not modelled here", bits)
	case bits == 8:
		return INT8
	case group != int4Group:
		c.addError("group_size", "must be %d: other groups of 4-bit weights are not modelled", int4Group)
	default:
		return INT4
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
