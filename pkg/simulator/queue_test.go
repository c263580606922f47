// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// TestQueue holds the ring against a slice.
func TestQueue(t *testing.T) {
	stream := stats.NewStream(1, "queue")
	var ring queue
	var plain []int32
	for i := range int32(20000) {
		switch op := stream.IntN(5); {
		case op < 2:
			ring.pushBack(i)
			plain = append(plain, i)
		case op == 2:
			ring.pushFront(i)
			plain = append([]int32{i}, plain...)
		case len(plain) > 0:
			if got := ring.popFront(); got != plain[0] {
				t.Fatalf("operation %d: popped %d, want %d", i, got, plain[0])
			}
			plain = plain[1:]
		}
		if ring.len() != len(plain) {
			t.Fatalf("operation %d: %d in the queue, want %d", i, ring.len(), len(plain))
		}
		for k, want := range plain {
			if ring.at(k) != want {
				t.Fatalf("operation %d: place %d holds %d, want %d", i, k, ring.at(k), want)
			}
		}
	}
}
