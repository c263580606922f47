// SPDX-License-Identifier: Apache-2.0

package latency

import "time"

// What drafts of tokens cost in a step that verifies those of the step before, and so
// many that are drafted in it. vLLM drafts for all sequences of a step, and drops the
// drafts of those whose prompt is not complete.

// WithDraftSearch returns the step times of an engine that searches drafts in the text,
// which takes the CPU so long for each sequence of a step.
func WithDraftSearch(target StepTimer, perSequence time.Duration) StepTimer {
	if perSequence == 0 {
		return target
	}
	return searchedDrafts{target, perSequence}
}

type searchedDrafts struct {
	StepTimer
	perSequence time.Duration
}

// StepTime implements StepTimer.
func (d searchedDrafts) StepTime(s Step) time.Duration {
	return d.StepTimer.StepTime(s) + time.Duration(s.Sequences)*d.perSequence
}

// WithDraftPasses returns the step times of an engine with a draft model: after each step
// it makes a number of passes, each with a measured time.
func WithDraftPasses(target StepTimer, passes int, each time.Duration) StepTimer {
	return passedDrafts{target, time.Duration(passes) * each}
}

type passedDrafts struct {
	StepTimer
	passes time.Duration
}

// StepTime implements StepTimer.
func (d passedDrafts) StepTime(s Step) time.Duration { return d.StepTimer.StepTime(s) + d.passes }

// WithDraftModel returns the step times of an engine whose draft model has one layer of
// the model's shape and its LM head. The first of its passes goes over all tokens of the
// step, each of the others over the token of each sequence that the pass before it
// drafted. They cost what the roofline of such a layer says, without what a step
// costs the CPU for each sequence and token.
func (i Instance) WithDraftModel(target StepTimer, c RooflineCoefficients, passes int) StepTimer {
	c.StepOverhead /= time.Duration(i.Model.Layers)
	c.SequenceOverhead, c.TokenOverhead = 0, 0
	head := 2 * float64(i.Model.headParameters()) / i.gpus() // bytes and FLOPs
	var layer StepTimer
	if one := i.draftLayer(); one.StepTogether() {
		layer = one.Ranks(c)
	} else {
		layer = one.Roofline(c)
	}
	return modelDrafts{
		target: target,
		layer:  layer,
		head:   head / (i.Accelerator.MemoryBandwidthBytesPerSecond * c.MemoryEfficiency / 1e9),
		sample: head / (i.Accelerator.BF16FlopsPerSecond * c.DecodeEfficiency / 1e9),
		passes: passes,
	}
}

// draftLayer is the model cut to one layer, which attends to the whole context and has
// experts if some layers of the model do. The LM head is left out.
func (i Instance) draftLayer() Instance {
	m := &i.Model
	m.Layers, m.VocabularySize, m.SlidingWindow = 1, 0, nil
	if m.MoE != nil {
		experts := *m.MoE
		experts.FirstDenseLayers, experts.LayerStep = 0, 0
		m.MoE = &experts
	}
	return i
}

// WithDraftLayer is the instance in terms of memory: the draft model's layer has weights
// and KV as the model's other layers.
func (i Instance) WithDraftLayer() Instance {
	i.Model.Layers++
	return i
}

type modelDrafts struct {
	target, layer StepTimer
	// In nanoseconds: reading the LM head, and computing it for a sequence.
	head, sample float64
	passes       int
}

// StepTime implements StepTimer.
func (d modelDrafts) StepTime(s Step) time.Duration {
	t := d.target.StepTime(s) + d.layer.StepTime(s)
	if d.passes > 1 {
		t += time.Duration(d.passes-1) * d.layer.StepTime(s.onePerSequence())
	}
	return t + d.heads(s.Sequences)
}

// heads is what the LM head takes in all passes.
func (d modelDrafts) heads(sequences int) time.Duration {
	return time.Duration(d.passes) * wholeNanoseconds(max(d.head, float64(float64(sequences)*d.sample)))
}

// onePerSequence is the step in which each sequence decodes one token after those of s.
func (s *Step) onePerSequence() Step {
	pairs := s.ContextTokens + int64(s.Sequences)
	return Step{
		Sequences: s.Sequences, DecodeTokens: s.Sequences, SampledTokens: s.Sequences,
		ContextTokens: pairs, AttentionPairs: pairs, DecodePairs: pairs,
	}
}
