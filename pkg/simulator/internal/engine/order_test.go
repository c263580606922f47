// SPDX-License-Identifier: Apache-2.0

package engine

import "testing"

// TestOrderOfReplicas: the earliest event comes first; at one nanosecond entries come
// before ends of steps, and those before wakes, each by number.
func TestOrderOfReplicas(t *testing.T) {
	o := newOrder(3)
	sets := []struct {
		event replicaEvent
		first int32 // replica of the first event from then on
	}{
		{replicaEvent{at: 9, kind: stepEnds, number: 2, replica: 2}, 2},
		{replicaEvent{at: 9, kind: stepEnds, number: 1, replica: 1}, 1},
		{replicaEvent{at: 9, kind: replicaWakes, number: 0, replica: 0}, 1},
		{replicaEvent{at: 9, kind: entryDue, number: 40, replica: 0}, 0},
		{replicaEvent{at: 10, kind: entryDue, number: 40, replica: 0}, 1},
		{replicaEvent{at: 8, kind: replicaWakes, number: 2, replica: 2}, 2},
	}
	for i, s := range sets {
		if o.set(s.event.replica, s.event); o.first().replica != s.first {
			t.Errorf("after event %d, %+v is first, want replica %d", i, o.first(), s.first)
		}
	}
}
