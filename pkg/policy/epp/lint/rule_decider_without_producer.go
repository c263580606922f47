// SPDX-License-Identifier: Apache-2.0

package lint

var deciderWithoutProducer = Rule{
	ID: "decider-without-producer", Severity: Warning,
	Summary:   "a prefix-based-pd-decider without a plugin named approx-prefix-cache-producer",
	Why:       "The decider reads the data of the approximate producer of that name. Without the data it never disaggregates.",
	Fix:       "List approx-prefix-cache-producer, under its own name.",
	Source:    "llm-d-router's prefix-based-pd-decider",
	AlsoFinds: []string{"deprecated"},
	check: func(p *pass) {
		if !p.sinceRouter09() || p.plugin(approxProducer) != nil {
			return
		}
		for _, d := range p.ofType("prefix-based-pd-decider") {
			p.report(d.path, "%s has no data and never disaggregates: no plugin is named %s", d.Name, approxProducer)
		}
	},
}
