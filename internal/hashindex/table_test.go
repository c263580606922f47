// SPDX-License-Identifier: Apache-2.0

package hashindex

import (
	"math/rand/v2"
	"testing"
)

// TestAgainstMap drives a table and a Go map alike, with keys that crowd a few
// homes so that probing and shifting back are exercised.
func TestAgainstMap(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		table, want := New(4), map[uint64]int32{}
		for range 2000 {
			key := r.Uint64N(24)<<60 | r.Uint64N(24)
			value := int32(r.IntN(100))
			switch r.IntN(3) {
			case 0:
				_, there := want[key]
				if got := table.Insert(key, value); got == there {
					t.Fatalf("Insert(%x) = %v, in the map: %v", key, got, there)
				}
				if !there {
					want[key] = value
				}
			case 1:
				_, there := want[key]
				if got := table.Remove(key); got != there {
					t.Fatalf("Remove(%x) = %v, in the map: %v", key, got, there)
				}
				delete(want, key)
			}
			got, ok := table.Find(key)
			if w, there := want[key]; ok != there || (ok && got != w) {
				t.Fatalf("Find(%x) = %d, %v; the map has %d, %v", key, got, ok, w, there)
			}
			if table.Len() != len(want) {
				t.Fatalf("Len = %d, the map has %d", table.Len(), len(want))
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	table := New(26312)
	keys := make([]uint64, 26312)
	for i := range keys {
		keys[i] = r.Uint64()
		table.Insert(keys[i], int32(i))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := table.Find(keys[i%len(keys)]); !ok {
			b.Fatal("lost a key")
		}
	}
}
