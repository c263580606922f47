// SPDX-License-Identifier: Apache-2.0

package latency

import "math"

// Instance is one engine: a model in its formats on the GPUs of one replica, or of one of
// its data-parallel ranks.
// What Validate refuses must not come to the other methods.
//
// Tensor parallelism deals out heads, MLPs, experts, embedding and LM head.
// Norms, routers and the compressing projections of MLA are on every GPU. Where
// there are fewer KV heads than GPUs, heads are replicated; the latent vectors
// of MLA always are.
type Instance struct {
	Model       Model
	Accelerator Accelerator
	// TensorParallelism is the number of GPUs.
	TensorParallelism int
	// DataParallelism is the number of ranks of a replica, each with this number of GPUs and
	// all weights but the experts, which the ranks share; 0 means 1.
	DataParallelism int
	// ExpertParallel says that the GPUs of all ranks have whole experts. Otherwise
	// each expert is cut over them.
	ExpertParallel bool
	Quantization   Quantization
	EngineVersion  EngineVersion
	// WholeKV has the engine keep the KV of layers with sliding windows as long as that
	// of the others. vLLM does so with a KV connector, that is, where blocks are
	// offloaded or handed over, and for windows that are chunks.
	WholeKV bool
}

// quantization returns the formats, none of them empty.
func (i Instance) quantization() Quantization { return i.Quantization.resolved(i.Model, i.Accelerator) }

// expertQuantization returns the formats of the experts, none of them empty:
// Weights and Activations may be others than those of the layers.
func (i Instance) expertQuantization() Quantization {
	return i.Quantization.ofExperts(i.Model, i.Accelerator)
}

// computeFlopsPerSecond returns one GPU's peak for the layers' matrices.
func (i Instance) computeFlopsPerSecond() float64 {
	return i.Accelerator.flopsPerSecond(i.quantization().Activations)
}

// expertFlopsPerSecond returns one GPU's peak for the experts' matrices.
func (i Instance) expertFlopsPerSecond() float64 {
	return i.Accelerator.flopsPerSecond(i.expertQuantization().Activations)
}

func (i Instance) gpus() float64 { return float64(i.TensorParallelism) }

// kvHeads returns the KV heads of one GPU.
func (i Instance) kvHeads() int64 {
	tp := int64(i.TensorParallelism)
	return (int64(i.Model.KVHeads) + tp - 1) / tp
}

// attentionWeights returns the projections of all layers that one GPU has.
func (i Instance) attentionWeights() float64 {
	byHead, byKVHead, everywhere := i.Model.attentionParameters()
	perLayer := float64(byHead)/i.gpus() + float64(everywhere)
	if i.Model.KVHeads > 0 {
		perLayer += float64(byKVHead / int64(i.Model.KVHeads) * i.kvHeads())
	}
	return float64(float64(i.Model.Layers) * perLayer)
}

// alwaysReadBytes returns the weights of one GPU that every step reads,
// whichever experts its tokens need.
func (i Instance) alwaysReadBytes() float64 {
	quantized := i.attentionWeights() + float64(i.Model.mlps())/i.gpus()
	plain := float64(i.Model.routerParameters()) + float64(i.Model.headParameters())/i.gpus()
	return float64(quantized*i.quantization().Weights.weightBytes()) + float64(plain*BF16.weightBytes())
}

// expertBytes returns one GPU's share of one expert in every layer.
func (i Instance) expertBytes() float64 {
	return float64(float64(i.Model.expertParameters()) / i.expertGPUs() * i.expertQuantization().Weights.weightBytes())
}

// WeightBytes returns the size of the weights in the memory of one GPU.
func (i Instance) WeightBytes() int64 {
	m := i.Model
	bytes := i.alwaysReadBytes()
	if m.MoE != nil {
		bytes += float64(float64(m.MoE.Experts) * i.expertBytes())
	}
	unread := float64(m.embeddingParameters()-m.headParameters())/i.gpus() + float64(m.normParameters())
	return int64(math.Ceil(bytes + float64(unread*BF16.weightBytes())))
}

// KVBytesPerToken returns the size of one token's keys and values in the memory of
// one GPU, in those layers that keep them as long as the request runs: see KVWindows.
func (i Instance) KVBytesPerToken() int64 {
	return int64(i.Model.Layers-i.freeingLayers()) * i.kvLayerBytes()
}

// freeingLayers returns the number of layers that keep the KV of their window alone. Where
// they are all of them they count as none: an engine keeps less than is said then.
func (i Instance) freeingLayers() int {
	w := i.Model.SlidingWindow
	if w == nil || w.Chunked || w.Layers == i.Model.Layers || i.WholeKV {
		return 0
	}
	return w.Layers
}

// KVWindows returns in how many groups an engine has the layers that keep the KV of their
// window alone, and how many blocks each of them holds of a request at most; 0 and 0
// without such layers. As in vLLM, a group takes blocks of the size of those of all other
// layers together, so that the last one may be padded.
func (i Instance) KVWindows(blockTokens int) (groups, blocks int) {
	layers := i.freeingLayers()
	if layers == 0 {
		return 0, 0
	}
	whole := i.Model.Layers - layers
	return (layers + whole - 1) / whole, (i.Model.SlidingWindow.Tokens+blockTokens-2)/blockTokens + 1
}

// kvLayerBytes returns the size of one token's keys and values of one layer in the
// memory of one GPU.
func (i Instance) kvLayerBytes() int64 {
	format := i.quantization().KVCache
	if i.Model.MLA != nil {
		return format.rowBytes(i.Model.MLA.latent())
	}
	return 2 * i.kvHeads() * format.rowBytes(int64(i.Model.HeadDim))
}
