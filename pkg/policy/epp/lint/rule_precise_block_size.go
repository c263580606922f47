// SPDX-License-Identifier: Apache-2.0

package lint

var preciseBlockSize = Rule{
	ID: "precise-block-size", Severity: Warning,
	Summary: "a precise prefix producer whose blocks are not the engines'",
	Why:     "The index finds what engines report by hashes of whole blocks. With another size no hash is ever equal, and every match is 0.",
	Fix:     "Set tokenProcessorConfig.blockSizeTokens to the engines' --block-size.",
	Source:  "llm-d-kv-cache",
	Context: Context{BlockTokens: 16},
	check: func(p *pass) {
		if p.context.BlockTokens <= 0 {
			return
		}
		for _, producer := range p.ofType(preciseProducer, preciseScorer) {
			if n, ok := producer.object("tokenProcessorConfig").number("blockSizeTokens"); ok && n > 0 && int(n) != p.context.BlockTokens {
				p.report(producer.parameter("tokenProcessorConfig", "blockSizeTokens"), "%s hashes blocks of %v tokens, engines have blocks of %d: nothing ever matches", producer.Name, n, p.context.BlockTokens)
			}
		}
	},
}
