// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"time"
)

// RooflineCoefficients are what a roofline cannot know from data sheets.
type RooflineCoefficients struct {
	// MemoryEfficiency is the achieved share of memory bandwidth;
	// PrefillEfficiency and DecodeEfficiency of peak FLOP/s (MFU).
	MemoryEfficiency, PrefillEfficiency, DecodeEfficiency float64
	// StepOverhead is paid once a step, SequenceOverhead for each sequence in
	// the batch, TokenOverhead for each new token.
	StepOverhead, SequenceOverhead, TokenOverhead time.Duration
	// AllReduceLatency is paid for each of the two collectives of a layer,
	// where there is more than one GPU.
	AllReduceLatency time.Duration
}

// Overheads are rounded from fits of this model to two measured runs of vLLM
// 0.19 on two different GPUs, which gave 1.1 and 0.9 ms a step, 11 and 10.5 µs a
// sequence, and 1.0 and 1.2 µs a token. The latency of a collective is the one published for a
// point-to-point transfer.
const (
	defaultStepOverhead     = time.Millisecond
	defaultSequenceOverhead = 11 * time.Microsecond
	defaultTokenOverhead    = time.Microsecond
	defaultAllReduceLatency = 10 * time.Microsecond
)

// DefaultRoofline returns the coefficients to start from on an accelerator.
func DefaultRoofline(a Accelerator) RooflineCoefficients {
	return RooflineCoefficients{
		MemoryEfficiency:  a.MemoryEfficiency,
		PrefillEfficiency: a.PrefillEfficiency,
		DecodeEfficiency:  a.DecodeEfficiency,
		StepOverhead:      defaultStepOverhead,
		SequenceOverhead:  defaultSequenceOverhead,
		TokenOverhead:     defaultTokenOverhead,
		AllReduceLatency:  defaultAllReduceLatency,
	}
}

// Roofline takes the larger of compute and memory time, and adds overheads:
//
//	max(FLOPs/(tp·F·MFU), bytes/(tp·W·η)) + α + β·tokens + γ·sequences + all-reduce
//
// FLOPs: 2 for each weight of the layers and token, 4·heads·headDim for each
// attention pair and layer, and the LM head for sampled tokens only. Bytes: all
// weights of layers and LM head once, KV of the context read, KV of new tokens
// written. In a step of both phases each phase's FLOPs take their time at their
// own MFU, one after the other. The all-reduce is a ring: two a layer,
// 2·(tp−1)/tp of the new tokens' activations over the link, and a latency each.
//
// All is precomputed to the time of a unit of work. No term is fused, so that
// results are the same on every architecture.
type Roofline struct {
	prefill, decode phaseTime
	// In nanoseconds: reading the weights, reading or writing the KV of a
	// token, and what a step, a sequence and a new token cost beside the
	// roofline.
	weights, kvToken, step, sequence, token float64
}

// phaseTime is the compute time of one new token, one attention pair and one
// sampled token in a phase, in nanoseconds.
type phaseTime struct{ token, pair, sample float64 }

// NewRoofline returns the step times of a model on tp accelerators. What
// ValidateParallelism and Validate refuse must not come here.
func NewRoofline(m Model, a Accelerator, tp int, c RooflineCoefficients) *Roofline {
	if errs := c.Validate(nil); tp < 1 || len(errs) > 0 {
		panic(fmt.Sprintf("latency: roofline on %d GPUs: %v", tp, errs.ToAggregate()))
	}
	bandwidth := a.MemoryBandwidthBytesPerSecond * c.MemoryEfficiency / 1e9
	weights := bytesPerElement * (m.layerParameters() + m.headParameters())
	r := &Roofline{
		prefill:  newPhaseTime(m, float64(tp)*a.BF16FlopsPerSecond*c.PrefillEfficiency/1e9),
		decode:   newPhaseTime(m, float64(tp)*a.BF16FlopsPerSecond*c.DecodeEfficiency/1e9),
		weights:  float64(weights) / (float64(tp) * bandwidth),
		kvToken:  float64(m.kvBytesPerToken(tp)) / bandwidth,
		step:     float64(c.StepOverhead),
		sequence: float64(c.SequenceOverhead),
		token:    float64(c.TokenOverhead),
	}
	if tp > 1 {
		collectives := 2 * float64(m.Layers)
		ring := 2 * float64(tp-1) / float64(tp)
		payload := bytesPerElement * float64(m.HiddenSize)
		r.step += float64(collectives * float64(c.AllReduceLatency))
		r.token += float64(collectives * ring * payload / a.LinkBandwidthBytesPerSecond * 1e9)
	}
	return r
}

func newPhaseTime(m Model, flopsPerNs float64) phaseTime {
	pair := 4 * int64(m.AttentionHeads) * int64(m.HeadDim) * int64(m.Layers)
	return phaseTime{
		token:  float64(2*m.layerParameters()) / flopsPerNs,
		pair:   float64(pair) / flopsPerNs,
		sample: float64(2*m.headParameters()) / flopsPerNs,
	}
}

// of returns the time of a phase's share of a step, in nanoseconds.
func (p *phaseTime) of(tokens int, pairs int64, samples int) float64 {
	t := float64(float64(tokens) * p.token)
	t += float64(float64(pairs) * p.pair)
	return t + float64(float64(samples)*p.sample)
}

// StepTime implements StepTimer.
func (r *Roofline) StepTime(s Step) time.Duration {
	compute := r.prefill.of(s.PrefillTokens, s.AttentionPairs-s.DecodePairs, s.SampledTokens-s.DecodeTokens)
	compute += r.decode.of(s.DecodeTokens, s.DecodePairs, s.DecodeTokens)
	tokens := int64(s.PrefillTokens + s.DecodeTokens)
	memory := r.weights + float64(float64(s.ContextTokens+tokens)*r.kvToken)
	overhead := r.step + float64(float64(s.Sequences)*r.sequence) + float64(float64(tokens)*r.token)
	return wholeNanoseconds(max(compute, memory) + overhead)
}
