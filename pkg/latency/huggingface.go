// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ParseHuggingFace reads the config.json that a model is published with, under
// a name of the user's. Of the architectures
//
//	LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM
//	MixtralForCausalLM, Qwen2MoeForCausalLM, Qwen3MoeForCausalLM
//	DeepseekV2ForCausalLM, DeepseekV3ForCausalLM, Glm4MoeForCausalLM
//	GptOssForCausalLM, MiniMaxM2ForCausalLM, Gemma3ForCausalLM, Llama4ForCausalLM
//
// and of those of models with encoders, whose decoder is one of these and whose config
// states it in text_config,
//
//	Gemma3ForConditionalGeneration, KimiK25ForConditionalGeneration
//	Llama4ForConditionalGeneration, Mistral3ForConditionalGeneration
//	Qwen2_5_VLForConditionalGeneration, Qwen3VLForConditionalGeneration
//	Qwen3VLMoeForConditionalGeneration
//
// it takes shape, layers with sliding windows, context after rope scaling, and the
// format of the weights. Encoders are left out. A
// key that is missing is a fault, and so is one that may change the shape in a
// way that Model cannot say, an unknown one above all.
func ParseHuggingFace(name string, raw []byte, path *field.Path) (Model, field.ErrorList) {
	c := &hubConfig{path: path, read: map[string]bool{}}
	if errs := decodeStrict(raw, &c.values, path); len(errs) > 0 {
		return Model{}, errs
	}
	if c.values == nil {
		return Model{}, field.ErrorList{field.Required(path, "a config.json is an object")}
	}
	m := Model{Name: name}
	shape := c.architecture()
	if shape == nil {
		return m, c.errs
	}
	c = c.decoder()
	m.Layers = c.integer("num_hidden_layers")
	m.HiddenSize = c.integer("hidden_size")
	m.AttentionHeads = c.integer("num_attention_heads")
	m.VocabularySize = c.integer("vocab_size")
	c.optional("tie_word_embeddings", &m.TiedEmbeddings)
	shape(c, &m)
	m.ContextTokens = c.contextTokens()
	c.takeWeights(&m)
	m.SlidingWindow = c.slidingWindow(m.SlidingWindow)
	c.requireActivation("hidden_act", "silu")
	c.rejectUnknownKeys()
	if len(c.errs) > 0 {
		return m, c.errs
	}
	return m, m.Validate(path)
}

// hubConfig reads a config key by key and remembers which.
type hubConfig struct {
	path   *field.Path
	values map[string]json.RawMessage
	read   map[string]bool
	errs   field.ErrorList
	// inherited are the paths of keys that the config around this one states.
	inherited map[string]*field.Path
}

func (c *hubConfig) at(key string) *field.Path {
	if path := c.inherited[key]; path != nil {
		return path
	}
	return c.path.Child(key)
}

// optional reads a key, null being as good as none, and reports whether there
// was one.
func (c *hubConfig) optional(key string, target any) bool {
	c.read[key] = true
	raw, ok := c.values[key]
	if !ok || string(raw) == "null" {
		return false
	}
	if errs := decodeStrict(raw, target, c.at(key)); len(errs) > 0 {
		c.errs = append(c.errs, errs...)
		return false
	}
	return true
}

// integer reads a key that must be there.
func (c *hubConfig) integer(key string) int {
	var v int
	faults := len(c.errs)
	if !c.optional(key, &v) && len(c.errs) == faults {
		c.errs = append(c.errs, field.Required(c.at(key), "the config has no such key"))
	}
	return v
}

func (c *hubConfig) integerOr(key string, other int) int {
	c.optional(key, &other)
	return other
}

func (c *hubConfig) addError(key, format string, args ...any) {
	c.errs = append(c.errs, field.Invalid(c.at(key), field.OmitValueType{}, fmt.Sprintf(format, args...)))
}

var hubArchitectures = map[string]func(*hubConfig, *Model){
	"LlamaForCausalLM":      (*hubConfig).dense,
	"MistralForCausalLM":    (*hubConfig).dense,
	"Qwen2ForCausalLM":      (*hubConfig).dense,
	"Qwen3ForCausalLM":      (*hubConfig).dense,
	"MixtralForCausalLM":    (*hubConfig).mixtral,
	"Qwen2MoeForCausalLM":   (*hubConfig).qwenMoE,
	"Qwen3MoeForCausalLM":   (*hubConfig).qwenMoE,
	"DeepseekV2ForCausalLM": (*hubConfig).deepSeek,
	"DeepseekV3ForCausalLM": (*hubConfig).deepSeek,
	"Gemma3ForCausalLM":     (*hubConfig).gemma,
	"Glm4MoeForCausalLM":    (*hubConfig).glm,
	"GptOssForCausalLM":     (*hubConfig).gptOss,
	"Llama4ForCausalLM":     (*hubConfig).llama4,
	"MiniMaxM2ForCausalLM":  (*hubConfig).miniMax,

	"Gemma3ForConditionalGeneration":     (*hubConfig).gemma,
	"KimiK25ForConditionalGeneration":    (*hubConfig).deepSeek,
	"Llama4ForConditionalGeneration":     (*hubConfig).llama4,
	"Mistral3ForConditionalGeneration":   (*hubConfig).dense,
	"Qwen2_5_VLForConditionalGeneration": (*hubConfig).dense,
	"Qwen3VLForConditionalGeneration":    (*hubConfig).dense,
	"Qwen3VLMoeForConditionalGeneration": (*hubConfig).qwenMoE,
}

// linearAttention are architectures in most of whose layers attention keeps a state of
// fixed size in place of keys and values, which a Model cannot say.
var linearAttention = []string{
	"KimiLinearForCausalLM", "MiniMaxM1ForCausalLM", "MiniMaxText01ForCausalLM", "Qwen3NextForCausalLM",
	"Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration",
}

func (c *hubConfig) architecture() func(*hubConfig, *Model) {
	var names []string
	if !c.optional("architectures", &names) && len(c.errs) == 0 {
		c.errs = append(c.errs, field.Required(c.path.Child("architectures"), "the config has no such key"))
	}
	if len(c.errs) > 0 {
		return nil
	}
	if len(names) == 1 && hubArchitectures[names[0]] != nil {
		return hubArchitectures[names[0]]
	}
	if len(names) == 1 && slices.Contains(linearAttention, names[0]) {
		c.addError("architectures", "%s has layers of linear attention, which are not modelled", names[0])
		return nil
	}
	c.errs = append(c.errs, field.NotSupported(c.path.Child("architectures"), fmt.Sprint(names), slices.Sorted(maps.Keys(hubArchitectures))))
	return nil
}

// groupedHeads reads attention without latent vectors. An explicit head_dim
// comes first.
func (c *hubConfig) groupedHeads(m *Model) {
	m.KVHeads = c.integer("num_key_value_heads")
	if c.optional("head_dim", &m.HeadDim) || m.AttentionHeads < 1 {
		return
	}
	if m.HiddenSize%m.AttentionHeads != 0 {
		c.addError("head_dim", "must be given: %d attention heads do not divide hidden_size %d", m.AttentionHeads, m.HiddenSize)
		return
	}
	m.HeadDim = m.HiddenSize / m.AttentionHeads
}

func (c *hubConfig) dense(m *Model) {
	c.groupedHeads(m)
	m.IntermediateSize = c.integer("intermediate_size")
}

func (c *hubConfig) mixtral(m *Model) {
	c.groupedHeads(m)
	m.MoE = &MoE{
		Experts:                c.integer("num_local_experts"),
		ExpertsPerToken:        c.integer("num_experts_per_tok"),
		ExpertIntermediateSize: c.integer("intermediate_size"),
	}
}

func (c *hubConfig) gptOss(m *Model) {
	c.mixtral(m)
	c.ignore("experts_per_token", "initial_context_length", "swiglu_limit")
}

func (c *hubConfig) miniMax(m *Model) {
	c.mixtral(m)
	m.MoE.SharedIntermediateSize = c.integerOr("shared_intermediate_size", 0)
	c.ignore("rotary_dim", "qk_norm_type", "use_routing_bias", "use_mtp", "mtp_transformer_layers", "num_mtp_modules")
	var kinds []int
	if c.optional("attn_type_list", &kinds); slices.ContainsFunc(kinds, func(kind int) bool { return kind != 1 }) {
		c.addError("attn_type_list", "must be 1 for each layer: linear attention is not modelled")
	}
}

func (c *hubConfig) glm(m *Model) {
	c.groupedHeads(m)
	c.routedExperts(m)
}

func (c *hubConfig) qwenMoE(m *Model) {
	c.groupedHeads(m)
	m.MoE = &MoE{
		Experts:                c.integer("num_experts"),
		ExpertsPerToken:        c.integer("num_experts_per_tok"),
		ExpertIntermediateSize: c.integer("moe_intermediate_size"),
		SharedIntermediateSize: c.integerOr("shared_expert_intermediate_size", 0),
	}
	var dense []int
	if c.optional("mlp_only_layers", &dense); len(dense) > 0 {
		c.addError("mlp_only_layers", "must be empty: dense layers that are listed one by one are not modelled")
	}
	// The key is always there, and means nothing where no layer is dense.
	width := c.integer("intermediate_size")
	if step := c.integerOr("decoder_sparse_step", 1); step > 1 {
		m.MoE.LayerStep, m.IntermediateSize = step, width
	}
}

func (c *hubConfig) deepSeek(m *Model) {
	m.MLA = &MLA{
		QueryRank:    c.integerOr("q_lora_rank", 0),
		KVRank:       c.integer("kv_lora_rank"),
		NopeHeadDim:  c.integer("qk_nope_head_dim"),
		RopeHeadDim:  c.integer("qk_rope_head_dim"),
		ValueHeadDim: c.integer("v_head_dim"),
	}
	c.routedExperts(m)
	// What these keys say of heads holds before keys and values are compressed.
	c.ignore("num_key_value_heads", "head_dim")
	if c.integerOr("moe_layer_freq", 1) != 1 {
		c.addError("moe_layer_freq", "must be 1: other patterns of layers are not modelled")
	}
}

// routedExperts reads experts as DeepSeek names them.
func (c *hubConfig) routedExperts(m *Model) {
	width := c.integer("moe_intermediate_size")
	m.MoE = &MoE{
		Experts:                c.integer("n_routed_experts"),
		ExpertsPerToken:        c.integer("num_experts_per_tok"),
		ExpertIntermediateSize: width,
		SharedIntermediateSize: c.integerOr("n_shared_experts", 0) * width,
		FirstDenseLayers:       c.integerOr("first_k_dense_replace", 0),
	}
	if dense := c.integer("intermediate_size"); m.MoE.FirstDenseLayers > 0 {
		m.IntermediateSize = dense
	}
}
