// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The published regression's coefficients: shares of what data sheets allow,
// and microseconds.
const (
	physicsPrefill   = 0.152128
	physicsDecodeKV  = 1.94710771
	physicsWeights   = 1.36252915
	physicsReduce    = 0.752037
	physicsLayer     = 32.09546717
	physicsSequence  = 4.41684444
	physicsStep      = 126.024825
	physicsMoELayer  = 481.86
	physicsBytes     = 2. // of an activation
	longestStepMicro = float64(longestStep / time.Microsecond)
)

// Physics is the regression that inference-sim publishes as trained-physics:
// one set of coefficients for all models and GPUs, in microseconds
//
//	step = 0.152·Tpf + 1.947·Tkv + 1.363·Tw + 0.752·Tar + 32.1·layers + 4.42·sequences + 126
//
// truncated to whole microseconds, at least 1. With heads of hidden÷heads
// (whatever the model's head dimension), F the peak FLOP/s and W the memory
// bandwidth of one GPU:
//
//	Tpf  compute of prompt tokens: layers·(2·P·d·(2d+2dkv) + 4·heads·headDim·Σt·(s+t/2) + 6·P·d·f)/(tp·F),
//	     with s the full length of the prompt even for its first chunk
//	Tkv  reading and writing of the decodes' KV: 2·layers·dkv·e·(context+decodes)/(tp·W)
//	Tw   reading of the layers' weights: layers·(d·(2d+2dkv) + 3·d·f)·w/(tp·W)
//	Tar  two all-reduces a layer: 2·layers·(P+D)·d·2·2·(tp−1)/(tp·W)
//
// In a layer with experts, 6·P·d·f is that of the experts of a token, and all
// experts are read, whatever the batch; where only every n-th layer has
// experts, each of those takes 481.86 µs more.
//
// As published it predicts end-to-end latency with a median error of 6.7 % over
// 36 experiments with vLLM outside its fit, on six models and three GPUs, and
// answers of some 1 450 tokens with 25 %. Only 16-bit KV was measured, and no sliding
// window: every layer reads the whole context. It is no model of the hardware: see
// PhysicsNote.
type Physics struct {
	// In microseconds: what a step, a sequence, a new token of either phase
	// (all-reduce), a prompt token, half an attention pair of a prompt, and
	// reading or writing the KV of a token cost.
	step, sequence, token, prefillToken, halfPair, kvToken float64
}

// Physics returns the instance's step times. What ValidatePhysics refuses must
// not come here.
func (i Instance) Physics() *Physics {
	if i.TensorParallelism < 1 || i.Model.MLA != nil {
		panic(fmt.Sprintf("latency: physics of %s on %d GPUs", i.Model.Name, i.TensorParallelism))
	}
	m := i.Model
	flops, bytes := i.computeFlopsPerSecond()/1e6, i.Accelerator.MemoryBandwidthBytesPerSecond/1e6
	layers, d, tp := float64(m.Layers), float64(m.HiddenSize), i.gpus()
	headDim := float64(m.HiddenSize / m.AttentionHeads)
	kv := float64(m.KVHeads) * headDim
	projections := float64(layers * d * 2 * (d + kv))
	perToken, mlpBytes := i.physicsMLPs()
	elementBytes := float64(i.quantization().KVCache.rowBytes(int64(m.HeadDim))) / float64(m.HeadDim)
	p := &Physics{
		step:         physicsStep + float64(physicsLayer*layers),
		sequence:     physicsSequence,
		token:        physicsReduce * 2 * layers * d * physicsBytes * 2 * (tp - 1) / tp / bytes,
		prefillToken: physicsPrefill * 2 * (projections + perToken) / tp / flops,
		halfPair:     physicsPrefill * layers * 4 * float64(m.AttentionHeads) * headDim / 2 / tp / flops,
		kvToken:      physicsDecodeKV * layers * 2 * kv * elementBytes / tp / bytes,
	}
	read := float64(projections*i.quantization().Weights.weightBytes()) + mlpBytes
	p.step += float64(physicsWeights * read / tp / bytes)
	if m.MoE != nil && m.MoE.LayerStep > 1 {
		p.step += float64(physicsMoELayer * float64(m.moeLayers()))
	}
	return p
}

// physicsMLPs returns the weights of all layers' MLPs that a token is
// multiplied by, and the bytes of those that a step reads.
func (i Instance) physicsMLPs() (perToken, bytes float64) {
	perToken = float64(i.Model.mlps())
	bytes = float64(perToken * i.quantization().Weights.weightBytes())
	if e := i.Model.MoE; e != nil {
		expert := float64(i.Model.expertParameters())
		perToken += float64(float64(e.ExpertsPerToken) * expert)
		bytes += float64(float64(e.Experts) * expert * i.expertQuantization().Weights.weightBytes())
	}
	return perToken, bytes
}

// StepTime implements StepTimer.
func (p *Physics) StepTime(s Step) time.Duration {
	if s.Sequences == 0 {
		return time.Microsecond
	}
	micros := p.step + float64(float64(s.Sequences)*p.sequence)
	micros += float64(float64(s.PrefillTokens+s.DecodeTokens) * p.token)
	micros += float64(float64(s.PrefillTokens) * p.prefillToken)
	micros += float64(float64(s.DoublePromptPairs) * p.halfPair)
	micros += float64(float64(s.DecodePairs) * p.kvToken)
	if micros >= longestStepMicro {
		return longestStep
	}
	return max(1, time.Duration(micros)) * time.Microsecond
}

// PhysicsRequestCost returns the costs outside the step clock that were fitted
// together with Physics.
func PhysicsRequestCost() RequestCost {
	return RequestCost{
		QueueBase:      15563 * time.Microsecond,
		PerOutputToken: 45 * time.Microsecond,
		Completion:     777 * time.Microsecond,
	}
}

// ValidatePhysics reports models that Physics cannot describe, as faults of
// the field that chooses it.
func (i Instance) ValidatePhysics(path *field.Path) field.ErrorList {
	if i.Model.MLA == nil {
		return nil
	}
	return field.ErrorList{field.Invalid(path, "physics",
		fmt.Sprintf("%s has multi-head latent attention, which this regression was not fitted to: use roofline", i.Model.Name))}
}

// PhysicsNote returns a warning, in words, if Physics computes a prompt of so
// many tokens faster than the GPUs could at their peak, and "" otherwise. Its
// prefill takes 15 % of the time that the peak allows, so that beyond some five
// hundred tokens studies of prefill need Roofline.
func (i Instance) PhysicsNote(promptTokens int) string {
	n := int64(promptTokens)
	if n < 1 || i.Model.MLA != nil {
		return ""
	}
	step := Step{
		Sequences: 1, PrefillTokens: promptTokens, ContextTokens: n,
		AttentionPairs: n * (n + 1) / 2, DoublePromptPairs: 3 * n * n, SampledTokens: 1,
	}
	peak := RooflineCoefficients{
		MemoryEfficiency: 1, PrefillEfficiency: 1, DecodeEfficiency: 1, ExpertEfficiency: 1,
		KVEfficiency: 1, ExpertMemoryEfficiency: 1, ExpertImbalance: 1, LinkEfficiency: 1,
	}
	claimed, bound := i.Physics().StepTime(step), i.Roofline(peak).StepTime(step)
	if claimed >= bound {
		return ""
	}
	return fmt.Sprintf("physics prefills %d tokens of %s in %.1f ms, but %d %s need at least %.1f ms at their peak: if prompts matter, use roofline",
		promptTokens, i.Model.Name, microseconds(claimed)/1e3, i.TensorParallelism, i.Accelerator.Name, microseconds(bound)/1e3)
}
