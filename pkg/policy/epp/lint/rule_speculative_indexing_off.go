// SPDX-License-Identifier: Apache-2.0

package lint

var speculativeIndexingOff = Rule{
	ID: "speculative-indexing-off", Severity: Info,
	Summary: "a precise prefix producer without speculativeIndexing",
	Why:     "Engines tell of a prompt's blocks once they are computed. Until then requests with the same prompt match nowhere, and a burst of them is spread over all endpoints.",
	Fix:     "Set speculativeIndexing to true.",
	Source:  "llm-d-router's precise-prefix-cache-producer",
	check: func(p *pass) {
		for _, producer := range p.ofType(preciseProducer) {
			if !producer.flag("speculativeIndexing") {
				p.report(producer.path, "%s knows of a prompt's blocks only after they are computed", producer.Name)
			}
		}
	},
}
