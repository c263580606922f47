// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

func TestQueuesAreThoseOfPoolsThatMeasureThem(t *testing.T) {
	o := makeOutcome(0) // one replica of pool small and two of pool large,
	o.Replicas[1].Queue = &simulator.QueueUse{Inversions: 5, Blocked: 3}
	o.Replicas[2].Queue = &simulator.QueueUse{Inversions: 2, Blocked: 1}
	d := NewDocument(o, makeMeta(42))
	for name, want := range map[string]float64{
		"priorityInversions": 7, "headOfLineBlocking": 4, "priorityInversions{pool=large}": 7, "headOfLineBlocking{pool=large}": 4,
	} {
		if got, ok := d.Value(MustParseMetric(name)); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v (there: %v), want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{"priorityInversions{pool=small}", "headOfLineBlocking{pool=small}"} {
		if got, ok := d.Value(MustParseMetric(name)); ok {
			t.Errorf("%s is %v, and the pool measures none", name, got)
		}
	}
}
