// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Who was evicted may have a TTFT, others who were rejected have none.
func TestNoteOnRejectedRequests(t *testing.T) {
	const part = "Evicted requests count"
	for note, requests := range map[string]result.Requests{
		"25.00 % of the requests were rejected (expired 1).":            {Arrived: 4, Rejected: 1, RejectedBy: map[string]int64{"expired": 1}},
		"75.00 % of the requests were rejected (evicted 2, expired 1).": {Arrived: 4, Rejected: 3, RejectedBy: map[string]int64{"expired": 1, "evicted": 2}},
	} {
		got := rejectedNote(&requests)
		if !strings.HasPrefix(got, note) || strings.Contains(got, part) != strings.Contains(note, "evicted") {
			t.Errorf("%q, want it to begin with %q", got, note)
		}
	}
}

func TestNoteOnTheFreshnessOfMetrics(t *testing.T) {
	for want, router := range map[string]result.RouterProvenance{
		"Router router-v0.10 reads the metrics of replicas every 50ms, and its own counters without delay.":                        {Version: "router-v0.10", ScrapeIntervalSeconds: 0.05},
		"Router random of a reads the metrics of replicas at each decision (signals: Oracle), and its own counters without delay.": {Version: "random", Model: "a", Signals: "Oracle"},
	} {
		if got := routerNotes(&result.Provenance{Router: router}); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
