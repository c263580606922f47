// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"math/rand/v2"
	"testing"
)

// TestIndexAgainstAMap adds and removes identities, many of which share their
// low half, and looks all of them up.
func TestIndexAgainstAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var x index
	stretches := make([]stretch, 300)
	for i := range stretches {
		stretches[i].id = random.Uint64()&0xffff_ffff_0000_0000 | uint64(random.IntN(100))
	}
	there := map[int32]bool{}
	for range 20_000 {
		at := int32(random.IntN(len(stretches)))
		if there[at] {
			x.remove(stretches[at].id, at)
		} else {
			x.put(stretches[at].id, at)
		}
		there[at] = !there[at]
		probe := int32(random.IntN(len(stretches)))
		want := probe
		if !there[probe] {
			want = none
		}
		if got := x.find(stretches[probe].id, stretches); got != want {
			t.Fatalf("find(%x) = %d, want %d", stretches[probe].id, got, want)
		}
	}
}
