// SPDX-License-Identifier: Apache-2.0

package lint

var speculativeIndexingOff = Rule{
	ID: "speculative-indexing-off", Severity: Info,
	Summary: "a precise prefix producer without speculativeIndexing",
	Why:     "Engines report the blocks of a prompt after they compute them. Until then requests with the same prompt match nowhere, and a burst of them spreads over all endpoints.",
	Fix:     "Set speculativeIndexing to true.",
	Source:  "llm-d-router's precise-prefix-cache-producer",
	check: func(p *pass) {
		for _, producer := range p.ofType(preciseProducer) {
			if !producer.flag("speculativeIndexing") {
				p.report(producer.path, "%s learns the blocks of a prompt only after an engine computes them", producer.Name)
			}
		}
	},
}
