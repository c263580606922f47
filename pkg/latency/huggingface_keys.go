// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// decoder returns the config of the decoder: text_config if there is one, next to those of
// encoders, else the whole config. Tied embeddings and the format of weights may be stated
// for the whole model.
func (c *hubConfig) decoder() *hubConfig {
	text := &hubConfig{path: c.path.Child("text_config"), read: map[string]bool{}, inherited: map[string]*field.Path{}}
	if !c.optional("text_config", &text.values) {
		return c.withDefaults()
	}
	for _, key := range []string{"tie_word_embeddings", "quantization_config"} {
		c.ignore(key)
		if isEmpty(text.values[key]) && !isEmpty(c.values[key]) {
			text.values[key], text.inherited[key] = c.values[key], c.at(key)
		}
	}
	c.rejectUnknownKeys()
	text.ignore("architectures")
	text.errs = c.errs
	return text.withDefaults()
}

// withDefaults fills in what a missing key means to the model's code, for models whose
// published configs leave keys out.
func (c *hubConfig) withDefaults() *hubConfig {
	var kind string
	c.optional("model_type", &kind)
	if kind == "gemma3_text" {
		for key, value := range gemmaDefaults {
			if isEmpty(c.values[key]) {
				c.values[key] = json.RawMessage(value)
			}
		}
	}
	return c
}

// gemmaDefaults are those of Gemma3TextConfig of transformers.
var gemmaDefaults = map[string]string{
	"head_dim": "256", "max_position_embeddings": "131072", "num_attention_heads": "8", "num_key_value_heads": "4",
	"tie_word_embeddings": "true", "vocab_size": "262208",
}

// requireActivation rejects an MLP without gate, up and down matrices.
func (c *hubConfig) requireActivation(key, gated string) {
	activation := gated
	if c.optional(key, &activation); activation != gated {
		c.addError(key, "must be %s, with gate, up and down matrices: other MLPs are not modelled", gated)
	}
}

// ignore reads keys that change nothing that a Model says.
func (c *hubConfig) ignore(keys ...string) {
	for _, key := range keys {
		c.read[key] = true
	}
}

// drop makes keys count as missing.
func (c *hubConfig) drop(keys ...string) {
	c.ignore(keys...)
	for _, key := range keys {
		delete(c.values, key)
	}
}

// rejectUnknownKeys reports keys that are not known, as they may change the shape.
func (c *hubConfig) rejectUnknownKeys() {
	for _, key := range slices.Sorted(maps.Keys(c.values)) {
		if !c.read[key] && !isEmpty(c.values[key]) && !changesNothing(key) {
			c.addError(key, "unknown key: it may change the model's shape; remove it if it does not")
		}
	}
}

// isEmpty reports whether a key states nothing.
func isEmpty(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", "{}", "[]"}, string(raw))
}

func changesNothing(key string) bool {
	return strings.HasSuffix(key, "_token_id") || strings.HasSuffix(key, "_token_index") ||
		slices.Contains(keysWithoutShape, key) || slices.Contains(keysOfEncoders, key) || slices.Contains(keysOfGeneration, key)
}

// keysWithoutShape are those that change neither the number of weights, but for
// biases and norms of heads, nor the work of a token.
var keysWithoutShape = []string{
	"_attn_implementation_autoset", "_name_or_path", "attention_bias", "attention_dropout", "auto_map", "aux_loss_alpha",
	"dtype", "ep_size", "initializer_range", "max_window_layers", "mlp_bias", "model_type",
	"n_group", "norm_topk_prob", "num_nextn_predict_layers", "output_router_logits", "partial_rotary_factor", "pretraining_tp",
	"qk_head_dim", "qkv_bias", "rms_norm_eps", "rope_interleave", "rope_theta", "routed_scaling_factor", "router_aux_loss_coef",
	"router_jitter_noise", "scoring_func", "seq_aux", "topk_group", "topk_method", "torch_dtype", "transformers_version", "use_cache",
	"use_qk_norm",
}

// keysOfEncoders say how images, video and sound become tokens of the decoder.
var keysOfEncoders = []string{
	"audio_config", "ignore_index", "mm_tokens_per_image", "multimodal_projector_bias", "projector_hidden_act",
	"spatial_merge_size", "use_unified_vision_chunk", "video_placeholder", "vision_config", "vision_feature_layer",
}

// keysOfGeneration are of sampling, tasks and outputs: older releases of transformers write
// them into each config.
var keysOfGeneration = []string{
	"add_cross_attention", "chunk_size_feed_forward", "diversity_penalty", "do_sample", "early_stopping", "encoder_no_repeat_ngram_size",
	"id2label", "is_decoder", "is_encoder_decoder", "label2id", "length_penalty", "max_length", "min_length", "no_repeat_ngram_size",
	"num_beam_groups", "num_beams", "num_return_sequences", "output_attentions", "output_hidden_states", "output_scores",
	"remove_invalid_values", "repetition_penalty", "return_dict", "return_dict_in_generate", "temperature", "tf_legacy_loss",
	"tie_encoder_decoder", "top_k", "top_p", "torchscript", "typical_p", "use_bfloat16",
}
