// SPDX-License-Identifier: Apache-2.0

package kv

import (
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/paniccheck"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

const blockTokens = 16

// chainOf is the full blocks of tokens of texts, one after the other.
func chainOf(parts ...[2]int) []prompt.Stretch {
	var p prompt.Prompt
	for _, part := range parts {
		p = p.Append(prompt.Extent{Source: uint64(part[0]), Tokens: int32(part[1])})
	}
	return p.FullStretches(nil, blockTokens)
}

// mustAdmit admits a sequence with whatever is cached of all but its last
// token.
func mustAdmit(t *testing.T, c *Cache, chain []prompt.Stretch, tokens int) Sequence {
	t.Helper()
	s, ok := c.Admit(Admission{Chain: chain, Cached: c.Match(chain, tokens-1), Tokens: tokens})
	if !ok {
		t.Fatalf("no room for %d tokens; %d of %d blocks are used", tokens, c.Used(), c.Blocks())
	}
	checkInvariants(t, c)
	return s
}

func checkInvariants(t *testing.T, c *Cache) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

func wantMatch(t *testing.T, c *Cache, what string, chain []prompt.Stretch, maxTokens, want int) {
	t.Helper()
	if got := c.Match(chain, maxTokens); got != want {
		t.Errorf("%s: Match = %d tokens, want %d", what, got, want)
	}
}

func wantUsed(t *testing.T, c *Cache, what string, want int) {
	t.Helper()
	if got := c.Used(); got != want {
		t.Errorf("%s: %d blocks used, want %d", what, got, want)
	}
}

func TestAdmitReusesCachedPrefix(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 48})
	c.Release(mustAdmit(t, c, chain, 48))
	wantMatch(t, c, "the last token is computed, so its block is too", chain, 47, 32)
	mustAdmit(t, c, chain, 49)
	wantUsed(t, c, "three cached blocks and one for the last token", 4)
	if got := c.Evictions(); got != 0 {
		t.Errorf("%d evictions, want none: there were blank blocks", got)
	}
}

func TestRunningSequencesShareBlocks(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 60})
	first := mustAdmit(t, c, chain, 60)
	mustAdmit(t, c, chain, 60)
	wantUsed(t, c, "three shared blocks and a last one each", 5)
	c.Release(first)
	wantUsed(t, c, "one has ended", 4)
}

func TestMatchStopsWherePromptsDiverge(t *testing.T) {
	c := NewCache(20, blockTokens, true, LRU)
	long, short := chainOf([2]int{1, 96}), chainOf([2]int{1, 40}, [2]int{2, 60})
	c.Release(mustAdmit(t, c, long, 96))
	wantMatch(t, c, "the second prompt goes another way inside its third block", short, 99, 32)
	mustAdmit(t, c, short, 100)
	wantMatch(t, c, "the first one is still there", long, 96, 96)
}

func TestLastBlocksAreEvictedFirst(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 64})
	c.Release(mustAdmit(t, c, chain, 64))
	mustAdmit(t, c, chainOf([2]int{2, 32}), 32)
	wantMatch(t, c, "two blocks were needed", chain, 64, 32)
}

func TestLRUEvictsLeastRecentlyUsed(t *testing.T) {
	c := NewCache(4, blockTokens, true, LRU)
	older, younger := chainOf([2]int{1, 32}), chainOf([2]int{2, 32})
	a, b := mustAdmit(t, c, older, 32), mustAdmit(t, c, younger, 32)
	c.Release(a)
	c.Release(b)
	c.Match(older, 32) // a look-up does not refresh
	mustAdmit(t, c, chainOf([2]int{3, 32}), 32)
	wantMatch(t, c, "the older text", older, 32, 0)
	wantMatch(t, c, "the younger text", younger, 32, 32)
}

func TestRejectedAdmitChangesNothing(t *testing.T) {
	cached, longer := chainOf([2]int{1, 32}), chainOf([2]int{1, 80})
	for name, tc := range map[string]struct {
		tokens, reserve int
		want            bool
	}{
		"one block less than there is":         {tokens: 48, want: true},
		"all there is":                         {tokens: 64, want: true},
		"one token more than there is":         {tokens: 65},
		"cached blocks are as full as others":  {tokens: 80},
		"what is reserved has to fit":          {tokens: 33, reserve: 64, want: true},
		"what is reserved is a token too long": {tokens: 33, reserve: 65},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(4, blockTokens, true, LRU)
			c.Release(mustAdmit(t, c, cached, 32))
			_, got := c.Admit(Admission{Chain: longer, Cached: c.Match(longer, tc.tokens-1), Tokens: tc.tokens, Reserve: tc.reserve})
			if got != tc.want {
				t.Fatalf("Admit(%d tokens) = %v, want %v", tc.tokens, got, tc.want)
			}
			if !got {
				wantUsed(t, c, "a refusal", 0)
				wantMatch(t, c, "a refusal", cached, 32, 32)
			}
			checkInvariants(t, c)
		})
	}
}

func TestNoMatchWithoutPrefixCaching(t *testing.T) {
	c := NewCache(8, blockTokens, false, LRU)
	chain := chainOf([2]int{1, 48})
	mustAdmit(t, c, chain, 48)
	wantMatch(t, c, "no prefix caching", chain, 48, 0)
}

func TestMatchFindsDecodedBlocks(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	turn := chainOf([2]int{1, 20}, [2]int{2, 12})
	a := mustAdmit(t, c, turn, 20)
	c.StartDecode(a)
	for range 12 {
		wantMatch(t, c, "before the block is full", turn, 32, 16)
		c.Step()
	}
	wantMatch(t, c, "while it is held", turn, 32, 32)
	c.Release(a)
	checkInvariants(t, c)
	wantMatch(t, c, "when it is free", turn, 32, 32)
}

func TestStepTakesBlockWhenLastIsFull(t *testing.T) {
	c := NewCache(100, blockTokens, true, LRU)
	for i := range 4 {
		c.StartDecode(mustAdmit(t, c, chainOf([2]int{i, 13 + i}, [2]int{10 + i, 100}), 13+i))
	}
	// 13, 14, 15 and 16 tokens: one is full now, the next one a step later.
	for step, want := range []int{1, 1, 1, 1, 0, 0} {
		if got := c.StepNeeds(); got != want {
			t.Errorf("step %d needs %d blocks, want %d", step, got, want)
		}
		c.Step()
		checkInvariants(t, c)
	}
	wantUsed(t, c, "two blocks for each", 8)
}

func TestMatchFindsOlderCopyFirst(t *testing.T) {
	c := NewCache(6, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 16})
	// Of a prompt of one block the last token is computed, so nothing is shared.
	first, second := mustAdmit(t, c, chain, 16), mustAdmit(t, c, chain, 16)
	wantUsed(t, c, "one block for each", 2)
	c.Release(second)
	c.Release(first)
	third := mustAdmit(t, c, chainOf([2]int{1, 32}), 17) // reuses the first one's
	mustAdmit(t, c, chainOf([2]int{2, 48}), 48)          // takes the blank blocks
	mustAdmit(t, c, chainOf([2]int{3, 16}), 16)          // takes the second one's
	if got := c.Evictions(); got != 1 {
		t.Errorf("%d evictions, want 1", got)
	}
	c.Release(third)
	wantMatch(t, c, "the first one's copy is left", chain, 16, 16)
}

func TestMatchFindsRemainingCopy(t *testing.T) {
	c := NewCache(3, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 16})
	first, second := mustAdmit(t, c, chain, 16), mustAdmit(t, c, chain, 16)
	c.Release(first)
	mustAdmit(t, c, chainOf([2]int{2, 32}), 32)
	if got := c.Evictions(); got != 1 {
		t.Errorf("%d evictions, want 1: the first one's copy", got)
	}
	c.Release(second)
	wantMatch(t, c, "the second one's copy", chain, 16, 16)
}

func TestPreemptedSequenceReusesItsBlocks(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 40}, [2]int{2, 24})
	a := mustAdmit(t, c, chain, 40)
	c.StartDecode(a)
	for range 10 {
		c.Step()
	}
	c.Release(a)
	wantMatch(t, c, "prompt and generated tokens", chain, 49, 48)
	mustAdmit(t, c, chain, 50)
	wantUsed(t, c, "three cached blocks and the rest", 4)
}

func TestMatchLimit(t *testing.T) {
	c := NewCache(8, blockTokens, true, LRU)
	chain := chainOf([2]int{1, 48})
	mustAdmit(t, c, chain, 48)
	for name, tc := range map[string]struct{ maxTokens, want int }{
		"nothing":                {maxTokens: 0, want: 0},
		"short of one block":     {maxTokens: 15, want: 0},
		"one block":              {maxTokens: 16, want: 16},
		"short of three blocks":  {maxTokens: 47, want: 32},
		"more than there is":     {maxTokens: 1000, want: 48},
		"more than is in chains": {maxTokens: 1 << 40, want: 48},
	} {
		wantMatch(t, c, name, chain, tc.maxTokens, tc.want)
	}
}

func TestCacheSteadyStateDoesNotAllocate(t *testing.T) {
	c := NewCache(200, blockTokens, true, LRU)
	var chains [][]prompt.Stretch
	for i := range 50 {
		chains = append(chains, chainOf([2]int{i % 3, 100}, [2]int{100 + i, 300}, [2]int{200 + i, 60}))
	}
	turn := 0
	sequence := func() {
		chain := chains[turn%len(chains)]
		turn++
		cached := c.Match(chain, 399)
		a, ok := c.Admit(Admission{Chain: chain, Cached: cached, Tokens: min(400, cached+64), Reserve: 400})
		for tokens := cached + 64; ok && tokens < 400; tokens += 64 {
			ok = c.Extend(a, tokens)
		}
		if !ok || !c.Extend(a, 400) {
			t.Fatal("no room")
		}
		c.StartDecode(a)
		for range 60 {
			c.Step()
		}
		c.Release(a)
	}
	for range chains {
		sequence()
	}
	if n := testing.AllocsPerRun(100, sequence); n != 0 {
		t.Errorf("%v allocations a sequence, want none", n)
	}
}

func TestNewCachePanics(t *testing.T) {
	for name, size := range map[string][2]int{
		"no blocks":         {0, 16},
		"too many blocks":   {1<<30 + 1, 16},
		"blocks of nothing": {8, 0},
	} {
		t.Run(name, func(t *testing.T) {
			defer paniccheck.Want(t, "no panic")
			NewCache(size[0], size[1], true, LRU)
		})
	}
}

func TestPrepayPanicsWithWindows(t *testing.T) {
	c := NewCache(3, blockTokens, false, LRU)
	c.SetWindows(Windows{Groups: 1, Blocks: 1})
	defer paniccheck.Want(t, "no panic")
	c.Prepay()
}

// TestPrepayTakesWhatTheStepTakes: of 3 blocks, two sequences have one each, which is full. The
// step takes 2 and 1 is free. When the second sequence ends, the first has its block, and that of
// the second is free.
func TestPrepayTakesWhatTheStepTakes(t *testing.T) {
	c := NewCache(3, blockTokens, false, LRU)
	first, second := mustAdmit(t, c, nil, 16), mustAdmit(t, c, nil, 16)
	c.StartDecode(first)
	c.StartDecode(second)
	c.Prepay()
	if c.StepNeeds() != 1 || c.Free() != 0 {
		t.Errorf("the step needs %d blocks more and %d are free, want 1 and 0", c.StepNeeds(), c.Free())
	}
	c.Release(second)
	c.Step()
	c.StopDecode(first)
	checkInvariants(t, c)
	if c.Held(first) != 2 || c.Free() != 1 || c.StepNeeds() != 0 {
		t.Errorf("the first sequence has %d blocks, %d are free, and the next step needs %d; want 2, 1 and 0", c.Held(first), c.Free(), c.StepNeeds())
	}
}
