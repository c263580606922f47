// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"math"
	"time"
)

// RooflineCoefficients are what a roofline cannot know from data sheets.
type RooflineCoefficients struct {
	// MemoryEfficiency is the achieved share of memory bandwidth;
	// PrefillEfficiency and DecodeEfficiency of peak FLOP/s (MFU).
	MemoryEfficiency, PrefillEfficiency, DecodeEfficiency float64
	// StepOverhead is paid once a step, TokenOverhead for each new token.
	StepOverhead, TokenOverhead time.Duration
	// AllReduceLatency is paid for each of the two collectives of a layer.
	AllReduceLatency time.Duration
}

// Overheads that fitting this model to measured vLLM 0.19 runs gave for two
// GPUs alike (1.1 and 0.9 ms; 1.0 and 1.2 µs).
const (
	defaultStepOverhead     = time.Millisecond
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
		TokenOverhead:     defaultTokenOverhead,
		AllReduceLatency:  defaultAllReduceLatency,
	}
}

// Roofline takes the larger of compute and memory time, and adds overheads:
//
//	max(FLOPs/(tp·F·MFU), bytes/(tp·W·η)) + α + β·tokens + all-reduce
//
// FLOPs: 2 for each weight and token, 4·heads·headDim for each attention pair
// and layer, the LM head for sampled tokens only. Bytes: all weights of layers
// and LM head once, KV of the context read, KV of new tokens written. In a step
// of both phases each phase's FLOPs run at its own MFU. The all-reduce is a
// ring: two a layer, 2·(tp−1)/tp of the payload over the link.
//
// Everything is precomputed to seconds for each unit of work; no term is fused,
// so that results are the same on every architecture.
type Roofline struct {
	prefillSecondsPerToken, decodeSecondsPerToken   float64
	prefillSecondsPerPair, decodeSecondsPerPair     float64
	prefillSecondsPerSample, decodeSecondsPerSample float64
	weightSeconds, kvSecondsPerToken                float64
	stepSeconds, tokenSeconds                       float64
}

// NewRoofline returns the step times of a model on tp accelerators. The
// coefficients' efficiencies must be in (0, 1] and tp at least 1.
func NewRoofline(m Model, a Accelerator, tp int, c RooflineCoefficients) *Roofline {
	gpus := float64(tp)
	flopsPerToken := 2 * float64(m.layerParameters())
	flopsPerPair := 4 * float64(m.AttentionHeads) * float64(m.HeadDim) * float64(m.Layers)
	flopsPerSample := 2 * float64(m.headParameters())
	prefill := gpus * a.BF16FlopsPerSecond * c.PrefillEfficiency
	decode := gpus * a.BF16FlopsPerSecond * c.DecodeEfficiency
	bandwidth := a.MemoryBandwidthBytesPerSecond * c.MemoryEfficiency
	weights := bytesPerElement * float64(m.layerParameters()+m.headParameters())
	r := &Roofline{
		prefillSecondsPerToken:  flopsPerToken / prefill,
		decodeSecondsPerToken:   flopsPerToken / decode,
		prefillSecondsPerPair:   flopsPerPair / prefill,
		decodeSecondsPerPair:    flopsPerPair / decode,
		prefillSecondsPerSample: flopsPerSample / prefill,
		decodeSecondsPerSample:  flopsPerSample / decode,
		weightSeconds:           weights / (gpus * bandwidth),
		kvSecondsPerToken:       float64(m.kvBytesPerToken(tp)) / bandwidth,
		stepSeconds:             c.StepOverhead.Seconds(),
		tokenSeconds:            c.TokenOverhead.Seconds(),
	}
	r.addAllReduce(m, a, tp, c)
	return r
}

func (r *Roofline) addAllReduce(m Model, a Accelerator, tp int, c RooflineCoefficients) {
	if tp == 1 {
		return
	}
	collectives := 2 * float64(m.Layers)
	volume := 2 * float64(tp-1) / float64(tp) * float64(m.HiddenSize) * bytesPerElement
	r.stepSeconds += float64(collectives * c.AllReduceLatency.Seconds())
	r.tokenSeconds += float64(collectives * volume / a.LinkBandwidthBytesPerSecond)
}

// StepTime implements StepTimer.
func (r *Roofline) StepTime(s Step) time.Duration {
	ends := float64(s.SampledTokens - s.DecodeTokens)
	compute := float64(float64(s.PrefillTokens) * r.prefillSecondsPerToken)
	compute += float64(float64(s.AttentionPairs-s.DecodePairs) * r.prefillSecondsPerPair)
	compute += float64(ends * r.prefillSecondsPerSample)
	compute += float64(float64(s.DecodeTokens) * r.decodeSecondsPerToken)
	compute += float64(float64(s.DecodePairs) * r.decodeSecondsPerPair)
	compute += float64(float64(s.DecodeTokens) * r.decodeSecondsPerSample)
	tokens := float64(s.PrefillTokens + s.DecodeTokens)
	memory := r.weightSeconds + float64((float64(s.ContextTokens)+tokens)*r.kvSecondsPerToken)
	seconds := math.Max(compute, memory) + r.stepSeconds + float64(tokens*r.tokenSeconds)
	return nanoseconds(seconds)
}

// nanoseconds rounds to whole ns, at least 1.
func nanoseconds(seconds float64) time.Duration {
	return max(1, time.Duration(math.Round(seconds*1e9)))
}
