// SPDX-License-Identifier: Apache-2.0

package lint

var affinityGateUncalibrated = Rule{
	ID: "affinity-gate-uncalibrated", Severity: Info,
	Summary: "a prefix-cache-affinity-filter with the default peakPrefillThroughput",
	Why:     "The filter divides a backlog of tokens by the prefill throughput to get a delay. The default of 15,928 tokens per second was measured with Qwen3-32B on two H100. On other hardware the filter acts too early or too late in proportion.",
	Fix:     "Measure the prefill throughput of one replica, and set peakPrefillThroughput to it.",
	Source:  "llm-d-router's prefix-cache-affinity-filter",
	check: func(p *pass) {
		for _, f := range p.ofType(affinityFilter) {
			penalty, _ := f.number("maxTTFTPenaltyMs")
			rate, known := f.number("peakPrefillThroughput")
			if known && penalty != 0 && f.stringValue("ttftSource") != "latencyPredictor" && !f.isSet("peakPrefillThroughput") {
				p.report(f.path, "%s uses the default of %v tokens per second", f.Name, rate)
			}
		}
	},
}
