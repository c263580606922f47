// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainIndex is the prefix index as it is described: a map from block to
// holders, and lists.
type plainIndex struct {
	holders map[uint64]map[int]bool
	recency [][]uint64 // newest last
}

func (x *plainIndex) match(chain []uint64, endpoints int) []int {
	blocks := make([]int, endpoints)
	for _, block := range chain {
		if len(x.holders[block]) == 0 {
			break
		}
		for e := range x.holders[block] {
			blocks[e]++
		}
	}
	return blocks
}

func (x *plainIndex) insert(chain []uint64, endpoint, capacity int) {
	for _, block := range chain {
		list := x.recency[endpoint]
		if i := slices.Index(list, block); i >= 0 {
			list = slices.Delete(list, i, i+1)
		}
		list = append(list, block)
		if len(list) > capacity {
			delete(x.holders[list[0]], endpoint)
			list = list[1:]
		}
		x.recency[endpoint] = list
	}
	for _, block := range chain {
		if x.holders[block] == nil {
			x.holders[block] = map[int]bool{}
		}
		x.holders[block][endpoint] = true
	}
}

// randomChain draws a prompt from a tree of prefixes: a block's identity tells
// its whole path.
func randomChain(random *rand.Rand) []uint64 {
	var chain []uint64
	path := uint64(random.IntN(3))
	for range 1 + random.IntN(12) {
		path = path*4 + 1
		if random.IntN(4) == 0 {
			path += uint64(random.IntN(3))
		}
		chain = append(chain, path)
	}
	return chain
}

func TestPrefixIndexAgreesWithThePlainOne(t *testing.T) {
	for _, endpoints := range []int{1, 3, 64, 65, 130} {
		for seed := range uint64(10) {
			random := rand.New(rand.NewPCG(seed, uint64(endpoints)))
			capacity := 1 + random.IntN(15)
			fast := newPrefixIndex(endpoints)
			plain := &plainIndex{holders: map[uint64]map[int]bool{}, recency: make([][]uint64, endpoints)}
			blocks := make([]int, endpoints)
			for step := range 400 {
				chain := randomChain(random)
				fast.match(chain, blocks)
				if want := plain.match(chain, endpoints); !slices.Equal(want, blocks) {
					t.Fatalf("%d endpoints, seed %d, step %d (-want +got):\n%s", endpoints, seed, step, cmp.Diff(want, blocks))
				}
				endpoint := random.IntN(min(endpoints, 4)) * (endpoints - 1) / max(1, min(endpoints, 4)-1)
				fast.insert(chain, endpoint, capacity)
				plain.insert(chain, endpoint, capacity)
			}
			checkIndex(t, fast, plain)
		}
	}
}

// checkIndex compares what is stored, and that nothing else is.
func checkIndex(t *testing.T, fast *prefixIndex, plain *plainIndex) {
	t.Helper()
	nodes := 0
	for e, list := range plain.recency {
		var got []uint64
		for node := fast.recency[e].oldest; node != none; node = fast.nodes[node].newer {
			got = append(got, fast.identity[fast.nodes[node].slot])
		}
		if !slices.Equal(list, got) || fast.recency[e].length != len(list) {
			t.Fatalf("endpoint %d remembers %v, want %v", e, got, list)
		}
		nodes += len(list)
	}
	held := 0
	for block, holders := range plain.holders {
		slot, ok := fast.slots.find(block)
		if ok != (len(holders) > 0) {
			t.Fatalf("block %d in the table: %t, holders %v", block, ok, holders)
		}
		if ok {
			held++
		}
		for e := range holders {
			if fast.holders[int(slot)*fast.words+e/64]>>(e%64)&1 == 0 {
				t.Fatalf("block %d lacks holder %d", block, e)
			}
		}
	}
	if fast.slots.count != held || len(fast.identity)-len(fast.freeSlots) != held {
		t.Errorf("%d slots, %d of them in use, want %d", fast.slots.count, len(fast.identity)-len(fast.freeSlots), held)
	}
	if len(fast.nodes)-len(fast.freeNodes) != nodes {
		t.Errorf("%d nodes in use, want %d", len(fast.nodes)-len(fast.freeNodes), nodes)
	}
}

func TestEmptyChainsLeaveNoTrace(t *testing.T) {
	x := newPrefixIndex(2)
	blocks := []int{5, 5}
	x.match(nil, blocks)
	x.insert(nil, 1, 10)
	if x.recency[1].capacity != 0 || !slices.Equal(blocks, []int{0, 0}) {
		t.Errorf("capacity %d, blocks %v", x.recency[1].capacity, blocks)
	}
}

func TestTableAgreesWithAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var table table
	oracle := map[uint64]int32{}
	for step := range 100000 {
		// Few distinct keys, in sequence: long runs of neighbours.
		key := uint64(random.IntN(200))
		if step%3 == 0 {
			key = random.Uint64() % 50 << 40
		}
		want, known := oracle[key]
		got, ok := table.find(key)
		if ok != known || ok && got != want {
			t.Fatalf("step %d: find(%d) = %d, %t, want %d, %t", step, key, got, ok, want, known)
		}
		if known {
			table.remove(key)
			delete(oracle, key)
		} else {
			if got, added := table.findOrPut(key, int32(step)); !added || got != int32(step) {
				t.Fatalf("step %d: findOrPut(%d) = %d, %t", step, key, got, added)
			}
			if got, added := table.findOrPut(key, 0); added || got != int32(step) {
				t.Fatalf("step %d: findOrPut(%d) again = %d, %t", step, key, got, added)
			}
			oracle[key] = int32(step)
		}
	}
	for key, want := range oracle {
		if got, ok := table.find(key); !ok || got != want {
			t.Errorf("find(%d) = %d, %t, want %d", key, got, ok, want)
		}
	}
	if table.count != len(oracle) {
		t.Errorf("%d keys, want %d", table.count, len(oracle))
	}
}
