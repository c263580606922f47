// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

func TestMemoryIsBounded(t *testing.T) {
	window := 2 * time.Minute
	spec := Spec{
		Min: 1, Max: 100,
		Metrics:  []Metric{{Source: External, Target: Target{Type: AverageValue, Value: 1000}}},
		Behavior: &Behavior{ScaleUp: &Rules{Policies: []Policy{{Type: PodsPolicy, Value: 9, Period: time.Minute}}}, ScaleDown: &Rules{Window: &window}},
	}
	a := New(spec, DefaultOptions())
	scale := Scale{Spec: 1, Status: 1}
	week := simtime.Time(7 * 24 * time.Hour)
	for now := simtime.Time(0); now < week; now = now.Add(a.options.SyncPeriod) {
		need := int64(now.Seconds()) % 1000 / 10 * 1000
		scale.Spec = a.Sync(now, scale, []Observation{{Values: []int64{need}}}).Replicas
		scale.Status = scale.Spec
	}
	// A period of n syncs has n+1 of them, both ends included, and one is stale before it is replaced.
	for name, c := range map[string]struct{ kept, most int }{
		"recommendations":        {len(a.recommendations), 10},
		"events of scaling up":   {len(a.ups), 6},
		"events of scaling down": {len(a.downs), 3},
	} {
		if c.kept == 0 || c.kept > c.most {
			t.Errorf("%d %s after a week, want 1 to %d", c.kept, name, c.most)
		}
	}
}
