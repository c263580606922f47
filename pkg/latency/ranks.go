// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// Ranks is the step times of data-parallel ranks whose layers of experts are one. Each rank
// has the attention, the dense and shared MLPs and the LM head for its own requests, on
// TensorParallelism GPUs, and the experts are those of all GPUs for the tokens of all ranks:
//
//	max over ranks of (a step without experts) + experts, for the tokens of all ranks, on all GPUs + dispatch and combine
//
// Each layer of experts gathers the tokens of all ranks and reduces and scatters what comes of them, as vLLM does by default (all-to-all
// backend allgather_reducescatter): a GPU receives the activations of all other ranks' tokens
// before the experts, and sends as many after them, over the link at the share of its rate
// that collectives achieve, and each of the two has the latency of an all-reduce. No
// measurement of either is in the catalogue.
//
// What is left out: padding of all ranks to the longest batch, the redundant experts and
// the balancing of experts that vLLM calls EPLB, and the up to 31 steps without work that
// ranks make before they all rest.
type Ranks struct {
	own     *Roofline // without experts
	experts expertTime
	// In nanoseconds: the collectives of all layers, and each token that a GPU receives.
	exchange, received float64
}

// StepTogether reports whether the ranks of a replica can step only together: there are
// several, and layers of experts.
func (i Instance) StepTogether() bool { return i.DataParallelism > 1 && i.Model.MoE != nil }

// expertGPUs is how many GPUs share the experts, be it whole ones or a part of each.
func (i Instance) expertGPUs() float64 { return i.gpus() * float64(max(i.DataParallelism, 1)) }

// Ranks returns the step times of the instance's ranks. Coefficients that Validate refuses are
// a panic.
func (i Instance) Ranks(c RooflineCoefficients) *Ranks {
	all := i
	all.TensorParallelism *= i.DataParallelism
	all.DataParallelism = 1
	own := i.Roofline(c)
	own.experts = expertTime{}
	collectives := 2 * float64(i.Model.moeLayers())
	payload := BF16.weightBytes() * float64(i.Model.HiddenSize)
	return &Ranks{
		own: own, experts: all.expertTime(c),
		exchange: float64(collectives * float64(c.AllReduceLatency)),
		received: float64(collectives * payload / (i.Accelerator.LinkBandwidthBytesPerSecond * c.LinkEfficiency) * 1e9),
	}
}

// GroupStepTime returns how long a step takes that all ranks make together.
func (r *Ranks) GroupStepTime(ranks []Step) time.Duration {
	slowest, fewest := time.Duration(0), ranks[0].tokens()
	var sum Step
	for n := range ranks {
		slowest = max(slowest, r.own.StepTime(ranks[n]))
		fewest = min(fewest, ranks[n].tokens())
		sum.add(&ranks[n])
	}
	return r.together(slowest, fewest, &sum)
}

// StepTime implements StepTimer: a step of one rank while the others have no work.
func (r *Ranks) StepTime(s Step) time.Duration { return r.together(r.own.StepTime(s), 0, &s) }

// together is a step of the tokens of all ranks, of which one takes the longest by itself
// and one has the fewest tokens.
func (r *Ranks) together(slowest time.Duration, fewest int64, sum *Step) time.Duration {
	shared := r.experts.of(sum.tokens()) + r.exchange + float64(float64(sum.tokens()-fewest)*r.received)
	return min(slowest+wholeNanoseconds(shared), longestStep)
}

// Floors implements Floored: no step is faster than its own part.
func (r *Ranks) Floors() []Floor { return r.own.Floors() }

// tokens is how many a step computes.
func (s *Step) tokens() int64 { return int64(s.PrefillTokens) + int64(s.DecodeTokens) }

// add adds the work of another step.
func (s *Step) add(o *Step) {
	s.Sequences += o.Sequences
	s.PrefillTokens += o.PrefillTokens
	s.DecodeTokens += o.DecodeTokens
	s.AttentionPairs += o.AttentionPairs
	s.DecodePairs += o.DecodePairs
	s.DraftPairs += o.DraftPairs
	s.ContextTokens += o.ContextTokens
	s.SampledTokens += o.SampledTokens
	s.DoublePromptPairs += o.DoublePromptPairs
}
