// SPDX-License-Identifier: Apache-2.0

package lint

var preciseWithoutTokens = Rule{
	ID: "precise-without-tokens", Severity: Warning,
	Summary: "a precise prefix plugin that gets estimated tokens",
	Why:     "Engines hash real tokens. From router-v0.9 on, the default token-producer only estimates tokens, one for 4 bytes, so no hash is equal: the EPP starts, but every match is 0.",
	Fix:     "List a token-producer with the model's name and the URL of a vLLM that renders prompts.",
	Source:  "llm-d-router's token-producer",
	check: func(p *pass) {
		if p.context.Tokenizes {
			return
		}
		for _, w := range p.precise {
			if plugin := p.plugin(w.Name); w.Estimates && plugin != nil {
				p.report(plugin.path, "%s gets estimated tokens from router-v0.9 on and matches nothing; write {type: %s, parameters: {modelName: MODEL, vllm: {url: \"http://RENDERER:8000\"}}} under plugins", w.Name, tokenProducer)
			}
		}
	},
}
