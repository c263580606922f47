// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"time"
)

// Roofline takes the larger of compute and memory time of matrices and of attention, whose
// kernels run one after the other, and adds experts and overheads:
//
//	max(FLOPs/(tp·F·MFU), weights/(tp·W·η)) + max(FLOPs of attention/(tp·F·MFU), KV/(tp·W·η))
//	  + experts + α + β·tokens + γ·sequences + δ·layers + all-reduce
//
// FLOPs: 2 for each weight of the layers and token, 4·heads·headDim for each
// attention pair and layer, and the LM head for sampled tokens only. F is the
// peak of the format that the matrices are multiplied in, and that of BF16 for
// attention, router and LM head. Weights: those of all layers and of the LM head once.
// KV: that of the context read, at a share of η of its own, and that of new tokens written.
// In a step of both phases each phase's FLOPs take their time at their own MFU, one
// after the other. Layers with a sliding window attend to and read at most the
// window of each token.
//
// Experts take their time after the rest: a floor of each layer (routing, permutation,
// kernels), and the larger of reading those that a token passes through and of their
// FLOPs, those of tiles that their tokens leave empty included.
//
// The all-reduce is a ring: two a layer, 2·(tp−1)/tp of the new tokens' activations
// over the link at the share of its rate that is achieved, and a latency each; or it
// is what was measured.
//
// MLA decodes on the latent vectors themselves, so that a pair takes
// 2·heads·(2·kvRank+ropeHeadDim) FLOPs, and prefills on the keys and values
// of each head, where a pair takes 2·heads·(nopeHeadDim+ropeHeadDim+valueHeadDim)
// and each token of the context has to be expanded again for each chunk. The
// expanding matrices work on new tokens in either phase: a decode multiplies
// its query and its result by them instead of the context. This is how vLLM
// does it; DeepSeek-V2, appendix C, has the derivation.
//
// All is precomputed to the time of a unit of work. No term is fused, so that
// results are the same on every architecture.
type Roofline struct {
	prefill, decode phaseTime
	window          windowTime
	// In nanoseconds: reading the weights, reading and writing the KV of a token in
	// layers that attend to all of the context, and what a step, a sequence, a new
	// token and a step without a captured graph cost in addition to the roofline.
	weights, kvRead, kvWrite, step, sequence, token, eager float64
	experts                                                expertTime
	reduce                                                 reduceCurve
}

// phaseTime is the compute time of one new token, one attention pair, one
// token computed before and one sampled token in a phase, in nanoseconds.
type phaseTime struct{ token, pair, context, sample float64 }

// Roofline returns the instance's step times. Coefficients that Validate
// refuses are a panic.
func (i Instance) Roofline(c RooflineCoefficients) *Roofline {
	if errs := c.Validate(nil); i.TensorParallelism < 1 || len(errs) > 0 {
		panic(fmt.Sprintf("latency: roofline on %d GPUs: %v", i.TensorParallelism, errs.ToAggregate()))
	}
	m, bytesPerNs := i.Model, i.Accelerator.MemoryBandwidthBytesPerSecond*c.MemoryEfficiency/1e9
	r := &Roofline{
		prefill:  i.phaseTime(c.PrefillEfficiency),
		decode:   i.phaseTime(c.DecodeEfficiency),
		weights:  i.alwaysReadBytes() / bytesPerNs,
		experts:  i.expertTime(c),
		step:     float64(c.StepOverhead) + float64(float64(m.Layers)*float64(c.LayerOverhead)),
		sequence: float64(c.SequenceOverhead),
		token:    float64(c.TokenOverhead),
		eager:    float64(float64(m.Layers) * float64(c.EagerLayerOverhead)),
	}
	full := int64(m.Layers) - m.windowLayers()
	r.prefill.pair, r.decode.pair, r.prefill.context = i.attentionTimes(full, c)
	r.kvRead, r.kvWrite = i.kvTimes(full, bytesPerNs, c)
	if m.SlidingWindow != nil {
		r.window = i.windowTime(bytesPerNs, c)
	}
	if i.TensorParallelism > 1 {
		r.addAllReduce(i, c)
	}
	return r
}

// phaseTime returns a phase's times but for attention and experts, at an MFU.
func (i Instance) phaseTime(mfu float64) phaseTime {
	m := i.Model
	plain := i.Accelerator.BF16FlopsPerSecond * mfu / 1e9
	matrices := i.computeFlopsPerSecond() * mfu / 1e9
	always := i.attentionWeights() + float64(m.mlps())/i.gpus()
	return phaseTime{
		token:  2*always/matrices + 2*float64(m.routerParameters())/plain,
		sample: 2 * float64(m.headParameters()) / (i.gpus() * plain),
	}
}

// attentionTimes returns the times of a pair in prefill and in decode in a number of layers,
// and of making a token's keys and values from its latent vector again.
func (i Instance) attentionTimes(layers int64, c RooflineCoefficients) (prefillPair, decodePair, context float64) {
	m := i.Model
	perNs := float64(layers) / (i.gpus() * i.Accelerator.BF16FlopsPerSecond / 1e9)
	heads := float64(m.AttentionHeads)
	if m.MLA == nil {
		pair := 4 * heads * float64(m.HeadDim) * perNs
		return pair / c.PrefillEfficiency, pair / c.DecodeEfficiency, 0
	}
	a := m.MLA
	expanded := 2 * heads * float64(a.NopeHeadDim+a.RopeHeadDim+a.ValueHeadDim)
	latent := 2 * heads * float64(2*a.KVRank+a.RopeHeadDim)
	expand := 2 * float64(layers) * float64(a.upParameters(m.AttentionHeads)) / (i.gpus() * i.computeFlopsPerSecond() / 1e9)
	return expanded * perNs / c.PrefillEfficiency, latent * perNs / c.DecodeEfficiency, expand / c.PrefillEfficiency
}

// kvTimes returns the times of reading and of writing a token's KV in a number of layers.
func (i Instance) kvTimes(layers int64, bytesPerNs float64, c RooflineCoefficients) (read, write float64) {
	write = float64(layers*i.kvLayerBytes()) / bytesPerNs
	return write / c.KVEfficiency, write
}

// addAllReduce adds the two collectives of each layer.
func (r *Roofline) addAllReduce(i Instance, c RooflineCoefficients) {
	collectives := 2 * float64(i.Model.Layers)
	payload := BF16.weightBytes() * float64(i.Model.HiddenSize)
	if len(c.AllReduce) > 0 {
		r.reduce = newReduceCurve(c.AllReduce, collectives, payload)
		return
	}
	ring := 2 * (i.gpus() - 1) / i.gpus()
	r.step += float64(collectives * float64(c.AllReduceLatency))
	r.token += float64(collectives * ring * payload / (i.Accelerator.LinkBandwidthBytesPerSecond * c.LinkEfficiency) * 1e9)
}

// matrices returns the time of a phase's matrices in a step, in nanoseconds; before is
// the number of tokens that its sequences had computed before the step.
func (p *phaseTime) matrices(tokens int, before int64, samples int) float64 {
	t := float64(float64(tokens) * p.token)
	t += float64(float64(before) * p.context)
	return t + float64(float64(samples)*p.sample)
}

// capturedTokens is the number of new tokens up to which vLLM has captured the kernels of
// a step as one CUDA graph (max_cudagraph_capture_size). It launches those of larger
// steps one by one.
const capturedTokens = 512

// StepTime implements StepTimer.
func (r *Roofline) StepTime(s Step) time.Duration {
	return wholeNanoseconds(r.matrices(&s) + r.attention(&s) + r.experts.of(s.tokens()) + r.overhead(&s))
}

// matrices is the time of the matrices that every token of a step passes through.
func (r *Roofline) matrices(s *Step) float64 {
	compute := r.prefill.matrices(s.PrefillTokens, s.prefillContext(), s.SampledTokens-s.DecodeTokens)
	compute += r.decode.matrices(s.DecodeTokens, 0, s.DecodeTokens)
	return max(compute, r.weights)
}

// attention is the time of attention in all layers.
func (r *Roofline) attention(s *Step) float64 {
	prefillPairs, tokens := s.AttentionPairs-s.DecodePairs, float64(s.tokens())
	compute := float64(float64(prefillPairs)*r.prefill.pair) + float64(float64(s.DecodePairs)*r.decode.pair)
	memory := float64(float64(s.ContextTokens)*r.kvRead) + float64(tokens*r.kvWrite)
	if w := &r.window; w.tokens > 0 {
		compute += float64(float64(w.pairs(s.PrefillTokens, prefillPairs))*w.prefillPair) +
			float64(float64(w.pairs(s.DecodeTokens, s.DecodePairs))*w.decodePair)
		memory += float64(float64(w.read(s))*w.kvRead) + float64(tokens*w.kvWrite)
	}
	return max(compute, memory)
}

// overhead is what a step costs in addition to its work, collectives included.
func (r *Roofline) overhead(s *Step) float64 {
	tokens := s.tokens()
	t := r.step + float64(float64(s.Sequences)*r.sequence) + float64(float64(tokens)*r.token)
	if tokens > capturedTokens {
		t += r.eager
	}
	if len(r.reduce.ns) > 0 {
		t += r.reduce.of(tokens)
	}
	return t
}
