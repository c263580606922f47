// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// prefixes routes requests to an endpoint each and says what was matched before.
type prefixes struct{ *approxPrefix }

func (p prefixes) send(c *scheduler.Cycle, to int) []int {
	c.Present = len(c.Scrapes)
	c.Tokens = c.Prompt.Tokens()
	p.Produce(c)
	matched := append([]int{}, p.match.Blocks...)
	p.Routed(c, scheduler.Picks{Primary: to, Prefill: scheduler.None})
	return matched
}

func promptOf(source uint64, tokens int) prompt.Prompt {
	return prompt.Prompt{Extents: []prompt.Extent{{Source: source, Tokens: int32(tokens)}}}
}

func TestPromptsForDifferentAdaptersShareNothing(t *testing.T) {
	p := prefixes{newApproxPrefix(t, "", 2)}
	send := func(adapter int32, to int) []int {
		return p.send(&scheduler.Cycle{Scrapes: make([]policy.Scrape, 2), Adapter: adapter, Prompt: promptOf(1, 640)}, to)
	}
	for i, step := range []struct {
		adapter int32
		to      int
		want    []int
	}{
		{0, 0, []int{0, 0}},
		{1, 1, []int{0, 0}},
		{2, 1, []int{0, 0}},
		{0, 0, []int{10, 0}},
		{1, 1, []int{0, 10}},
	} {
		if diff := cmp.Diff(step.want, send(step.adapter, step.to)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

// What the engine reports at the first request fixes how much an endpoint is
// believed to hold; what it reports later does not.
func TestCapacityIsFixedAtFirstUse(t *testing.T) {
	for _, tc := range []struct {
		name         string
		first, later int
		want         []int // matched of the first prompt after three of ten blocks
	}{
		{"small at first", 20, 1000, []int{0}},
		{"large at first", 1000, 20, []int{10}},
		{"unknown at first is the default", 0, 20, []int{10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := prefixes{newApproxPrefix(t, "", 1)}
			for source := range uint64(3) {
				blocks := tc.later
				if source == 0 {
					blocks = tc.first
				}
				p.send(&scheduler.Cycle{Scrapes: []policy.Scrape{{Blocks: blocks}}, Prompt: promptOf(source, 640)}, 0)
			}
			got := p.send(&scheduler.Cycle{Scrapes: []policy.Scrape{{Blocks: tc.later}}, Prompt: promptOf(0, 640)}, 0)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("matched (-want +got):\n%s", diff)
			}
		})
	}
}

// Only routing makes a prompt recent: one that is asked for again and again but
// goes elsewhere is forgotten first.
func TestLookingUpDoesNotRefresh(t *testing.T) {
	p := prefixes{newApproxPrefix(t, "{lruCapacityPerServer: 20, autoTune: false, blockSizeTokens: 64}", 2)}
	send := func(source uint64, to int) []int {
		return p.send(&scheduler.Cycle{Scrapes: make([]policy.Scrape, 2), Prompt: promptOf(source, 640)}, to)
	}
	send(1, 0)
	send(2, 0)
	if diff := cmp.Diff([]int{10, 0}, send(1, 1)); diff != "" { // looks 1 up, goes to the other endpoint
		t.Errorf("before (-want +got):\n%s", diff)
	}
	send(3, 0)
	if diff := cmp.Diff([]int{0, 10}, send(1, 1)); diff != "" {
		t.Errorf("the older prompt on endpoint 0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{10, 0}, send(2, 1)); diff != "" {
		t.Errorf("the younger prompt on endpoint 0 (-want +got):\n%s", diff)
	}
}

func TestBlocksHaveAtLeast64Tokens(t *testing.T) {
	for _, tc := range []struct {
		name, parameters string
		scraped          int
		want             scheduler.PrefixMatch
	}{
		{"the engine's are smaller", "", 16, scheduler.PrefixMatch{BlockTokens: 64, TotalBlocks: 16}},
		{"the engine's are larger", "", 128, scheduler.PrefixMatch{BlockTokens: 128, TotalBlocks: 8}},
		{"the configuration's are smaller", "{autoTune: false, blockSizeTokens: 16}", 128, scheduler.PrefixMatch{BlockTokens: 64, TotalBlocks: 16}},
		{"the configuration's are larger", "{autoTune: false, blockSizeTokens: 100}", 16, scheduler.PrefixMatch{BlockTokens: 100, TotalBlocks: 10}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := prefixes{newApproxPrefix(t, tc.parameters, 1)}
			p.send(&scheduler.Cycle{Scrapes: []policy.Scrape{{BlockTokens: tc.scraped}}, Prompt: promptOf(1, 1000)}, 0)
			got := scheduler.PrefixMatch{BlockTokens: p.match.BlockTokens, TotalBlocks: p.match.TotalBlocks}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(scheduler.PrefixMatch{})); diff != "" {
				t.Errorf("match (-want +got):\n%s", diff)
			}
		})
	}
}

// The last block of a prompt counts and matches though it is not full; one that
// goes on is another block.
func TestThePartialLastBlockCounts(t *testing.T) {
	p := prefixes{newApproxPrefix(t, "", 1)}
	send := func(tokens int) []int {
		return p.send(&scheduler.Cycle{Scrapes: make([]policy.Scrape, 1), Prompt: promptOf(1, tokens)}, 0)
	}
	for i, step := range []struct {
		tokens int
		want   []int
	}{{100, []int{0}}, {100, []int{2}}, {101, []int{1}}, {128, []int{1}}, {101, []int{2}}} {
		if diff := cmp.Diff(step.want, send(step.tokens)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

// The match ends where nobody holds a block; up to there an endpoint is credited
// for what follows a block that it lacks.
func TestEndpointsAreCreditedBeyondTheirGaps(t *testing.T) {
	p := prefixes{newApproxPrefix(t, "{lruCapacityPerServer: 12, autoTune: false, blockSizeTokens: 64}", 3)}
	send := func(source uint64, blocks, to int) []int {
		return p.send(&scheduler.Cycle{Scrapes: make([]policy.Scrape, 3), Prompt: promptOf(source, 64*blocks)}, to)
	}
	send(1, 10, 0)
	send(1, 10, 1)
	send(2, 7, 1) // takes the place of the first 5 blocks on endpoint 1
	if diff := cmp.Diff([]int{10, 5, 0}, send(1, 10, 2)); diff != "" {
		t.Errorf("beyond a gap (-want +got):\n%s", diff)
	}
	send(3, 12, 0)
	send(3, 12, 2) // now nobody holds the first block
	if diff := cmp.Diff([]int{0, 0, 0}, send(1, 10, 2)); diff != "" {
		t.Errorf("beyond what nobody holds (-want +got):\n%s", diff)
	}
}

func TestTruncationCutsStretches(t *testing.T) {
	chain := []prompt.Stretch{{ID: 1, Blocks: 3}, {ID: 2, Blocks: 2}, {ID: 3, Blocks: 1}}
	for maxBlocks, want := range [][]prompt.Stretch{
		{},
		{{ID: 1, Blocks: 1}},
		{{ID: 1, Blocks: 2}},
		{{ID: 1, Blocks: 3}},
		{{ID: 1, Blocks: 3}, {ID: 2, Blocks: 1}},
		{{ID: 1, Blocks: 3}, {ID: 2, Blocks: 2}},
		chain,
		chain,
	} {
		got, blocks := truncate(slices.Clone(chain), maxBlocks)
		if diff := cmp.Diff(want, got); diff != "" || blocks != min(maxBlocks, 6) {
			t.Errorf("to %d blocks: %d (-want +got):\n%s", maxBlocks, blocks, diff)
		}
	}
}

// TestPicksAreTheSameWithoutOwn: prompt.Prompt.Own says of a prompt's last text that no prompt to come
// has it, which no real scheduler knows. Picks and beliefs are those of a scheduler that is not told.
// The indices of 60 blocks for each endpoint are soon full, so own blocks drive out shared ones.
func TestPicksAreTheSameWithoutOwn(t *testing.T) {
	for name, profile := range map[string]string{"scorer": referenceProfile, "filter": guideProfile} {
		t.Run(name, func(t *testing.T) {
			const endpoints = 4
			told := New(mustLoad(t, profile), config.Cluster{Endpoints: endpoints}, 1)
			plain := New(mustLoad(t, profile), config.Cluster{Endpoints: endpoints}, 1)
			view := idle(endpoints)
			for e := range view.Scrapes {
				view.Scrapes[e] = policy.Scrape{BlockTokens: 16, Blocks: 60}
			}
			rng := rand.New(rand.NewPCG(1, 2))
			believed := 0
			for id := range 2000 {
				group := prompt.Extent{Source: rng.Uint64N(8), Tokens: 1 + rng.Int32N(200)}
				own := prompt.Extent{Source: uint64(1000 + id), Tokens: 1 + rng.Int32N(100)}
				with, without := withPrompt(id, group, own), withPrompt(id, group, own)
				with.Prompt.Own = 1
				got, err := told.Route(view, with)
				want, wantErr := plain.Route(view, without)
				if diff := cmp.Diff(want, got); diff != "" || err != nil || wantErr != nil {
					t.Fatalf("request %d, errors %v and %v (-without +with):\n%s", id, wantErr, err, diff)
				}
				believed += got.Believed.Tokens
			}
			if believed == 0 {
				t.Error("no prompt was found anywhere")
			}
		})
	}
}
