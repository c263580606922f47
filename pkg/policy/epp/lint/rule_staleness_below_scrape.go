// SPDX-License-Identifier: Apache-2.0

package lint

import "time"

var stalenessBelowScrape = Rule{
	ID: "staleness-below-scrape", Severity: Warning,
	Summary: "a saturation detector whose metricsStalenessThreshold is less than two scrapes",
	Why:     "Metrics are as old as one scrape just before the next one. With a threshold under twice the interval, one late scrape makes an endpoint count as saturated, and it flickers.",
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
