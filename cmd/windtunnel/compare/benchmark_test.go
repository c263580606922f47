// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// One more seed of the same run lies in the interval in 95 of 100 cases.
func TestPredictedIntervalsHoldOneMoreSeed(t *testing.T) {
	stream := stats.NewStream(3, "compare/predicted")
	inside := 0
	const tries = 4000
	for range tries {
		var m measuredMetric
		m.predict([]float64{10 + stream.Normal(), 10 + stream.Normal(), 10 + stream.Normal(), 10 + stream.Normal()}, 10+stream.Normal())
		if *m.Inside {
			inside++
		}
	}
	if share := float64(inside) / tries; share < 0.94 || share > 0.96 {
		t.Errorf("%v of the values lie inside", share)
	}
}
