// SPDX-License-Identifier: Apache-2.0

package lint

var speculativeIndexingOff = Rule{
	ID: "speculative-indexing-off", Severity: Info,
	Summary: "a precise prefix producer without speculativeIndexing",
	Why:     "Engines tell of a prompt's blocks once they are computed. Until then requests with the same prompt match nowhere, and a burst of them is spread over all endpoints.",
	Fix:     "Set speculativeIndexing to true.",
	Source:  "llm-d-router's precise-prefix-cache-producer",
	Bad:     preciseProducerExample("{tokenProcessorConfig: {blockSizeTokens: 16}}"),
	Good:    preciseProducerExample("{tokenProcessorConfig: {blockSizeTokens: 16}, speculativeIndexing: true}"),
	check: func(p *pass) {
		for _, producer := range p.ofType(preciseProducer) {
			if !producer.flag("speculativeIndexing") {
				p.report(producer.path, "%s knows of a prompt's blocks only after they are computed", producer.Name)
			}
		}
	},
}

// preciseProducerExample is an example whose precise producer has these
// parameters.
func preciseProducerExample(parameters string) string {
	return `
plugins:
` + realTokens + `- type: endpoint-notification-source
- type: precise-prefix-cache-producer
  parameters: ` + parameters + `
- type: prefix-cache-scorer
  parameters: {prefixMatchInfoProducerName: precise-prefix-cache-producer}
- type: queue-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: prefix-cache-scorer
  - pluginRef: queue-scorer
` + wiring
}
