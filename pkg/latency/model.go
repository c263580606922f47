// SPDX-License-Identifier: Apache-2.0

package latency

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
// norms.
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
