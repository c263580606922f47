// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

// The figures that the page's text names, as it writes them.

// Engine is the simulator's version.
func (p *page) Engine() string { return simulator.EngineVersion }

// Machines is how many there are.
func (p *page) Machines() int { return p.scale.machines }

// Seeds is how many simulations there are at each rate.
func (p *page) Seeds() int { return p.scale.seeds }

// Requests is how many the code trace has.
func (p *page) Requests() string { return study.Grouped(len(p.study().variant.requests[code])) }

// The constants of the study.

// TTFTMost is the bound of TTFT.
func (p *page) TTFTMost() float64 { return ttftMost }

// TBTMost is the bound of TBT.
func (p *page) TBTMost() float64 { return tbtMost }

// PromptSigma is that of conversations.
func (p *page) PromptSigma() float64 { return conversationPromptSigma }

// AnswerSigma is that of conversations.
func (p *page) AnswerSigma() float64 { return conversationAnswerSigma }

// Sequences is the most a batch has.
func (p *page) Sequences() int { return maxSequences }

// Budget is the most tokens of a step that computes prompts alone.
func (p *page) Budget() string { return study.Grouped(defaultBudget) }

// Whole is the budget that holds any prompt.
func (p *page) Whole() string { return study.Grouped(wholePrompt) }

// RateStep is how finely rates are searched.
func (p *page) RateStep() float64 { return rateStep }

// BlockTokens is the size of a block.
func (p *page) BlockTokens() int { return blockTokens }

// Gigabytes is the bandwidth of the network.
func (p *page) Gigabytes() int64 { return fastNetwork.bytesPerSecond / 1e9 }

// Latency is what passes before the first byte.
func (p *page) Latency() time.Duration { return 2 * perDirection }

// ConversationMeans are the mean lengths of conversations.
func (p *page) ConversationMeans() string {
	prompts, answers := 0, 0
	all := p.study().variant.requests[conversation]
	for _, l := range all {
		prompts, answers = prompts+l.prompt, answers+l.answer
	}
	return fmt.Sprintf("%s and %s", study.Grouped(prompts/len(all)), study.Grouped(answers/len(all)))
}

// KVGB is the memory that a machine has for KV.
func (p *page) KVGB() string {
	m := p.study().variant.machine
	return fmt.Sprintf("%.0f", float64(m.kvBlocks)*float64(m.blockBytes)/1e9)
}

// KVTokens is for how many tokens that is.
func (p *page) KVTokens() string {
	return study.Grouped(p.study().variant.machine.kvBlocks * blockTokens)
}

// PairNs is what attention costs chunks.
func (p *page) PairNs() string { return fmt.Sprintf("%.2f", p.in.h100.pairNs()) }

// ContextNs is what context costs decodes.
func (p *page) ContextNs() string { return fmt.Sprintf("%.0f", p.in.h100.contextNs()) }

// FixedMs is what every step takes.
func (p *page) FixedMs() string { return fmt.Sprintf("%.1f", p.in.h100.token[batch{batchedPrompt, 1}]) }

// BothMs is a step of 2048 tokens of prompts and 32 decodes.
func (p *page) BothMs() string {
	const prompt, decodes, context = 2048, 32, batchedPrompt + measuredAnswer/2
	step := latency.Step{
		Sequences: decodes + 1, PrefillTokens: prompt, DecodeTokens: decodes,
		AttentionPairs: prompt*(prompt+1)/2 + decodes*context, DecodePairs: decodes * context,
	}
	return fmt.Sprintf("%.0f", 1e3*p.study().variant.machine.table.Timer().StepTime(step).Seconds())
}

// Outside is the share of steps beyond what was measured, of the best clusters.
func (p *page) Outside() string {
	least, most := 1.0, 0.0
	for w := range workloads {
		for _, o := range []outcome{best(p.study().mixed[w]), best(p.study().split[w])} {
			least, most = min(least, o.met.outside), max(most, o.met.outside)
		}
	}
	return fmt.Sprintf("%.1f to %.1f %%", 100*least, 100*most)
}
