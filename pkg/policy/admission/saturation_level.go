// SPDX-License-Identifier: Apache-2.0

package admission

import "windtunnel.dev/windtunnel/pkg/policy"

// saturationLevel is how busy the replicas are: the mean over those that are there of
// max(waiting ÷ queueDepth, KV cache use ÷ kvUtilization), as last scraped. It is 1
// where all are at a threshold. The EPP's utilization-detector has the same formula.
type saturationLevel struct{ queueDepth, kvUtilization float64 }

func readSaturationLevel(l *loader) saturationLevel {
	s := saturationLevel{
		queueDepth:    l.Positive("queueDepth", 5, "waiting requests of a replica that is saturated"),
		kvUtilization: l.Between("kvUtilization", 0.01, 1, 0.8, "share of the KV blocks in use of a replica that is saturated"),
	}
	l.level = &s
	return s
}

// of returns the level in a view; 1 where no replica is there.
func (s saturationLevel) of(view *policy.View) float64 {
	sum, present := 0.0, 0
	for e := range view.Scrapes {
		if view.Down != nil && view.Down[e] {
			continue
		}
		scrape := &view.Scrapes[e]
		sum += max(float64(scrape.Waiting)/s.queueDepth, scrape.KVUsage/s.kvUtilization)
		present++
	}
	if present == 0 {
		return 1
	}
	return sum / float64(present)
}
