// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"time"
)

// Roofline takes the larger of compute and memory time, and adds overheads:
//
//	max(FLOPs/(tp·F·MFU), bytes/(tp·W·η)) + α + β·tokens + γ·sequences + δ·layers + all-reduce
//
// FLOPs: 2 for each weight of the layers and token, 4·heads·headDim for each
// attention pair and layer, and the LM head for sampled tokens only. F is the
// peak of the format that the matrices are multiplied in, and that of BF16 for
// attention, router and LM head. Bytes: all weights of layers and LM head once,
// but of the experts only those that a token passes through, KV of the context
// read, KV of new tokens written. In a step of both phases each phase's FLOPs
// take their time at their own MFU, one after the other. The all-reduce is a
// ring: two a layer, 2·(tp−1)/tp of the new tokens' activations over the link at
// the share of its rate that is achieved, and a latency each; or it is what was
// measured.
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
	// In nanoseconds: reading the weights and the experts, reading or writing
	// the KV of a token, and what a step, a sequence and a new token cost
	// beside the roofline.
	weights, kvToken, step, sequence, token float64
	experts                                 expertReads
	reduce                                  reduceCurve
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
	moeLayers := float64(m.moeLayers())
	r := &Roofline{
		prefill:  i.phaseTime(c.PrefillEfficiency, c),
		decode:   i.phaseTime(c.DecodeEfficiency, c),
		weights:  i.alwaysReadBytes() / bytesPerNs,
		experts:  newExpertReads(m.MoE, i.imbalance(c), i.expertBytes()/bytesPerNs),
		kvToken:  float64(int64(m.Layers)*i.kvLayerBytes()) / bytesPerNs,
		step:     float64(c.StepOverhead) + float64(float64(m.Layers)*float64(c.LayerOverhead)) + float64(moeLayers*float64(c.DispatchLatency)),
		sequence: float64(c.SequenceOverhead),
		token:    float64(c.TokenOverhead) + float64(moeLayers*float64(c.DispatchTokenOverhead)),
	}
	r.prefill.pair, r.decode.pair, r.prefill.context = i.attentionTimes(c)
	if i.TensorParallelism > 1 {
		r.addAllReduce(i, c)
	}
	return r
}

// phaseTime returns a phase's times but for attention, at an MFU.
func (i Instance) phaseTime(mfu float64, c RooflineCoefficients) phaseTime {
	m := i.Model
	plain := i.Accelerator.BF16FlopsPerSecond * mfu / 1e9
	matrices := i.computeFlopsPerSecond() * mfu / 1e9
	always := i.attentionWeights() + float64(m.mlps())/i.gpus()
	p := phaseTime{
		token:  2*always/matrices + 2*float64(m.routerParameters())/plain,
		sample: 2 * float64(m.headParameters()) / (i.gpus() * plain),
	}
	if m.MoE != nil {
		routed := float64(m.MoE.ExpertsPerToken) * float64(m.expertParameters()) / i.gpus() * i.imbalance(c)
		p.token += 2 * routed / (i.expertFlopsPerSecond() * mfu / 1e9 * c.ExpertEfficiency)
	}
	return p
}

// imbalance returns the busiest GPU's work for experts over the mean; it has no
// more than all of it.
func (i Instance) imbalance(c RooflineCoefficients) float64 { return min(c.ExpertImbalance, i.gpus()) }

// attentionTimes returns the times of a pair in prefill and in decode, and of
// making a token's keys and values from its latent vector again.
func (i Instance) attentionTimes(c RooflineCoefficients) (prefillPair, decodePair, context float64) {
	m := i.Model
	perNs := float64(m.Layers) / (i.gpus() * i.Accelerator.BF16FlopsPerSecond / 1e9)
	heads := float64(m.AttentionHeads)
	if m.MLA == nil {
		pair := 4 * heads * float64(m.HeadDim) * perNs
		return pair / c.PrefillEfficiency, pair / c.DecodeEfficiency, 0
	}
	a := m.MLA
	expanded := 2 * heads * float64(a.NopeHeadDim+a.RopeHeadDim+a.ValueHeadDim)
	latent := 2 * heads * float64(2*a.KVRank+a.RopeHeadDim)
	expand := 2 * float64(m.Layers) * float64(a.upParameters(m.AttentionHeads)) / (i.gpus() * i.computeFlopsPerSecond() / 1e9)
	return expanded * perNs / c.PrefillEfficiency, latent * perNs / c.DecodeEfficiency, expand / c.PrefillEfficiency
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

// of returns the time of a phase's share of a step, in nanoseconds; before is
// the number of tokens that its sequences had computed before the step.
func (p *phaseTime) of(tokens int, pairs, before int64, samples int) float64 {
	t := float64(float64(tokens) * p.token)
	t += float64(float64(pairs) * p.pair)
	t += float64(float64(before) * p.context)
	return t + float64(float64(samples)*p.sample)
}

// StepTime implements StepTimer.
func (r *Roofline) StepTime(s Step) time.Duration {
	compute := r.prefill.of(s.PrefillTokens, s.AttentionPairs-s.DecodePairs, s.prefillContext(), s.SampledTokens-s.DecodeTokens)
	compute += r.decode.of(s.DecodeTokens, s.DecodePairs, 0, s.DecodeTokens)
	tokens := int64(s.PrefillTokens + s.DecodeTokens)
	memory := r.weights + r.experts.of(tokens) + float64(float64(s.ContextTokens+tokens)*r.kvToken)
	overhead := r.step + float64(float64(s.Sequences)*r.sequence) + float64(float64(tokens)*r.token)
	if len(r.reduce.ns) > 0 {
		overhead += r.reduce.of(tokens)
	}
	return wholeNanoseconds(max(compute, memory) + overhead)
}
