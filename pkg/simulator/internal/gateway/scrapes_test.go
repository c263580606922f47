// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// TestScrapesAreSpreadOverTheInterval: endpoints are not all scraped at once.
func TestScrapesAreSpreadOverTheInterval(t *testing.T) {
	seen := map[simtime.Time]bool{}
	for endpoint := range 64 {
		phase := scrapePhase(1, endpoint, int64(simulator.DefaultScrapeInterval))
		if phase < 0 || phase >= simtime.Time(simulator.DefaultScrapeInterval) {
			t.Errorf("endpoint %d is first scraped at %v", endpoint, phase)
		}
		seen[phase*4/simtime.Time(simulator.DefaultScrapeInterval)] = true
	}
	if len(seen) != 4 {
		t.Errorf("64 endpoints are scraped in %d quarters of the interval", len(seen))
	}
}
