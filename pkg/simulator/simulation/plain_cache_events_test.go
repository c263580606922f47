// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// plainTelling is what the router is to hear of caches, block by block.
type plainTelling struct {
	to    policy.KVEventListener // nil if the router does not listen
	names map[uint64]policy.CachedBlocks
}

func newPlainTelling(to policy.KVEventListener) plainTelling {
	return plainTelling{to: to, names: map[uint64]policy.CachedBlocks{}}
}

// learn notes how the router knows the blocks of a text.
func (t *plainTelling) learn(text prompt.Prompt, adapter int32, blockTokens int) {
	identities := toldApart(text.FullBlocks(nil, blockTokens), adapter)
	stretches := text.FullStretches(nil, blockTokens)
	prompt.ForAdapter(stretches, adapter)
	for _, s := range stretches {
		for b := range s.Blocks {
			t.names[identities[0]] = policy.CachedBlocks{Stretch: s.ID, From: b, To: b + 1}
			identities = identities[1:]
		}
	}
}

// tell tells of what has changed in a replica's cache. What can be found since a
// step was formed waits until the end of that step.
func (p *plain) tell(r *plainReplica, forming bool) {
	changes := r.cache.Changes
	r.cache.Changes = nil
	if p.telling.to == nil {
		return
	}
	for _, c := range changes {
		at := slices.Index(r.computing, c.Identity)
		switch {
		case c.Stored && forming:
			r.computing = append(r.computing, c.Identity)
		case c.Stored:
			p.telling.to.Stored(p.now, r.index, p.telling.names[c.Identity], policy.GPUMemory)
		case at >= 0:
			r.computing = slices.Delete(r.computing, at, at+1)
		default:
			p.telling.to.Removed(p.now, r.index, p.telling.names[c.Identity], policy.GPUMemory)
		}
	}
}

func (p *plain) tellAll() {
	for _, r := range p.replicas {
		p.tell(r, false)
	}
}

// tellComputed tells of what the step has computed that ends.
func (p *plain) tellComputed(r *plainReplica) {
	p.tell(r, false)
	for _, identity := range r.computing {
		p.telling.to.Stored(p.now, r.index, p.telling.names[identity], policy.GPUMemory)
	}
	r.computing = nil
}

// tellCleared tells of a replica that is about to lose its cache.
func (p *plain) tellCleared(r *plainReplica) {
	p.tell(r, false)
	r.computing = nil
	if p.telling.to != nil {
		p.telling.to.Cleared(p.now, r.index)
	}
}

// tellTier tells of a block that is in a tier, or no longer, of all who have it.
func (p *plain) tellTier(t *plainTier, identity uint64, stored bool) {
	if p.telling.to == nil {
		return
	}
	tell := p.telling.to.Removed
	if stored {
		tell = p.telling.to.Stored
	}
	kind := map[simulator.TierKind]policy.CacheTier{simulator.CPUTier: policy.CPUMemory, simulator.StorageTier: policy.Storage}[t.Kind]
	for _, r := range p.replicas {
		if slices.Contains(r.tiers, t) {
			tell(p.now, r.index, p.telling.names[identity], kind)
		}
	}
}
