// SPDX-License-Identifier: Apache-2.0

package lint

var promptBeyondIndex = Rule{
	ID: "prompt-beyond-index", Severity: Warning,
	Summary: "prompts longer than the limit of the prefix index",
	Why:     "The index hashes prompts only up to a limit. Longer prompts that are equal up to the limit have the same hashes, and endpoints that hold more of a prompt get no higher score.",
	Fix:     "Raise maxPrefixTokensToMatch to the longest prompt; in older versions maxPrefixBlocksToMatch.",
	Source:  "the EPP's approximate prefix producer",
	Context: Context{PromptTokens: 32768},
	check: func(p *pass) {
		for _, producer := range p.ofType(approxProducer, "prefix-cache-scorer") {
			reach, parameter := p.reach(producer)
			if reach > 0 && p.context.PromptTokens > reach {
				p.report(producer.parameter(parameter), "%s: the index hashes the first %d tokens, but prompts have up to %d", producer.Name, reach, p.context.PromptTokens)
			}
		}
	},
}

// reach is how many tokens of a prompt an index looks at, 0 where that is not
// limited or not known, and the parameter that says so.
func (p *pass) reach(producer *plugin) (tokens int, parameter string) {
	const charactersPerToken = 4
	if limit, _ := producer.number("maxPrefixTokensToMatch"); limit > 0 {
		return int(limit), "maxPrefixTokensToMatch"
	}
	blocks, _ := producer.number("maxPrefixBlocksToMatch")
	size, inTokens := producer.number("blockSizeTokens")
	if !inTokens {
		size, _ = producer.number("hashBlockSize")
		if size == 0 {
			size, _ = producer.number("blockSize")
		}
		size /= charactersPerToken
	}
	if p.sinceRouter09() {
		size = max(size, 64)
	}
	return int(float64(blocks * size)), "maxPrefixBlocksToMatch"
}
