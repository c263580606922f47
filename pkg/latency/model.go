// SPDX-License-Identifier: Apache-2.0

package latency

// Model is the shape of a dense decoder model with 16-bit weights and KV.
type Model struct {
	// Name is the canonical one; Aliases mean the same.
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`

	Layers           int `json:"layers"`
	HiddenSize       int `json:"hiddenSize"`
	AttentionHeads   int `json:"attentionHeads"`
	KVHeads          int `json:"kvHeads"`
	HeadDim          int `json:"headDim"`
	IntermediateSize int `json:"intermediateSize"`
	VocabularySize   int `json:"vocabularySize"`
	// ContextTokens is the longest prompt and answer that the model takes.
	ContextTokens int `json:"contextTokens"`
}

// bytesPerElement is the size of a weight, an activation and a KV element.
const bytesPerElement = 2

// attentionParameters returns the weights of one layer's four projections.
func (m Model) attentionParameters() int64 {
	query := int64(m.AttentionHeads) * int64(m.HeadDim)
	key := int64(m.KVHeads) * int64(m.HeadDim)
	return int64(m.HiddenSize) * (2*query + 2*key)
}

// mlpParameters returns the weights of one layer's gate, up and down matrices.
func (m Model) mlpParameters() int64 {
	return 3 * int64(m.HiddenSize) * int64(m.IntermediateSize)
}

// headParameters returns the weights of the LM head.
func (m Model) headParameters() int64 { return int64(m.HiddenSize) * int64(m.VocabularySize) }

// layerParameters returns the weights of all layers' matrices.
func (m Model) layerParameters() int64 {
	return int64(m.Layers) * (m.attentionParameters() + m.mlpParameters())
}

// Parameters returns the number of weights: layers, embedding, LM head and
// norms. Biases and norms of single heads, which some models have, are left
// out: they are less than a part in ten thousand.
func (m Model) Parameters() int64 {
	norms := int64(m.HiddenSize) * int64(2*m.Layers+1)
	return m.layerParameters() + 2*m.headParameters() + norms
}

// WeightBytes returns the size of the weights in memory.
func (m Model) WeightBytes() int64 { return bytesPerElement * m.Parameters() }

// KVBytesPerToken returns the size of one token's keys and values in the
// whole model.
func (m Model) KVBytesPerToken() int64 { return m.kvBytesPerToken(1) }

// kvBytesPerToken returns the share of one GPU of tp. Where there are fewer KV
// heads than GPUs, heads are replicated.
func (m Model) kvBytesPerToken(tp int) int64 {
	heads := (int64(m.KVHeads) + int64(tp) - 1) / int64(tp)
	return 2 * int64(m.Layers) * heads * int64(m.HeadDim) * bytesPerElement
}
