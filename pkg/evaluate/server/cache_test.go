// SPDX-License-Identifier: Apache-2.0

package server

import "testing"

func TestACacheForgetsWhatNobodyAskedForTheLongest(t *testing.T) {
	c := newCache(10)
	key := func(seed int64) cacheKey { return cacheKey{policy: "p", seed: seed} }
	c.put(key(1), []byte("12345"))
	c.put(key(2), []byte("12345"))
	c.get(key(1))
	c.put(key(3), []byte("123"))
	for seed, want := range map[int64]bool{1: true, 2: false, 3: true} {
		if got := c.get(key(seed)) != nil; got != want {
			t.Errorf("the answer for seed %d is there: %v", seed, got)
		}
	}
	if got := c.state(); got.Entries != 2 || got.Bytes != 8 || got.Hits != 3 {
		t.Errorf("%+v", got)
	}
	if got := c.put(key(3), []byte("456")); string(got) != "123" {
		t.Errorf("a second answer to one question: %s", got)
	}
	if c.put(key(4), []byte("more than there is room for")); c.get(key(4)) != nil || c.state().Bytes != 0 {
		t.Errorf("%+v", c.state())
	}
}
