// SPDX-License-Identifier: Apache-2.0

package lint

import "fmt"

var prefixBelowBlock = Rule{
	ID: "prefix-below-block", Severity: Warning,
	Summary: "a shared prefix that is shorter than a block of the prefix index",
	Why:     "An index counts whole blocks. Prompts that share fewer tokens than a block have no block in common: each match is 0, and only load decides where requests go. Since router-v0.9 a block of the approximate index has at least 64 tokens.",
	Fix:     "Lengthen what prompts share, such as the system prompt, or drop the prefix scorer.",
	Source:  "llm-d-router #1158, #1160",
	Context: Context{SharedTokens: 40},
	check: func(p *pass) {
		if p.context.SharedTokens <= 0 {
			return
		}
		for _, producer := range p.ofType(approxProducer, preciseProducer, preciseScorer) {
			if block, whose := p.blockOf(producer); p.context.SharedTokens < block {
				p.report(producer.path, "prompts share %d tokens, and %s has blocks of %d%s: no prompt matches another", p.context.SharedTokens, producer.Name, block, whose)
			}
		}
	},
}

// blockOf is the size of a producer's blocks in tokens, 0 where it is not known, and why it is that.
func (p *pass) blockOf(producer *plugin) (tokens int, why string) {
	if producer.Type != approxProducer {
		if n, ok := producer.object("tokenProcessorConfig").number("blockSizeTokens"); ok && n > 0 {
			return int(n), ""
		}
		return 0, ""
	}
	tokens = p.context.BlockTokens
	if !producer.flag("autoTune") {
		n, _ := producer.number("blockSizeTokens")
		tokens = int(n)
	}
	const floor = 64
	if p.sinceRouter09() && tokens < floor {
		return floor, fmt.Sprintf(" (at least %d)", floor)
	}
	return tokens, ""
}
