// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

type jsonObject = map[string]any

// llamaConfig has the keys of a published config, as far as they matter.
func llamaConfig() jsonObject {
	return jsonObject{
		"architectures": []string{"LlamaForCausalLM"}, "model_type": "llama", "torch_dtype": "bfloat16",
		"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
		"intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 131072, "hidden_act": "silu",
		"tie_word_embeddings": false, "attention_bias": false, "mlp_bias": false, "eos_token_id": []int{128001, 128008},
		"rope_theta": 500000.0, "rope_scaling": jsonObject{
			"factor": 8.0, "rope_type": "llama3", "original_max_position_embeddings": 8192, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
		},
	}
}

func deepSeekConfig() jsonObject {
	return jsonObject{
		"architectures": []string{"DeepseekV3ForCausalLM"}, "model_type": "deepseek_v3", "num_nextn_predict_layers": 1,
		"num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128, "num_key_value_heads": 128,
		"intermediate_size": 18432, "vocab_size": 129280, "max_position_embeddings": 163840, "hidden_act": "silu",
		"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
		"n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
		"first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8, "topk_group": 4, "topk_method": "noaux_tc", "scoring_func": "sigmoid",
		"head_dim": 64, "rope_scaling": jsonObject{"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": 1.0},
		"quantization_config": jsonObject{"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": []int{128, 128}},
	}
}

// gemmaConfig and the two below have the keys that configs of models with encoders have.
func gemmaConfig() jsonObject {
	return jsonObject{
		"architectures": []string{"Gemma3ForConditionalGeneration"}, "model_type": "gemma3", "image_token_index": 262144, "mm_tokens_per_image": 256,
		"vision_config": jsonObject{"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
		"text_config": jsonObject{
			"model_type": "gemma3_text", "num_hidden_layers": 48, "hidden_size": 3840, "num_attention_heads": 16, "num_key_value_heads": 8,
			"intermediate_size": 15360, "sliding_window": 1024, "rope_scaling": jsonObject{"rope_type": "linear", "factor": 8.0},
		},
	}
}

func llama4Config() jsonObject {
	return jsonObject{
		"architectures": []string{"Llama4ForConditionalGeneration"}, "model_type": "llama4", "boi_token_index": 200080,
		"vision_config": jsonObject{"hidden_size": 1408, "num_hidden_layers": 34},
		"text_config": jsonObject{
			"model_type": "llama4_text", "num_hidden_layers": 48, "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8,
			"head_dim": 128, "hidden_act": "silu", "intermediate_size": 8192, "intermediate_size_mlp": 16384, "vocab_size": 202048,
			"max_position_embeddings": 1048576, "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2,
			"attention_chunk_size": 8192, "use_qk_norm": false, "attn_temperature_tuning": 4, "no_rope_layers": []int{}, "rope_scaling": nil,
		},
	}
}

func kimiConfig() jsonObject {
	text := withValues(deepSeekConfig(), jsonObject{
		"model_type": "kimi_k2", "num_attention_heads": 64, "num_key_value_heads": 64, "vocab_size": 163840, "max_position_embeddings": 262144,
		"n_routed_experts": 384, "first_k_dense_replace": 1, "tie_word_embeddings": false, "add_cross_attention": false, "pruned_heads": jsonObject{},
		"top_k": 50, "id2label": jsonObject{"0": "LABEL_0"}, "bad_words_ids": nil, "head_dim": nil,
		"rope_scaling": jsonObject{"type": "yarn", "factor": 64.0, "original_max_position_embeddings": 4096},
		"quantization_config": jsonObject{
			"quant_method": "compressed-tensors", "format": "pack-quantized", "kv_cache_scheme": nil,
			"config_groups": jsonObject{"group_0": jsonObject{"targets": []string{"Linear"}, "weights": jsonObject{"num_bits": 4, "type": "int", "group_size": 32}}},
			"ignore":        []string{"lm_head", "re:.*self_attn.*", "re:.*shared_experts.*", `re:.*mlp\.(gate|up|down)_proj.*`},
		},
	})
	return jsonObject{
		"architectures": []string{"KimiK25ForConditionalGeneration"}, "model_type": "kimi_k25", "text_config": text, "tie_word_embeddings": false,
		"media_placeholder_token_id": 163605, "use_unified_vision_chunk": true, "ignore_index": -100, "vision_config": jsonObject{"vt_num_hidden_layers": 27},
	}
}

// withText returns a config with other values in its text_config.
func withText(config, other jsonObject) jsonObject {
	return withValues(config, jsonObject{"text_config": withValues(config["text_config"].(jsonObject), other)})
}

// withValues returns a config with other values; a nil one is taken out.
func withValues(config, other jsonObject) jsonObject {
	config = maps.Clone(config)
	for key, value := range other {
		if config[key] = value; value == nil {
			delete(config, key)
		}
	}
	return config
}

func parseConfig(t testing.TB, config jsonObject) (Model, field.ErrorList) {
	t.Helper()
	raw := jsontest.Encode(t, config)
	return ParseHuggingFace("mine", raw, field.NewPath("config"))
}

func TestPublishedConfigsMatchCatalogue(t *testing.T) {
	qwen := jsonObject{"rope_scaling": nil, "use_sliding_window": false, "sliding_window": nil, "max_window_layers": 36}
	tests := map[string]jsonObject{
		"Llama-3.1-8B": llamaConfig(),
		"Qwen3-32B": withValues(withValues(llamaConfig(), qwen), jsonObject{
			"architectures": []string{"Qwen3ForCausalLM"}, "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 64,
			"head_dim": 128, "intermediate_size": 25600, "vocab_size": 151936, "max_position_embeddings": 40960,
		}),
		"Qwen2.5-7B-Instruct": withValues(llamaConfig(), jsonObject{
			"architectures": []string{"Qwen2ForCausalLM"}, "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28,
			"num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "max_position_embeddings": 32768,
			"rope_scaling": nil, "use_sliding_window": false, "sliding_window": 131072,
		}),
		"Mixtral-8x7B": withValues(llamaConfig(), jsonObject{
			"architectures": []string{"MixtralForCausalLM"}, "vocab_size": 32000, "max_position_embeddings": 32768, "rope_scaling": nil,
			"num_local_experts": 8, "num_experts_per_tok": 2, "router_aux_loss_coef": 0.02, "sliding_window": nil,
		}),
		"Qwen3-30B-A3B": withValues(withValues(llamaConfig(), qwen), jsonObject{
			"architectures": []string{"Qwen3MoeForCausalLM"}, "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32,
			"num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "vocab_size": 151936, "max_position_embeddings": 40960,
			"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "decoder_sparse_step": 1, "mlp_only_layers": []int{},
			"norm_topk_prob": true,
		}),
		"DeepSeek-V3": deepSeekConfig(),
		"Kimi-K2": withValues(deepSeekConfig(), jsonObject{
			"num_attention_heads": 64, "num_key_value_heads": 64, "vocab_size": 163840, "max_position_embeddings": 131072,
			"n_routed_experts": 384, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1,
			"rope_scaling": jsonObject{"type": "yarn", "factor": 32, "original_max_position_embeddings": 4096},
		}),
		"gpt-oss-20b": withValues(llamaConfig(), jsonObject{
			"architectures": []string{"GptOssForCausalLM"}, "num_hidden_layers": 24, "hidden_size": 2880, "num_attention_heads": 64,
			"head_dim": 64, "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": 32, "num_experts_per_tok": 4, "experts_per_token": 4,
			"initial_context_length": 4096, "swiglu_limit": 7.0, "sliding_window": 128, "layer_types": slices.Repeat([]string{"sliding_attention", "full_attention"}, 12),
			"quantization_config": jsonObject{"quant_method": "mxfp4", "modules_to_not_convert": []string{"model.layers.*.self_attn"}},
			"rope_scaling":        jsonObject{"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0, "truncate": false},
		}),
		"MiniMax-M2.5": withValues(llamaConfig(), jsonObject{
			"architectures": []string{"MiniMaxM2ForCausalLM"}, "num_hidden_layers": 62, "hidden_size": 3072, "num_attention_heads": 48,
			"head_dim": 128, "intermediate_size": 1536, "vocab_size": 200064, "max_position_embeddings": 196608, "rope_scaling": nil,
			"num_local_experts": 256, "num_experts_per_tok": 8, "rotary_dim": 64, "use_qk_norm": true, "qk_norm_type": "per_layer", "use_routing_bias": true,
			"use_mtp": true, "mtp_transformer_layers": 1, "num_mtp_modules": 3, "shared_intermediate_size": 0, "attn_type_list": []int{1, 1},
			"quantization_config": jsonObject{"quant_method": "fp8", "weight_block_size": []int{128, 128}},
		}),
		"GLM-4.5": withValues(llamaConfig(), jsonObject{
			"architectures": []string{"Glm4MoeForCausalLM"}, "num_hidden_layers": 92, "hidden_size": 5120, "num_attention_heads": 96,
			"head_dim": 128, "intermediate_size": 12288, "vocab_size": 151552, "rope_scaling": nil, "n_routed_experts": 160, "n_shared_experts": 1,
			"num_experts_per_tok": 8, "moe_intermediate_size": 1536, "first_k_dense_replace": 3, "use_qk_norm": true, "partial_rotary_factor": 0.5,
			"num_nextn_predict_layers": 1,
		}),
		"gemma-3-12b": gemmaConfig(),
		"gemma-3-27b": withText(gemmaConfig(), jsonObject{
			"num_hidden_layers": 62, "hidden_size": 5376, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128, "intermediate_size": 21504,
			"hidden_activation": "gelu_pytorch_tanh", "sliding_window_pattern": 6, "query_pre_attn_scalar": 168,
		}),
		"Llama-4-Maverick": llama4Config(),
		"Llama-4-Scout": withText(llama4Config(), jsonObject{
			"max_position_embeddings": 10485760, "num_local_experts": 16, "interleave_moe_layer_step": 1,
			"layer_types": slices.Repeat([]string{"chunked_attention", "chunked_attention", "chunked_attention", "full_attention"}, 12),
		}),
		"Kimi-K2.5": kimiConfig(),
	}
	for name, config := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := parseConfig(t, config)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			want := mustModel(t, name)
			want.Name, want.Aliases = "mine", nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("model (−want +got):\n%s", diff)
			}
		})
	}
}

// Shapes that the catalogue has no example of, held against the billions of
// weights, in all and active, that they were published with.
func TestConfigsOfPublishedSize(t *testing.T) {
	tests := map[string]struct {
		config        jsonObject
		total, active float64
	}{
		"Llama-3.2-1B, tied embeddings": {withValues(llamaConfig(), jsonObject{
			"num_hidden_layers": 16, "hidden_size": 2048, "intermediate_size": 8192, "tie_word_embeddings": true,
		}), 1.236, 1.236},
		"Qwen1.5-MoE-A2.7B, shared experts of their own width": {withValues(llamaConfig(), jsonObject{
			"architectures": []string{"Qwen2MoeForCausalLM"}, "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
			"num_key_value_heads": 16, "intermediate_size": 5632, "vocab_size": 151936, "max_position_embeddings": 8192, "rope_scaling": nil,
			"num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 1,
		}), 14.32, 2.69},
		"DeepSeek-V2-Lite, queries that are not compressed": {withValues(deepSeekConfig(), jsonObject{
			"architectures": []string{"DeepseekV2ForCausalLM"}, "num_hidden_layers": 27, "hidden_size": 2048, "num_attention_heads": 16,
			"num_key_value_heads": 16, "intermediate_size": 10944, "vocab_size": 102400, "q_lora_rank": nil, "quantization_config": nil,
			"n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "first_k_dense_replace": 1,
		}), 15.71, 2.66},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m, errs := parseConfig(t, tc.config)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if got := float64(m.Parameters()) / 1e9; math.Abs(got-tc.total) > 0.006 {
				t.Errorf("%.3f billion weights, want %.3f", got, tc.total)
			}
			// As published, active weights count the embedding too.
			active := float64(m.ActiveParameters()+m.embeddingParameters()-m.headParameters()) / 1e9
			if math.Abs(active-tc.active) > 0.006 {
				t.Errorf("%.3f billion active weights, want %.3f", active, tc.active)
			}
		})
	}
}

// Configs of models with encoders whose decoders are those of models that the catalogue has.
func TestDecodersOfModelsWithEncoders(t *testing.T) {
	qwen := jsonObject{
		"num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "hidden_act": "silu",
		"intermediate_size": 6144, "vocab_size": 151936, "max_position_embeddings": 262144, "num_experts": 128, "num_experts_per_tok": 8,
		"moe_intermediate_size": 768, "decoder_sparse_step": 1, "mlp_only_layers": []int{},
		"rope_scaling": jsonObject{"rope_type": "default", "mrope_interleaved": true, "mrope_section": []int{24, 20, 20}},
	}
	mistral := jsonObject{
		"model_type": "mistral", "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
		"hidden_act": "silu", "intermediate_size": 32768, "vocab_size": 131072, "max_position_embeddings": 32768, "sliding_window": nil,
	}
	outer := func(architecture string, text jsonObject) jsonObject {
		return jsonObject{
			"architectures": []string{architecture}, "text_config": text, "vision_config": jsonObject{"depth": 27}, "image_token_id": 151655,
			"vision_start_token_id": 151652, "tie_word_embeddings": false,
		}
	}
	tests := map[string]struct {
		config jsonObject
		want   string
		change func(*Model)
	}{
		"Qwen3-VL with experts": {outer("Qwen3VLMoeForConditionalGeneration", qwen), "Qwen3-30B-A3B-Instruct-2507", func(*Model) {}},
		"tied embeddings and FP8 of the whole": {withValues(outer("Qwen3VLMoeForConditionalGeneration", qwen), jsonObject{
			"tie_word_embeddings": true, "quantization_config": jsonObject{"quant_method": "fp8", "modules_to_not_convert": []string{"lm_head", "model.visual.blocks.0.self_attn"}},
		}), "Qwen3-30B-A3B-Instruct-2507", func(m *Model) { m.TiedEmbeddings, m.Weights = true, FP8 }},
		"what the decoder states comes first": {outer("Mistral3ForConditionalGeneration", withValues(mistral, jsonObject{"tie_word_embeddings": true})),
			"Mistral-Small-24B", func(m *Model) { m.TiedEmbeddings = true }},
		"Mistral Small 3.1": {outer("Mistral3ForConditionalGeneration", mistral), "Mistral-Small-24B", func(*Model) {}},
		"rope of Ministral 3": {outer("Mistral3ForConditionalGeneration", withValues(mistral, jsonObject{
			"max_position_embeddings": 262144, "rope_parameters": jsonObject{"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 16384},
		})), "Mistral-Small-24B", func(m *Model) { m.ContextTokens = 262144 }},
		"Qwen2.5-VL, whose decoder is the config itself": {withValues(llamaConfig(), jsonObject{
			"architectures": []string{"Qwen2_5_VLForConditionalGeneration"}, "vision_config": jsonObject{"depth": 32}, "video_token_id": 151656,
			"rope_scaling": jsonObject{"type": "mrope", "mrope_section": []int{16, 24, 24}}, "use_sliding_window": false, "sliding_window": 32768,
		}), "Llama-3.1-8B", func(*Model) {}},
		"the pattern of Gemma's layers, listed": {withText(gemmaConfig(), jsonObject{
			"layer_types": slices.Repeat([]string{"sliding_attention", "full_attention"}, 24), "_sliding_window_pattern": 6, "use_bidirectional_attention": false,
		}), "gemma-3-12b", func(m *Model) { m.SlidingWindow.Layers = 24 }},
		"Gemma without encoder": {withValues(gemmaConfig()["text_config"].(jsonObject), jsonObject{"architectures": []string{"Gemma3ForCausalLM"}}),
			"gemma-3-12b", func(*Model) {}},
		"Llama 4 without rope in all layers but one": {withText(llama4Config(), jsonObject{"no_rope_layers": []int{0, 0, 1, 0}, "moe_layers": slices.Repeat([]int{1}, 24)}),
			"Llama-4-Maverick", func(m *Model) { m.SlidingWindow.Layers = 1 }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := parseConfig(t, tc.config)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			want := mustModel(t, tc.want)
			want.Name, want.Aliases = "mine", nil
			tc.change(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("model (−want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsOfModelsWithEncoders(t *testing.T) {
	const unknown = ": Invalid value: unknown key: it may change the model's shape; remove it if it does not"
	const divided = "config.text_config.quantization_config: Invalid value: must be of all layers or of routed experts alone: other divisions are not modelled"
	skipping := func(words ...string) jsonObject {
		return jsonObject{"quantization_config": jsonObject{"quant_method": "fp8", "modules_to_not_convert": words}}
	}
	tests := map[string]struct {
		config jsonObject
		want   []string
	}{
		"unknown keys of both": {withValues(withText(gemmaConfig(), jsonObject{"altup": true}), jsonObject{"memory_layers": 3}), []string{
			"config.memory_layers" + unknown, "config.text_config.altup" + unknown}},
		"no decoder":   {withValues(gemmaConfig(), jsonObject{"text_config": 7}), nil},
		"missing keys": {withText(llama4Config(), jsonObject{"intermediate_size_mlp": nil}), []string{"config.text_config.intermediate_size_mlp: Required value: the config has no such key"}},
		"a format of the whole": {withValues(gemmaConfig(), jsonObject{"quantization_config": jsonObject{"quant_method": "exl2"}}), []string{
			`config.quantization_config.quant_method: Unsupported value: "exl2": supported values: "awq", "compressed-tensors", "fbgemm_fp8", "fp8", "gptq", "mxfp4"`}},
		"no window":       {withText(gemmaConfig(), jsonObject{"sliding_window": nil}), []string{"config.text_config.layer_types: Invalid value: layers of sliding_attention need a sliding_window"}},
		"no pattern":      {withText(gemmaConfig(), jsonObject{"sliding_window_pattern": 0}), []string{"config.text_config.sliding_window_pattern: Invalid value: must be at least 1"}},
		"an encoder":      {withText(gemmaConfig(), jsonObject{"use_bidirectional_attention": true}), []string{"config.text_config.use_bidirectional_attention: Invalid value: must be false: a decoder attends to earlier tokens only"}},
		"another MLP":     {withText(gemmaConfig(), jsonObject{"hidden_activation": "relu"}), []string{"config.text_config.hidden_activation: Invalid value: must be gelu_pytorch_tanh, with gate, up and down matrices: other MLPs are not modelled"}},
		"other experts":   {withText(llama4Config(), jsonObject{"moe_layers": []int{3}}), []string{"config.text_config.moe_layers: Invalid value: must be every interleave_moe_layer_step-th layer: other patterns are not modelled"}},
		"other attention": {withText(llama4Config(), jsonObject{"layer_types": []string{"sliding_attention"}}), []string{"config.text_config.layer_types: Invalid value: layers of other attention than full_attention and chunked_attention are not modelled"}},
		"an unknown format of experts": {withText(kimiConfig(), jsonObject{"quantization_config": jsonObject{"quant_method": "modelopt", "ignore": []string{"re:.*self_attn.*"}}}), []string{
			`config.text_config.quantization_config.quant_method: Unsupported value: "modelopt": supported values: "awq", "compressed-tensors", "fbgemm_fp8", "fp8", "gptq", "mxfp4"`}},
		"attention of a dense model in 16 bits": {withText(gemmaConfig(), skipping("re:.*self_attn.*")), []string{divided}},
		"shared experts in FP8, attention not":  {withText(kimiConfig(), skipping("model.layers.0.self_attn")), []string{divided}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := parseConfig(t, tc.config)
			if len(errs) == 0 {
				t.Fatal("no faults")
			}
			if diff := cmp.Diff(tc.want, errorMessages(errs)); tc.want != nil && diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
}

// Most layers of these keep a state of fixed size, whose work and memory a Model cannot say.
func TestLinearAttentionIsRefusedByName(t *testing.T) {
	for _, name := range []string{"Qwen3NextForCausalLM", "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration"} {
		_, errs := parseConfig(t, withValues(llamaConfig(), jsonObject{
			"architectures": []string{name}, "full_attention_interval": 4, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
		}))
		want := []string{"config.architectures: Invalid value: " + name + " has layers of linear attention, which are not modelled"}
		if diff := cmp.Diff(want, errorMessages(errs)); diff != "" {
			t.Errorf("faults (−want +got):\n%s", diff)
		}
	}
}

func TestExpertsInEveryOtherLayer(t *testing.T) {
	m, errs := parseConfig(t, withValues(llamaConfig(), jsonObject{
		"architectures": []string{"Qwen3MoeForCausalLM"}, "num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 1000, "decoder_sparse_step": 2,
	}))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if m.MoE.LayerStep != 2 || m.IntermediateSize != 14336 || m.moeLayers() != 16 {
		t.Errorf("%+v, %+v", m, m.MoE)
	}
}

func TestParseHuggingFaceOptionalKeys(t *testing.T) {
	compressed := func(weights jsonObject) jsonObject {
		return jsonObject{"quantization_config": jsonObject{"quant_method": "compressed-tensors", "config_groups": jsonObject{"group_0": jsonObject{"weights": weights}}}}
	}
	integers := func(method string) jsonObject {
		return jsonObject{"quantization_config": jsonObject{"quant_method": method, "bits": 4, "group_size": 128}}
	}
	tests := map[string]struct {
		config jsonObject
		want   func(*Model)
	}{
		"tied embeddings":                {jsonObject{"tie_word_embeddings": true}, func(m *Model) { m.TiedEmbeddings = true }},
		"yarn over the stated positions": {jsonObject{"max_position_embeddings": 32768, "rope_scaling": jsonObject{"rope_type": "yarn", "factor": 4.0}}, func(*Model) {}},
		"linear scaling":                 {jsonObject{"rope_scaling": jsonObject{"type": "linear", "factor": 2.0}}, func(m *Model) { m.ContextTokens *= 2 }},
		"rope parameters":                {jsonObject{"rope_scaling": nil, "rope_parameters": jsonObject{"rope_type": "default", "rope_theta": 1e6}}, func(*Model) {}},
		"full attention, layer by layer": {jsonObject{"layer_types": []string{"full_attention", "full_attention"}}, func(*Model) {}},
		"AWQ":                            {integers("awq"), func(m *Model) { m.Weights = INT4 }},
		"GPTQ":                           {integers("gptq"), func(m *Model) { m.Weights = INT4 }},
		"compressed FP8":                 {compressed(jsonObject{"num_bits": 8, "type": "float"}), func(m *Model) { m.Weights = FP8 }},
		"compressed INT8":                {compressed(jsonObject{"num_bits": 8, "type": "int"}), func(m *Model) { m.Weights = INT8 }},
		"compressed INT4":                {compressed(jsonObject{"num_bits": 4, "type": "int", "group_size": 128}), func(m *Model) { m.Weights = INT4 }},
		"compressed INT4, small groups":  {compressed(jsonObject{"num_bits": 4, "type": "int", "group_size": 32}), func(m *Model) { m.Weights = INT4Group32 }},
		"norms of heads":                 {jsonObject{"use_qk_norm": true}, func(*Model) {}},
		"keys that state nothing":        {jsonObject{"altup": nil, "pruned_heads": jsonObject{}}, func(*Model) {}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, errs := parseConfig(t, withValues(llamaConfig(), tc.config))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			want := mustModel(t, "Llama-3.1-8B")
			want.Name, want.Aliases = "mine", nil
			tc.want(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("model (−want +got):\n%s", diff)
			}
		})
	}
}

func TestParseHuggingFaceErrors(t *testing.T) {
	tests := map[string]struct {
		config jsonObject
		want   []string
	}{
		"missing keys": {jsonObject{"hidden_size": nil, "num_key_value_heads": nil}, []string{
			"config.hidden_size: Required value: the config has no such key",
			"config.num_key_value_heads: Required value: the config has no such key",
		}},
		"unknown keys": {jsonObject{"mamba_layers": 3, "altup": true}, []string{
			"config.altup: Invalid value: unknown key: it may change the model's shape; remove it if it does not",
			"config.mamba_layers: Invalid value: unknown key: it may change the model's shape; remove it if it does not",
		}},
		"a key of another architecture": {jsonObject{"num_local_experts": 8}, []string{
			"config.num_local_experts: Invalid value: unknown key: it may change the model's shape; remove it if it does not"}},
		"an architecture that is not known": {jsonObject{"architectures": []string{"MambaForCausalLM"}}, []string{
			`config.architectures: Unsupported value: "[MambaForCausalLM]": supported values: "DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "Gemma3ForCausalLM", "Gemma3ForConditionalGeneration", "Glm4MoeForCausalLM", "GptOssForCausalLM", "KimiK25ForConditionalGeneration", "Llama4ForCausalLM", "Llama4ForConditionalGeneration", "LlamaForCausalLM", "MiniMaxM2ForCausalLM", "Mistral3ForConditionalGeneration", "MistralForCausalLM", "MixtralForCausalLM", "Qwen2ForCausalLM", "Qwen2MoeForCausalLM", "Qwen2_5_VLForConditionalGeneration", "Qwen3ForCausalLM", "Qwen3MoeForCausalLM", "Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration"`}},
		"no architecture": {jsonObject{"architectures": nil}, []string{
			"config.architectures: Required value: the config has no such key"}},
		"a word for a number": {jsonObject{"num_hidden_layers": "many"}, []string{
			`config.num_hidden_layers: Invalid value: "string": must be a whole number`}},
		"heads that do not divide": {jsonObject{"num_attention_heads": 24}, []string{
			"config.head_dim: Invalid value: must be given: 24 attention heads do not divide hidden_size 4096"}},
		"a sliding window": {jsonObject{"sliding_window": 4096}, []string{
			"config.sliding_window: Invalid value: must come with layer_types: which layers attend to the last 4096 tokens only is not known"}},
		"layers with a window of no length": {jsonObject{"layer_types": []string{"full_attention", "sliding_attention"}}, []string{
			"config.layer_types: Invalid value: layers of sliding_attention need a sliding_window"}},
		"a format of experts without experts": {jsonObject{"quantization_config": jsonObject{"quant_method": "mxfp4"}}, []string{
			"config.quantization_config: Invalid value: mxfp4 is the format of experts, and the model has none"}},
		"layers of other attention": {jsonObject{"layer_types": []string{"full_attention", "linear_attention"}}, []string{
			"config.layer_types: Invalid value: layers of linear attention are not modelled"}},
		"another activation": {jsonObject{"hidden_act": "relu2"}, []string{
			"config.hidden_act: Invalid value: must be silu, with gate, up and down matrices: other MLPs are not modelled"}},
		"rope scaling that is not known": {jsonObject{"rope_scaling": jsonObject{"type": "longrope"}}, []string{
			`config.rope_scaling.rope_type: Unsupported value: "longrope": supported values: "default", "dynamic", "linear", "llama3", "mrope", "yarn"`}},
		"rope scaling without measure": {jsonObject{"rope_scaling": jsonObject{"type": "linear", "factor": 0.5}}, []string{
			"config.rope_scaling.factor: Invalid value: must be at least 1 and at most 1e6"}},
		"quantization that is not known": {jsonObject{"quantization_config": jsonObject{"quant_method": "exl2"}}, []string{
			`config.quantization_config.quant_method: Unsupported value: "exl2": supported values: "awq", "compressed-tensors", "fbgemm_fp8", "fp8", "gptq", "mxfp4"`}},
		"3 bits": {jsonObject{"quantization_config": jsonObject{"quant_method": "gptq", "bits": 3, "group_size": 128}}, []string{
			"config.quantization_config.bits: Invalid value: integers of 3 bits are not modelled here"}},
		"other groups": {jsonObject{"quantization_config": jsonObject{"quant_method": "awq", "bits": 4, "group_size": 64}}, []string{
			"config.quantization_config.group_size: Invalid value: must be 32 or 128: other groups of 4-bit weights are not modelled"}},
		"groups of layers": {jsonObject{"quantization_config": jsonObject{"quant_method": "compressed-tensors", "config_groups": jsonObject{}, "kv_cache_scheme": jsonObject{"num_bits": 8}}}, []string{
			"config.quantization_config.kv_cache_scheme: Invalid value: remove it and set the format of the KV cache in the pool",
			"config.quantization_config.config_groups: Invalid value: must be one group for all layers"}},
		"a group of other numbers": {jsonObject{"quantization_config": jsonObject{"quant_method": "compressed-tensors", "config_groups": jsonObject{"g": jsonObject{"weights": jsonObject{"num_bits": 4, "type": "float"}}}}}, []string{
			`config.quantization_config.config_groups: Invalid value: weights of type "float" with 4 bits are not modelled`}},
		"a group without weights": {jsonObject{"quantization_config": jsonObject{"quant_method": "compressed-tensors", "config_groups": jsonObject{"g": jsonObject{}}}}, []string{
			"config.quantization_config.config_groups: Invalid value: must name the format of the weights"}},
		"dense layers one by one": {jsonObject{
			"architectures": []string{"Qwen3MoeForCausalLM"}, "num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 1000, "mlp_only_layers": []int{3}}, []string{
			"config.mlp_only_layers: Invalid value: must be empty: dense layers that are listed one by one are not modelled"}},
		"a shape that makes no sense": {jsonObject{"num_key_value_heads": 5}, []string{
			"config.kvHeads: Invalid value: 5: must divide the 32 attention heads"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := parseConfig(t, withValues(llamaConfig(), tc.config))
			if diff := cmp.Diff(tc.want, errorMessages(errs)); diff != "" {
				t.Errorf("faults (−want +got):\n%s", diff)
			}
		})
	}
	_, errs := parseConfig(t, withValues(deepSeekConfig(), jsonObject{"moe_layer_freq": 2}))
	want := []string{"config.moe_layer_freq: Invalid value: must be 1: other patterns of layers are not modelled"}
	if diff := cmp.Diff(want, errorMessages(errs)); diff != "" {
		t.Errorf("faults (−want +got):\n%s", diff)
	}
	for _, text := range []string{"", "null", "[]", "{", "7"} {
		if m, errs := ParseHuggingFace("mine", []byte(text), nil); len(errs) == 0 {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

func FuzzParseHuggingFace(f *testing.F) {
	for _, config := range []jsonObject{llamaConfig(), deepSeekConfig(), gemmaConfig(), llama4Config(), kimiConfig()} {
		raw := jsontest.Encode(f, config)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, errs := ParseHuggingFace("mine", raw, field.NewPath("config"))
		if len(errs) > 0 {
			return
		}
		mustBeUsable(t, m)
	})
}

// mustBeUsable fails where a valid model has sizes that are none.
func mustBeUsable(t *testing.T, m Model) {
	t.Helper()
	i := Instance{Model: m, Accelerator: mustAccelerator(t, "h100-sxm"), TensorParallelism: 1}
	if m.Parameters() < 1 || m.ActiveParameters() < 1 || i.WeightBytes() < 1 || i.KVBytesPerToken() < 1 {
		t.Errorf("%+v: %d weights, %d bytes, %d bytes of KV", m, m.Parameters(), i.WeightBytes(), i.KVBytesPerToken())
	}
	if got := i.Roofline(DefaultRoofline(i.Accelerator)).StepTime(step(decodes(3, 10)...)); got < 1 || got > longestStep {
		t.Errorf("%+v: a step takes %d ns", m, got)
	}
}
