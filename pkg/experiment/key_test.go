// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"encoding/json"
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/insight"
)

// TestSeedKeysAreThoseOfWholeKeys compares keys whose JSON is digested up to the seed once with
// those whose JSON is digested whole.
func TestSeedKeysAreThoseOfWholeKeys(t *testing.T) {
	for name, k := range map[string]SimulationKey{
		"little": {Engine: "7", Rows: 2, Scenario: json.RawMessage(`{"seed":1,"a":[{"b":"<"},{"seed":2}]}`)},
		"all": {Engine: "7", Rows: 2, Scenario: json.RawMessage(`{}`), Trace: "t", Traces: []string{`,"seed":3`},
			Metrics: []string{`ttft.p99{class=",\"seed\":4"}`}, Anomalies: insight.Thresholds{MinRequests: 3}, TimeZones: `,"seed":5`},
	} {
		keys := k.seedKeys()
		for _, seed := range []int64{0, 1, -1, 42, math.MaxInt64, math.MinInt64} {
			if got, want := keys.under(seed), k.Under(seed); got != want {
				t.Errorf("%s, seed %d: %s, want %s", name, seed, got, want)
			}
		}
	}
}
