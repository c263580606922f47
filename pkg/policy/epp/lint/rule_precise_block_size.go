// SPDX-License-Identifier: Apache-2.0

package lint

var preciseBlockSize = Rule{
	ID: "precise-block-size", Severity: Warning,
	Summary: "a precise prefix producer with another block size than the engines",
	Why:     "The index compares hashes of whole blocks with the hashes that engines report. With another block size no hash is equal, and every match is 0.",
	Fix:     "Set tokenProcessorConfig.blockSizeTokens to the engines' --block-size.",
	Source:  "llm-d-kv-cache",
	Context: Context{BlockTokens: 16},
	check: func(p *pass) {
		if p.context.BlockTokens <= 0 {
			return
		}
		for _, producer := range p.ofType(preciseProducer, preciseScorer) {
			if n, ok := producer.object("tokenProcessorConfig").number("blockSizeTokens"); ok && n > 0 && int(n) != p.context.BlockTokens {
				p.report(producer.parameter("tokenProcessorConfig", "blockSizeTokens"), "%s hashes blocks of %v tokens, but engines have blocks of %d: nothing matches", producer.Name, n, p.context.BlockTokens)
			}
		}
	},
}
