// SPDX-License-Identifier: Apache-2.0

package latency

import "slices"

// Model is the shape of a decoder model.
type Model struct {
	// Name is the canonical one; Aliases mean the same.
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`

	Layers         int `json:"layers"`
	HiddenSize     int `json:"hiddenSize"`
	AttentionHeads int `json:"attentionHeads"`
	// KVHeads and HeadDim are 0 where MLA says how attention is built.
	KVHeads int `json:"kvHeads,omitempty"`
	HeadDim int `json:"headDim,omitempty"`
	// IntermediateSize is the width of a dense layer's MLP, 0 where every
	// layer has experts.
	IntermediateSize int `json:"intermediateSize,omitempty"`
	VocabularySize   int `json:"vocabularySize"`
	// ContextTokens is the longest prompt and answer that the model takes.
	ContextTokens int `json:"contextTokens"`
	// TiedEmbeddings says that the LM head is the embedding, stored once.
	TiedEmbeddings bool `json:"tiedEmbeddings,omitempty"`
	// Weights is the format that the layers are published in, empty for BF16.
	Weights Precision `json:"weights,omitempty"`
	// SlidingWindow is nil where every layer attends to the whole context.
	SlidingWindow *SlidingWindow `json:"slidingWindow,omitempty"`
	// MoE is nil for a dense model, MLA for one with attention heads that
	// keep keys and values of their own or in groups.
	MoE *MoE `json:"moe,omitempty"`
	MLA *MLA `json:"mla,omitempty"`
}

// SlidingWindow says that some of the layers attend to the last tokens only.
type SlidingWindow struct {
	// Tokens is how many each token attends to, itself included.
	Tokens int `json:"tokens"`
	// Layers is the number of such layers.
	Layers int `json:"layers"`
	// Chunked says that the window begins anew with every Tokens tokens (Llama 4).
	Chunked bool `json:"chunked,omitempty"`
}

// MoE is how the layers with experts differ from dense ones.
type MoE struct {
	Experts         int `json:"experts"`
	ExpertsPerToken int `json:"expertsPerToken"`
	// ExpertIntermediateSize is the width of one expert.
	ExpertIntermediateSize int `json:"expertIntermediateSize"`
	// SharedIntermediateSize is the width of all experts together that every
	// token passes through.
	SharedIntermediateSize int `json:"sharedIntermediateSize,omitempty"`
	// FirstDenseLayers are dense; of the others every LayerStep-th has
	// experts, 0 meaning each.
	FirstDenseLayers int `json:"firstDenseLayers,omitempty"`
	LayerStep        int `json:"layerStep,omitempty"`
	// Weights is the format that the experts are published in, without those that
	// every token passes through; empty for that of the layers.
	Weights Precision `json:"weights,omitempty"`
}

// MLA is multi-head latent attention (DeepSeek-V2, section 2.1): keys and
// values of all heads are kept as one latent vector a token.
type MLA struct {
	// QueryRank is the width of the compressed query, 0 if it is not compressed.
	QueryRank int `json:"queryRank,omitempty"`
	// KVRank is the width of the latent vector.
	KVRank int `json:"kvRank"`
	// NopeHeadDim and RopeHeadDim are the parts of a query head without and
	// with rotary positions; the latter part of the key is common to all heads.
	NopeHeadDim  int `json:"nopeHeadDim"`
	RopeHeadDim  int `json:"ropeHeadDim"`
	ValueHeadDim int `json:"valueHeadDim"`
}

// clone returns a copy that shares nothing with the model.
func (m Model) clone() Model {
	m.Aliases = slices.Clone(m.Aliases)
	if m.SlidingWindow != nil {
		window := *m.SlidingWindow
		m.SlidingWindow = &window
	}
	if m.MoE != nil {
		moe := *m.MoE
		m.MoE = &moe
	}
	if m.MLA != nil {
		mla := *m.MLA
		m.MLA = &mla
	}
	return m
}

// latent returns the numbers that the KV cache holds of a token and layer.
func (a *MLA) latent() int64 { return int64(a.KVRank + a.RopeHeadDim) }

// upParameters returns the weights that turn a latent vector into the keys and
// values of all heads.
func (a *MLA) upParameters(heads int) int64 {
	return int64(a.KVRank) * int64(heads) * int64(a.NopeHeadDim+a.ValueHeadDim)
}

// moeLayers returns the number of layers that have experts.
func (m Model) moeLayers() int64 {
	if m.MoE == nil {
		return 0
	}
	return int64(m.Layers-m.MoE.FirstDenseLayers) / int64(max(1, m.MoE.LayerStep))
}

// attentionParameters returns the weights of one layer's projections: those
// that are dealt out to GPUs by heads, those that belong to a KV head, and
// those that every GPU has.
func (m Model) attentionParameters() (byHead, byKVHead, everywhere int64) {
	d, heads := int64(m.HiddenSize), int64(m.AttentionHeads)
	if a := m.MLA; a != nil {
		query := heads * int64(a.NopeHeadDim+a.RopeHeadDim)
		byHead = a.upParameters(m.AttentionHeads) + heads*int64(a.ValueHeadDim)*d
		everywhere = d * a.latent()
		if a.QueryRank == 0 {
			return byHead + d*query, 0, everywhere
		}
		return byHead + int64(a.QueryRank)*query, 0, everywhere + d*int64(a.QueryRank)
	}
	return 2 * d * heads * int64(m.HeadDim), 2 * d * int64(m.KVHeads) * int64(m.HeadDim), 0
}

// mlpParameters returns the weights of gate, up and down matrices of a width.
func (m Model) mlpParameters(width int) int64 { return 3 * int64(m.HiddenSize) * int64(width) }

// mlps returns the weights of all layers' MLPs that every token passes
// through: those of dense layers, and shared experts.
func (m Model) mlps() int64 {
	moe := m.moeLayers()
	all := (int64(m.Layers) - moe) * m.mlpParameters(m.IntermediateSize)
	if moe > 0 {
		all += moe * m.mlpParameters(m.MoE.SharedIntermediateSize)
	}
	return all
}

// expertParameters returns the weights of one expert in every layer that has
// experts, and routerParameters those that choose among them.
func (m Model) expertParameters() int64 {
	if m.MoE == nil {
		return 0
	}
	return m.moeLayers() * m.mlpParameters(m.MoE.ExpertIntermediateSize)
}

func (m Model) routerParameters() int64 {
	if m.MoE == nil {
		return 0
	}
	return m.moeLayers() * int64(m.HiddenSize) * int64(m.MoE.Experts)
}

// headParameters returns the weights of the LM head.
func (m Model) headParameters() int64 { return int64(m.HiddenSize) * int64(m.VocabularySize) }

// embeddingParameters returns the weights of embedding and LM head.
func (m Model) embeddingParameters() int64 {
	if m.TiedEmbeddings {
		return m.headParameters()
	}
	return 2 * m.headParameters()
}

func (m Model) normParameters() int64 {
	norms := int64(m.HiddenSize) * int64(2*m.Layers+1)
	if m.MLA != nil {
		norms += int64(m.Layers) * int64(m.MLA.QueryRank+m.MLA.KVRank)
	}
	return norms
}

// layerParameters returns the weights of all layers' matrices, of each layer
// with experts the number of them.
func (m Model) layerParameters(experts int) int64 {
	byHead, byKVHead, everywhere := m.attentionParameters()
	return int64(m.Layers)*(byHead+byKVHead+everywhere) + m.mlps() +
		int64(experts)*m.expertParameters() + m.routerParameters()
}

// Parameters returns the number of weights: layers, embedding, LM head and
// norms. Biases and norms of single heads, which some models have, are left
// out: they are less than a part in ten thousand. So are the layers that some
// models have for predicting more than one token.
func (m Model) Parameters() int64 {
	experts := 0
	if m.MoE != nil {
		experts = m.MoE.Experts
	}
	return m.layerParameters(experts) + m.embeddingParameters() + m.normParameters()
}

// ActiveParameters returns the weights that a sampled token is multiplied by:
// layers with the experts that it passes through, and the LM head.
func (m Model) ActiveParameters() int64 {
	experts := 0
	if m.MoE != nil {
		experts = m.MoE.ExpertsPerToken
	}
	return m.layerParameters(experts) + m.headParameters()
}
