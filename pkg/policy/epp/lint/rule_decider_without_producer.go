// SPDX-License-Identifier: Apache-2.0

package lint

var deciderWithoutProducer = Rule{
	ID: "decider-without-producer", Severity: Warning,
	Summary:   "a prefix-based-pd-decider while nothing named approx-prefix-cache-producer is there",
	Why:       "The decider asks what the approximate producer of that name wrote. Where it finds nothing it never disaggregates.",
	Fix:       "List approx-prefix-cache-producer, under its own name.",
	Source:    "llm-d-router's prefix-based-pd-decider",
	Alongside: []string{"deprecated"},
	check: func(p *pass) {
		if !p.sinceRouter09() || p.plugin(approxProducer) != nil {
			return
		}
		for _, d := range p.ofType("prefix-based-pd-decider") {
			p.report(d.path, "%s finds nothing to go by, and never says yes: no plugin is named %s", d.Name, approxProducer)
		}
	},
}
