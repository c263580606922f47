// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// burstOf are requests whose prompts are so many blocks of each of some texts.
func burstOf(prompts ...[]prompt.Extent) []*scheduler.HeldRequest {
	var items []*scheduler.HeldRequest
	for _, extents := range prompts {
		chain, blocks := truncate(prompt.Prompt{Extents: extents}.AllStretches(nil, 1), 64)
		items = append(items, &scheduler.HeldRequest{Chain: chain, Blocks: blocks, Assigned: scheduler.None})
	}
	return items
}

// text is so many blocks of a text.
func text(source uint64, blocks int32) prompt.Extent {
	return prompt.Extent{Source: source, Tokens: blocks}
}

// alike is n requests with one prompt.
func alike(n int, extents ...prompt.Extent) [][]prompt.Extent {
	return slices.Repeat([][]prompt.Extent{extents}, n)
}

func TestWhereBurstsGo(t *testing.T) {
	for name, tc := range map[string]struct {
		colocate, perReplica int
		byTokens             bool
		running              []int
		down                 []bool
		prompts              [][]prompt.Extent
		want                 []int
	}{
		"equal prompts go together":            {running: []int{0, 0}, prompts: alike(4, text(1, 3)), want: []int{0, 0, 0, 0}},
		"to the endpoint with the least load":  {running: []int{2, 1, 1}, prompts: alike(2, text(1, 3)), want: []int{1, 1}},
		"of those that are there":              {running: []int{2, 1, 3}, down: []bool{false, true, false}, prompts: alike(2, text(1, 3)), want: []int{0, 0}},
		"one alone goes nowhere":               {running: []int{0, 0}, prompts: slices.Concat(alike(2, text(1, 3)), alike(1, text(2, 9))), want: []int{0, 0, scheduler.None}},
		"nor does one without a prompt":        {running: []int{0, 0}, prompts: alike(3), want: []int{scheduler.None, scheduler.None, scheduler.None}},
		"a longer prompt is another one":       {running: []int{0, 0}, prompts: slices.Concat(alike(1, text(1, 3)), alike(1, text(1, 4))), want: []int{scheduler.None, scheduler.None}},
		"groups are balanced":                  {running: []int{0, 0}, prompts: slices.Concat(alike(2, text(1, 3)), alike(2, text(2, 3)), alike(2, text(3, 3))), want: []int{0, 0, 1, 1, 0, 0}},
		"longer prompts first":                 {running: []int{0, 1}, prompts: slices.Concat(alike(2, text(1, 3)), alike(3, text(2, 5))), want: []int{1, 1, 0, 0, 0}},
		"no more than so many on one":          {perReplica: 2, running: []int{0, 1, 2}, prompts: alike(5, text(1, 3)), want: []int{0, 0, 1, 1, 2}},
		"unless there are too many":            {perReplica: 1, running: []int{0, 1}, prompts: alike(5, text(1, 3)), want: []int{0, 1, 0, 1, 0}},
		"shared beginnings go together":        {colocate: 2, running: []int{0, 0}, prompts: slices.Concat(alike(1, text(1, 2), text(2, 2)), alike(1, text(1, 2), text(3, 2)), alike(1, text(9, 1))), want: []int{0, 1, scheduler.None}},
		"unless they are short":                {colocate: 3, running: []int{0, 0}, prompts: slices.Concat(alike(1, text(1, 2), text(2, 2)), alike(1, text(1, 2), text(3, 2))), want: []int{scheduler.None, scheduler.None}},
		"up to a fair share":                   {colocate: 2, running: []int{0, 0}, prompts: slices.Concat(alike(3, text(1, 4)), alike(1, text(1, 3)), alike(1, text(1, 2)), alike(1, text(1, 2), text(3, 1))), want: []int{0, 0, 0, 1, 1, 1}},
		"a group comes before a longer prompt": {colocate: 2, running: []int{0, 1}, prompts: slices.Concat(alike(1, text(1, 9)), alike(2, text(1, 4))), want: []int{1, 0, 0}},
		"by tokens a group costs one prompt":   {byTokens: true, running: []int{0, 1}, prompts: slices.Concat(alike(9, text(1, 3)), alike(2, text(2, 2)), alike(2, text(3, 2))), want: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
		"and nothing that is there already": {
			byTokens: true, colocate: 2, running: []int{0, 1},
			prompts: slices.Concat(alike(2, text(1, 6)), alike(2, text(1, 4), text(2, 1)), alike(2, text(9, 5)), alike(2, text(8, 4)), alike(2, text(7, 1))),
			want:    []int{0, 0, 0, 0, 1, 1, 1, 1, 0, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			items := burstOf(tc.prompts...)
			for _, item := range items {
				item.Seen = scheduler.EndpointSnapshot{Running: tc.running, Down: tc.down}
			}
			p := &burstParameters{MaxPerReplica: tc.perReplica, MinColocateBlocks: tc.colocate, BalanceBy: balanceByRequests}
			if tc.perReplica == 0 {
				p.MaxPerReplica = burstUnlimited
			}
			if tc.byTokens {
				p.BalanceBy = balanceByTokens
			}
			newBurstPlacement(p, len(tc.running), items).place()
			if diff := cmp.Diff(tc.want, placesOf(items)); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
		})
	}
}

func placesOf(items []*scheduler.HeldRequest) []int {
	places := []int{}
	for _, item := range items {
		places = append(places, item.Assigned)
	}
	return places
}

// TestBurstPlacementAgreesWithAPlainOne holds it against a placement that compares
// prompts block by block.
func TestBurstPlacementAgreesWithAPlainOne(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 3000 {
		endpoints := 1 + random.IntN(5)
		p := &burstParameters{
			MaxPerReplica: []int{burstUnlimited, 1, 2, 3}[random.IntN(4)], MinColocateBlocks: random.IntN(4),
			BalanceBy: []string{balanceByRequests, balanceByTokens}[random.IntN(2)],
		}
		var prompts [][]prompt.Extent
		for range random.IntN(20) {
			var extents []prompt.Extent
			for range random.IntN(4) {
				extents = append(extents, text(uint64(random.IntN(3)), int32(random.IntN(4))))
			}
			prompts = append(prompts, extents)
		}
		items := burstOf(prompts...)
		view := scheduler.EndpointSnapshot{Running: make([]int, endpoints)}
		for e := range view.Running {
			view.Running[e] = random.IntN(3)
		}
		for _, item := range items {
			item.Seen = view
		}
		want := plainBurst{p, view.Running, items, make([]int, endpoints), make([]map[block]bool, endpoints)}.place()
		newBurstPlacement(p, endpoints, items).place()
		if diff := cmp.Diff(want, placesOf(items)); diff != "" {
			t.Fatalf("%+v, prompts %v, endpoints (-plain +got):\n%s", *p, prompts, diff)
		}
	}
}

// plainBurst is a window, told without stretches and indices.
type plainBurst struct {
	*burstParameters
	running []int
	items   []*scheduler.HeldRequest
	load    []int
	held    []map[block]bool // by endpoint
}

// A block is one of a stretch.
type block struct {
	stretch uint64
	index   int32
}

func blocksOf(chain []prompt.Stretch) []block {
	var blocks []block
	for _, s := range chain {
		for i := range s.Blocks {
			blocks = append(blocks, block{s.ID, i})
		}
	}
	return blocks
}

func common(a, b []block) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// place returns the endpoint of each request.
func (p plainBurst) place() []int {
	places := make([]int, len(p.items))
	var tiers [2][][]int // requests of a unit
	for i, item := range p.items {
		places[i] = scheduler.None
		own, peers, first := blocksOf(item.Chain), []int{}, true
		near := 0
		for j, other := range p.items {
			theirs := blocksOf(other.Chain)
			if slices.Equal(own, theirs) {
				first = first && j >= i
				peers = append(peers, j)
			}
			if common(own, theirs) >= p.MinColocateBlocks {
				near++
			}
		}
		switch {
		case !first || len(own) == 0:
		case len(peers) > 1:
			tiers[0] = append(tiers[0], peers)
		case p.MinColocateBlocks > 0 && near > 1:
			tiers[1] = append(tiers[1], peers)
		}
	}
	total := 0
	for tier := range tiers {
		slices.SortStableFunc(tiers[tier], func(u, v []int) int { return p.items[v[0]].Blocks - p.items[u[0]].Blocks })
		for _, unit := range tiers[tier] {
			if p.BalanceBy == balanceByTokens {
				total += p.items[unit[0]].Blocks
			} else {
				total += len(unit)
			}
		}
	}
	share := (total + len(p.load) - 1) / len(p.load)
	for _, unit := range slices.Concat(tiers[0], tiers[1]) {
		p.placeUnit(unit, share, places)
	}
	return places
}

func (p plainBurst) placeUnit(unit []int, share int, places []int) {
	blocks := blocksOf(p.items[unit[0]].Chain)
	matched := make([]int, len(p.load))
	for e := range matched {
		for matched[e] < len(blocks) && p.held[e][blocks[matched[e]]] {
			matched[e]++
		}
	}
	own := make([]int, len(p.load))
	primary := true
	for len(unit) > 0 {
		best := []int{}
		for e := range p.load {
			if p.MaxPerReplica > 0 && own[e] >= p.MaxPerReplica {
				continue
			}
			key := []int{1, 0, p.load[e], p.running[e], e}
			if primary && p.MinColocateBlocks > 0 && p.load[e] < share && matched[e] >= p.MinColocateBlocks {
				key[0], key[1] = 0, -matched[e]
			}
			if len(best) == 0 || slices.Compare(key, best) < 0 {
				best = key
			}
		}
		n := len(unit)
		if len(best) == 0 {
			for e := range p.load {
				if key := []int{1, 0, p.load[e], p.running[e], e}; len(best) == 0 || slices.Compare(key, best) < 0 {
					best = key
				}
			}
			n = 1
		} else if p.MaxPerReplica > 0 {
			n = min(n, p.MaxPerReplica-own[best[4]])
		}
		e := best[4]
		for _, i := range unit[:n] {
			places[i] = e
		}
		if p.BalanceBy == balanceByRequests {
			p.load[e] += n
		} else if own[e] == 0 {
			p.load[e] += len(blocks) - matched[e]
		}
		own[e] += n
		unit, primary = unit[n:], false
	}
	for e := range own {
		if own[e] == 0 {
			continue
		}
		if p.held[e] == nil {
			p.held[e] = map[block]bool{}
		}
		for _, b := range blocks {
			p.held[e][b] = true
		}
	}
}
