// SPDX-License-Identifier: Apache-2.0

package lint

import "time"

var stalenessBelowScrape = Rule{
	ID: "staleness-below-scrape", Severity: Warning,
	Summary: "a saturation detector whose metricsStalenessThreshold is less than two scrapes",
	Why:     "Just before a scrape, metrics are one interval old. With a threshold of less than two intervals, one late scrape makes an endpoint count as saturated, so its state alternates.",
	Fix:     "Set metricsStalenessThreshold to at least twice --refresh-metrics-interval.",
	Source:  "the EPP's utilization detector",
	check: func(p *pass) {
		least := 2 * p.context.scrapeInterval()
		for _, d := range p.ofType("utilization-detector") {
			if limit := d.duration("metricsStalenessThreshold"); limit > 0 && limit < least {
				p.report(d.parameter("metricsStalenessThreshold"), "metricsStalenessThreshold is %v, less than two scrapes of %v each", limit, p.context.scrapeInterval())
			}
		}
		inline := p.written("saturationDetector", "metricsStalenessThreshold")
		if limit, err := time.ParseDuration(text(inline)); err == nil && limit > 0 && limit < least {
			p.report(at("saturationDetector", "metricsStalenessThreshold"), "metricsStalenessThreshold is %v, less than two scrapes of %v each", limit, p.context.scrapeInterval())
		}
	},
}
