// SPDX-License-Identifier: Apache-2.0

package lint

var affinityGateUncalibrated = Rule{
	ID: "affinity-gate-uncalibrated", Severity: Info,
	Summary: "a prefix-cache-affinity-filter with the default peakPrefillThroughput",
	Why:     "The filter turns a backlog of tokens into a delay by dividing by the prefill throughput. The default of 15,928 tokens a second was measured with Qwen3-32B on two H100: on other hardware the gate opens too early or too late in proportion.",
	Fix:     "Measure one replica's prefill throughput and write it as peakPrefillThroughput.",
	Source:  "llm-d-router's prefix-cache-affinity-filter",
	check: func(p *pass) {
		for _, f := range p.ofType(affinityFilter) {
			penalty, _ := f.number("maxTTFTPenaltyMs")
			rate, known := f.number("peakPrefillThroughput")
			if known && penalty != 0 && f.word("ttftSource") != "latencyPredictor" && !f.says("peakPrefillThroughput") {
				p.report(f.path, "%s reckons with %v tokens a second, the default", f.Name, rate)
			}
		}
	},
}
