// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/prefix"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// A burstPlacement chooses endpoints for the requests of one window. Those with
// equal prompts are a unit; so is a request that shares its first blocks with
// another one, where minColocateBlocks says how many these are. Units of several
// requests come first, and those with longer prompts. Each goes to the endpoint
// with the least load in this window, unless one that has not had its fair share
// already holds enough of the prompt. What does not fit there goes to the others.
//
// Loads count requests or blocks, as balanceBy says: of a prompt that is to be
// computed on an endpoint, those that the window has not put there before.
type burstPlacement struct {
	parameters *burstParameters
	items      []*scheduler.HeldRequest
	// candidates are what the first request saw, and running the requests that
	// ran there.
	candidates []int
	running    []int // by endpoint
	load       []int // by endpoint
	fairShare  int
	// index holds the prompts that have been placed, matched what each endpoint
	// holds of the unit under way.
	index   *prefix.Index
	matched []int
}

// A burstUnit is requests with equal prompts.
type burstUnit struct {
	members []*scheduler.HeldRequest
	blocks  int
	chain   []prompt.Stretch
}

// A prefixName tells beginnings of prompts apart: the last stretch's identity
// stands for all before.
type prefixName struct {
	last   uint64
	blocks int32
}

func newBurstPlacement(p *burstParameters, endpoints int, items []*scheduler.HeldRequest) *burstPlacement {
	a := &burstPlacement{parameters: p, items: items, running: make([]int, endpoints), load: make([]int, endpoints), matched: make([]int, endpoints)}
	first := slices.IndexFunc(items, func(i *scheduler.HeldRequest) bool { return i.Blocks > 0 })
	if first < 0 {
		return a
	}
	seen := &items[first].Seen
	for e := range endpoints {
		if seen.Down == nil || !seen.Down[e] {
			a.candidates = append(a.candidates, e)
			a.running[e] = seen.Running[e]
		}
	}
	return a
}

// place assigns endpoints to those requests that get one.
func (a *burstPlacement) place() {
	units := a.units()
	if len(a.candidates) == 0 || len(units) == 0 {
		return
	}
	total := 0
	for _, u := range units {
		if a.byTokens() {
			total += u.blocks
		} else {
			total += len(u.members)
		}
	}
	a.fairShare = (total + len(a.candidates) - 1) / len(a.candidates)
	a.index = prefix.NewIndex(len(a.load))
	for i := range units {
		a.placeUnit(&units[i])
	}
}

func (a *burstPlacement) byTokens() bool { return a.parameters.BalanceBy == balanceByTokens }

// units are those that get places, in the order in which they do.
func (a *burstPlacement) units() []burstUnit {
	var all []burstUnit
	numbers := map[prefixName]int{}
	for _, item := range a.items {
		if item.Blocks == 0 {
			continue
		}
		name := nameOfPrefix(item.Chain, math.MaxInt)
		number, known := numbers[name]
		if !known {
			number = len(all)
			numbers[name] = number
			all = append(all, burstUnit{blocks: item.Blocks, chain: item.Chain})
		}
		all[number].members = append(all[number].members, item)
	}
	shares := a.shares(all)
	all = slices.DeleteFunc(all, func(u burstUnit) bool { return len(u.members) < 2 && !shares(&u) })
	slices.SortStableFunc(all, func(u, v burstUnit) int {
		return cmp.Or(cmp.Compare(u.tier(), v.tier()), cmp.Compare(v.blocks, u.blocks))
	})
	return all
}

// tier is 0 for several requests, 1 for one.
func (u *burstUnit) tier() int {
	if len(u.members) > 1 {
		return 0
	}
	return 1
}

// shares tells the units that have their first minColocateBlocks in common with
// another request.
func (a *burstPlacement) shares(units []burstUnit) func(*burstUnit) bool {
	least := a.parameters.MinColocateBlocks
	if least == 0 {
		return func(*burstUnit) bool { return false }
	}
	requests := map[prefixName]int{}
	for _, u := range units {
		if u.blocks >= least {
			requests[nameOfPrefix(u.chain, least)] += len(u.members)
		}
	}
	return func(u *burstUnit) bool {
		return u.blocks >= least && requests[nameOfPrefix(u.chain, least)] > 1
	}
}

// nameOfPrefix names the first blocks of a chain that is not empty.
func nameOfPrefix(chain []prompt.Stretch, blocks int) prefixName {
	i := 0
	for ; i < len(chain)-1 && int(chain[i].Blocks) < blocks; i++ {
		blocks -= int(chain[i].Blocks)
	}
	return prefixName{chain[i].ID, int32(min(int(chain[i].Blocks), blocks))}
}

func (a *burstPlacement) placeUnit(u *burstUnit) {
	clear(a.matched)
	a.index.Match(u.chain, a.matched, nil)
	own := make([]int, len(a.load)) // requests of the unit, by endpoint
	mayMatch := a.parameters.MinColocateBlocks > 0
	for left := u.members; len(left) > 0; mayMatch = false {
		e := a.choose(own, mayMatch)
		n := min(len(left), a.room(own[e]))
		for _, item := range left[:n] {
			item.Assigned = e
		}
		switch {
		case !a.byTokens():
			a.load[e] += n
		case own[e] == 0:
			a.load[e] += u.blocks - a.matched[e]
		}
		own[e] += n
		left = left[n:]
	}
	a.remember(u.chain, own)
}

// remember says that the endpoints of a unit, which was matched last, hold its
// prompt.
func (a *burstPlacement) remember(chain []prompt.Stretch, own []int) {
	known := false
	for _, e := range a.candidates {
		if own[e] == 0 {
			continue
		}
		if known {
			a.index.Find(chain)
		}
		a.index.Insert(chain, 0, e, math.MaxInt)
		known = true
	}
}

// room is how many more of a unit's requests go to an endpoint that has some of
// them; one where it is full, as then all are.
func (a *burstPlacement) room(own int) int {
	if a.parameters.MaxPerReplica == burstUnlimited {
		return math.MaxInt
	}
	return max(1, a.parameters.MaxPerReplica-own)
}

func (a *burstPlacement) choose(own []int, mayMatch bool) int {
	best := scheduler.None
	if mayMatch {
		for _, e := range a.candidates {
			if a.matched[e] < a.parameters.MinColocateBlocks || a.load[e] >= a.fairShare || a.IsFull(own[e]) {
				continue
			}
			if best == scheduler.None || a.matched[e] > a.matched[best] || a.matched[e] == a.matched[best] && a.idler(e, best) {
				best = e
			}
		}
	}
	if best == scheduler.None {
		best = a.idlest(func(e int) bool { return !a.IsFull(own[e]) })
	}
	if best == scheduler.None {
		best = a.idlest(func(int) bool { return true })
	}
	return best
}

// IsFull reports whether an endpoint has as many of a unit's requests as it may.
func (a *burstPlacement) IsFull(own int) bool {
	return a.parameters.MaxPerReplica != burstUnlimited && own >= a.parameters.MaxPerReplica
}

func (a *burstPlacement) idlest(may func(endpoint int) bool) int {
	best := scheduler.None
	for _, e := range a.candidates {
		if may(e) && (best == scheduler.None || a.idler(e, best)) {
			best = e
		}
	}
	return best
}

// idler reports whether an endpoint comes before a later one: by its load in the
// window and the requests that ran there.
func (a *burstPlacement) idler(e, than int) bool {
	return cmp.Or(cmp.Compare(a.load[e], a.load[than]), cmp.Compare(a.running[e], a.running[than]), cmp.Compare(e, than)) < 0
}
