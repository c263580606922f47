// SPDX-License-Identifier: Apache-2.0

package hashtable

import (
	"math/rand/v2"
	"testing"
)

func TestTableAgreesWithAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	keys := make([]uint64, 100000)
	table := Table{KeyOf: func(value int32) uint64 { return keys[value] }}
	oracle := map[uint64]int32{}
	for step := range keys {
		// Few distinct keys, in sequence: long runs of neighbours.
		key := uint64(random.IntN(200))
		if step%3 == 0 {
			key = random.Uint64() % 50 << 40
		}
		want, known := oracle[key]
		got, ok := table.Find(key)
		if ok != known || ok && got != want {
			t.Fatalf("step %d: find(%d) = %d, %t, want %d, %t", step, key, got, ok, want, known)
		}
		if known {
			table.Remove(key, want)
			delete(oracle, key)
		} else {
			keys[step] = key
			table.Put(key, int32(step))
			oracle[key] = int32(step)
		}
	}
	for key, want := range oracle {
		if got, ok := table.Find(key); !ok || got != want {
			t.Errorf("Find(%d) = %d, %t, want %d", key, got, ok, want)
		}
	}
	if table.Len() != len(oracle) {
		t.Errorf("%d keys, want %d", table.Len(), len(oracle))
	}
}

// Keys with the same half of a hash are told apart by themselves.
func TestTableTellsEqualHashesApart(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	byHash := map[uint32]uint64{}
	var keys []uint64
	for len(keys) == 0 {
		key := random.Uint64()
		if other, ok := byHash[hashOf(key)]; ok {
			keys = []uint64{other, key}
		}
		byHash[hashOf(key)] = key
	}
	table := Table{KeyOf: func(value int32) uint64 { return keys[value] }}
	table.Put(keys[0], 0)
	if got, ok := table.Find(keys[1]); ok {
		t.Errorf("found %d for a key that is not there", got)
	}
	table.Put(keys[1], 1)
	for want, key := range keys {
		if got, ok := table.Find(key); !ok || got != int32(want) {
			t.Errorf("Find(%d) = %d, %t, want %d", key, got, ok, want)
		}
	}
	table.Remove(keys[0], 0)
	if got, ok := table.Find(keys[1]); !ok || got != 1 {
		t.Errorf("Find(%d) = %d, %t after the other was removed", keys[1], got, ok)
	}
}
