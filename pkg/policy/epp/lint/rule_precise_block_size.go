// SPDX-License-Identifier: Apache-2.0

package lint

var preciseBlockSize = Rule{
	ID: "precise-block-size", Severity: Warning,
	Summary: "a precise prefix producer whose blocks do not fit into those of the engines",
	Why:     "Up to scheduler-v0.8 the index knows only engines with blocks of its own size. Later versions cut the tokens of an event into blocks of the index and drop what does not fill one, such as the blocks of an answer, which engines report one after another.",
	Fix:     "Set tokenProcessorConfig.blockSizeTokens to the engines' --block-size, or to a divisor of it from scheduler-520af478 on.",
	Source:  "llm-d-router's pool of KV events",
	Context: Context{BlockTokens: 16},
	check: func(p *pass) {
		engine := p.context.BlockTokens
		if engine <= 0 {
			return
		}
		for _, w := range p.precise {
			plugin := p.plugin(w.Name)
			switch {
			case plugin == nil || w.BlockTokens <= 0 || w.BlockTokens == engine:
			case w.SameSizeOnly:
				p.report(plugin.path, "%s hashes blocks of %d tokens, and engines have blocks of %d: nothing matches", w.Name, w.BlockTokens, engine)
			case engine%w.BlockTokens != 0:
				p.report(plugin.path, "%s keeps blocks of %d tokens, and engines report blocks of %d: what does not fill one is lost", w.Name, w.BlockTokens, engine)
			}
		}
	},
}
