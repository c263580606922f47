// SPDX-License-Identifier: Apache-2.0

package tier

import (
	"iter"

	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/network"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// Engine is what the tiers want of the replica that they belong to.
type Engine interface {
	// Resume puts a request back into the wait queue whose content has come.
	Resume(id int32)
	// BlocksReleased tells of blocks that copies held; before is how many were in use.
	BlocksReleased(before int)
	// BeginHeld begins the step that waited for copies.
	BeginHeld()
}

// Owner is the replica that tiers belong to, and its links.
type Owner struct {
	Engine
	Replica int32
	Pool    *simulator.Pool
	Fabric  *network.Fabric
	Links   *network.Links
	// Listen lets the router hear of a new tier of the replica's own.
	Listen func(store *kv.Tier, kind simulator.TierKind)
}

// Set is the tiers below a replica's cache, fastest first.
type Set struct {
	copies
	offloads

	toGPU transfer.StationID
	// Loaded is the bytes that were sent from each tier to the GPU, since the replica started.
	Loaded [simulator.TierKinds]int64

	found []span // by the last Find
}

// New returns the tiers of a replica, with links of their own to those that it does not
// share. Share adds the others; then Empty fills the set.
func New(state *run.State, owner Owner) *Set {
	c, f := &owner.Pool.Tiers, owner.Fabric
	l := &Set{copies: copies{State: state, owner: owner, toHost: f.Add(c.ToHost), policy: c.Offload.Policy, levels: make(levels, len(c.Lower))}}
	l.toGPU = f.Add(c.ToGPU)
	l.offloads = newOffloads(&l.copies)
	l.copies.landed = l.offloads.landed
	for k, t := range c.Lower {
		l.levels[k].kind, l.levels[k].shared = t.Kind, t.Shared && owner.Pool.Places() > 1
		if !l.levels[k].shared {
			l.levels[k].read, l.levels[k].write = f.Add(t.Read), f.Add(t.Write)
		}
	}
	return l
}

// Share gives the replica a tier that others have too. It is reported elsewhere, unless
// the replica is the first of them.
func (l *Set) Share(k int, store *Store, read, write transfer.StationID, elsewhere bool) {
	t := &l.levels[k]
	t.store, t.read, t.write, t.elsewhere = store, read, write, elsewhere
}

// Empty makes the replica's own tiers new ones, below a new cache.
func (l *Set) Empty(cache *kv.Cache) {
	l.cache, l.sources = cache, sources{}
	l.offloads.empty()
	l.Stored, l.Loaded = [simulator.TierKinds]int64{}, [simulator.TierKinds]int64{}
	lower := l.owner.Pool.Tiers.Lower
	for k := range lower {
		if t := &l.levels[k]; !t.shared {
			t.store = t.store.renewed(l.Now, &lower[k])
			l.owner.Listen(t.store.Tier, t.kind)
		}
	}
}

// ListLinks adds the links that belong to the replica to its list.
func (l *Set) ListLinks() {
	links, f := l.owner.Links, l.owner.Fabric
	links.Add(f, "toHost", l.toHost, false)
	links.Add(f, "toGPU", l.toGPU, false)
	for _, t := range l.levels {
		if !t.elsewhere {
			links.Add(f, t.kind.String()+".read", t.read, t.shared)
			links.Add(f, t.kind.String()+".write", t.write, t.shared)
		}
	}
}

// All iterates over the tiers.
func (l *Set) All() iter.Seq2[simulator.TierKind, *kv.Tier] {
	return func(yield func(simulator.TierKind, *kv.Tier) bool) {
		for k := range l.levels {
			if t := &l.levels[k]; !yield(t.kind, t.store.Tier) {
				return
			}
		}
	}
}

// Find looks for the blocks of a text from one on up to a limit, and returns the block
// after the last that the tiers have; 0 if they do not have the first.
func (l *Set) Find(chain []prompt.Stretch, from, limit int) int {
	l.found = l.find(l.found[:0], chain, from, limit)
	if len(l.found) == 0 {
		return 0
	}
	return l.found[len(l.found)-1].to
}

// Found is how many tokens each tier has of what Find found.
func (l *Set) Found() (tokens [simulator.TierKinds]int32) {
	for _, p := range l.found {
		tokens[l.levels[p.tier].kind] += int32((p.to - p.from) * l.cache.BlockTokens())
	}
	return tokens
}

// Touch makes a request's blocks the last to leave their tiers.
func (l *Set) Touch(q *request.Request) {
	for k := range l.levels {
		l.levels[k].store.Touch(q.Chain, int(q.Total)/l.cache.BlockTokens(), q.Info.Priority)
	}
}

// Restart begins the figures of a replica's tiers anew.
func (l *Set) Restart(now simtime.Time) {
	for k := range l.levels {
		l.levels[k].store.restart(now)
	}
}

// Report settles the figures of a replica's tiers. Shared ones are the first
// replica's.
func (l *Set) Report(now simtime.Time) []simulator.TierUse {
	var uses []simulator.TierUse
	for k := range l.levels {
		if t := &l.levels[k]; !t.elsewhere {
			uses = append(uses, t.store.report(now, t.kind))
		}
	}
	return uses
}
