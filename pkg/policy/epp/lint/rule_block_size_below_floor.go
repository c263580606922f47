// SPDX-License-Identifier: Apache-2.0

package lint

var blockSizeBelowFloor = Rule{
	ID: "block-size-below-floor", Severity: Warning,
	Summary: "a prefix producer's blockSizeTokens below 64",
	Why:     "Since router-v0.9 the approximate index uses blocks of at least 64 tokens, because smaller blocks exhausted the EPP's memory. The EPP raises a smaller value to 64.",
	Fix:     "Set 64 or more, or delete the parameter.",
	Source:  "llm-d-router #1158, #1160",
	check: func(p *pass) {
		if !p.sinceRouter09() {
			return
		}
		for _, producer := range p.ofType(approxProducer, "multicluster-"+approxProducer) {
			for _, name := range []string{"blockSizeTokens", "blockSize"} {
				if n, ok := given(producer, name); ok && n < 64 {
					p.report(producer.parameter(name), "%s: %s of %v is raised to 64 tokens", producer.Name, name, n)
				}
			}
		}
	},
}
