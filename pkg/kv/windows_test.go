// SPDX-License-Identifier: Apache-2.0

package kv

import "testing"

func decodeTo(t *testing.T, c *Cache, tokens int, from *int) {
	t.Helper()
	for ; *from < tokens; *from++ {
		c.Step()
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

// Two groups with windows of 3 blocks: a prompt of 2 blocks takes 2 of each group too, and
// the first block of the answer one of each. From then on a block is one.
func TestWindowsOfASequence(t *testing.T) {
	c := NewCache(20, 4, true, LRU)
	c.SetWindows(Windows{Groups: 2, Blocks: 3})
	s := mustAdmit(t, c, nil, 8)
	if got := c.Used(); got != 2+2*2 {
		t.Fatalf("%d blocks in use, want 6", got)
	}
	c.StartDecode(s)
	tokens := 8
	for _, want := range [][2]int{{9, 9}, {12, 9}, {13, 10}, {16, 10}, {17, 11}} {
		decodeTo(t, c, want[0], &tokens)
		if got := c.Used(); got != want[1] {
			t.Errorf("%d tokens: %d blocks in use, want %d", tokens, got, want[1])
		}
	}
	c.Release(s)
	if c.Used() != 0 || c.Free() != 20 {
		t.Errorf("%d blocks in use, %d free", c.Used(), c.Free())
	}
}

// Windows push content out: 4 cached blocks lie behind 12 blank ones. A prompt of 5 blocks
// takes 5 from the front, 2 for its window of 2 blocks, and 3 that the window gives up
// again. The next block of its answer takes one for itself and one for its window: the
// last blank ones. With the block after that, 2 cached blocks are gone.
func TestWindowsPushContentOut(t *testing.T) {
	c := NewCache(16, 4, true, LRU)
	c.SetWindows(Windows{Groups: 1, Blocks: 2})
	text := chainOf([2]int{1, 4 * blockTokens})
	c.Release(mustAdmit(t, c, text, 16))
	s := mustAdmit(t, c, nil, 20)
	c.StartDecode(s)
	tokens := 20
	for _, want := range [][2]int{{20, 16}, {24, 16}, {28, 8}} {
		decodeTo(t, c, want[0], &tokens)
		wantMatch(t, c, "after an answer", text, 16, want[1])
	}
	if got := c.Used(); got != 7+2 {
		t.Errorf("%d blocks in use, want 9", got)
	}
}

// Of 100 blocks, 2 groups with windows of 9 leave 82 to a sequence; of 20, each of its 6
// blocks needs two others.
func TestLongestSequenceWithWindows(t *testing.T) {
	for pool, want := range map[int]int{100: 82, 27: 9, 28: 10, 26: 8, 20: 6, 2: 0} {
		if got := (Windows{Groups: 2, Blocks: 9}).LongestSequence(pool); got != want {
			t.Errorf("%d blocks: %d, want %d", pool, got, want)
		}
	}
	if got := (Windows{}).LongestSequence(100); got != 100 {
		t.Errorf("without windows %d, want 100", got)
	}
}
