// SPDX-License-Identifier: Apache-2.0

package latency

import "slices"

// gemma reads Gemma 3: the default of sliding_window_pattern is a layer of six that attends
// to the whole context. max_position_embeddings is the context after rope scaling.
func (c *hubConfig) gemma(m *Model) {
	c.dense(m)
	c.requireActivation("hidden_activation", "gelu_pytorch_tanh")
	both := false
	if c.optional("use_bidirectional_attention", &both); both {
		c.addError("use_bidirectional_attention", "must be false: a decoder attends to earlier tokens only")
	}
	c.ignore("_sliding_window_pattern", "attn_logit_softcapping", "cache_implementation", "final_logit_softcapping", "query_pre_attn_scalar",
		"rope_local_base_freq")
	c.drop("rope_parameters", "rope_scaling")
	m.SlidingWindow = &SlidingWindow{Layers: c.interleaved(m.Layers, "sliding_window_pattern", 6)}
}

// llama4 reads Llama 4: the default of no_rope_layer_interval is a layer of four that
// attends to the whole context, the others to chunks.
func (c *hubConfig) llama4(m *Model) {
	c.groupedHeads(m)
	width := c.integer("intermediate_size")
	m.MoE = &MoE{
		Experts:                c.integer("num_local_experts"),
		ExpertsPerToken:        c.integer("num_experts_per_tok"),
		ExpertIntermediateSize: width,
		SharedIntermediateSize: width,
	}
	step := c.integerOr("interleave_moe_layer_step", 1)
	if dense := c.integer("intermediate_size_mlp"); step > 1 {
		m.MoE.LayerStep, m.IntermediateSize = step, dense
	}
	var experts []int
	if c.optional("moe_layers", &experts) && int64(len(experts)) != m.moeLayers() {
		c.addError("moe_layers", "must be every interleave_moe_layer_step-th layer: other patterns are not modelled")
	}
	m.SlidingWindow = &SlidingWindow{Layers: c.interleaved(m.Layers, "no_rope_layer_interval", 4), Chunked: true}
	var rotated []int
	if c.optional("no_rope_layers", &rotated); len(rotated) > 0 {
		m.SlidingWindow.Layers = len(slices.DeleteFunc(rotated, func(layer int) bool { return layer == 0 }))
	}
	c.ignore("attn_scale", "attn_temperature_tuning", "cache_implementation", "floor_scale", "for_llm_compressor")
}

// interleaved returns the layers with a window, where every so-many-th has none.
func (c *hubConfig) interleaved(layers int, key string, every int) int {
	if every = c.integerOr(key, every); every < 1 {
		c.addError(key, "must be at least 1")
		return 0
	}
	return layers - layers/every
}

// slidingWindow returns the layers that have a window, if any: as many as layer_types lists,
// else as many as the architecture has by its pattern, which is nil if it has none.
func (c *hubConfig) slidingWindow(pattern *SlidingWindow) *SlidingWindow {
	key, kind, chunked := "sliding_window", "sliding_attention", pattern != nil && pattern.Chunked
	if chunked {
		key, kind = "attention_chunk_size", "chunked_attention"
	}
	window, used := 0, true
	c.optional("use_sliding_window", &used)
	given := c.optional(key, &window) && used
	var layers []string
	known := c.optional("layer_types", &layers)
	sliding := 0
	for _, layer := range layers {
		switch layer {
		case "full_attention":
		case kind:
			sliding++
		case "linear_attention":
			c.addError("layer_types", "layers of linear attention are not modelled")
			return nil
		default:
			c.addError("layer_types", "layers of other attention than full_attention and %s are not modelled", kind)
			return nil
		}
	}
	if !known && pattern != nil {
		sliding, known = pattern.Layers, true
	}
	switch {
	case given && !known && window < c.integerOr("max_position_embeddings", window):
		c.addError(key, "must come with layer_types: which layers attend to the last %d tokens only is not known", window)
	case sliding > 0 && !given:
		c.addError("layer_types", "layers of %s need a %s", kind, key)
	case sliding > 0:
		return &SlidingWindow{Tokens: window, Layers: sliding, Chunked: chunked}
	}
	return nil
}
