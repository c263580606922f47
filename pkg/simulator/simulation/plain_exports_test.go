// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/request"
)

// plainExports is all that an engine has done since it started, one entry each.
type plainExports struct {
	lookups        []plainLookup
	waits, gaps    []time.Duration // for first tokens, and between tokens
	stored, loaded []plainMoved
	finished       []plainFinished
}

// plainFinished are the tokens of a request that the engine has finished.
type plainFinished struct{ prompt, answer int32 }

// plainLookup is a request that got blocks for the first time.
type plainLookup struct {
	at                       simtime.Time
	prompt, cached, external int32
}

// plainMoved is blocks that came to a tier, or went from it.
type plainMoved struct {
	tier   simulator.TierKind
	blocks int
}

func (x *plainExports) noteAdmission(now simtime.Time, q *plainRequest, cached, external int32) {
	if !q.exported {
		q.exported = true
		x.lookups = append(x.lookups, plainLookup{now, q.Prompt, cached, external})
	}
}

// noteToken notes the token that a request is being given.
func (x *plainExports) noteToken(now simtime.Time, q *plainRequest) {
	if q.LastToken == request.Unset || q.moved {
		x.waits = append(x.waits, now.Sub(q.Entered))
		return
	}
	x.gaps = append(x.gaps, now.Sub(q.LastToken))
}

// showEngines lets the router see engines that have done nothing, if it asks for that.
func (p *plain) showEngines() {
	if p.Policies.Routing.Engines {
		p.view.Engines = make([]policy.Engine, len(p.replicas))
	}
}

// scrapeEngine shows the router what an engine has done.
func (p *plain) scrapeEngine(r *plainReplica) {
	if p.view.Engines != nil {
		p.view.Engines[r.index] = p.exported(r, p.view.Scrapes[r.index])
	}
}

// exported adds up what an engine has done.
func (p *plain) exported(r *plainReplica, scrape policy.Scrape) policy.Engine {
	var e policy.Engine
	for _, l := range r.lookups {
		e.PrefixCacheQueries += int64(l.prompt)
		e.PrefixCacheHits += int64(l.cached)
		e.ExternalPrefixCacheHits += int64(l.external)
	}
	for _, d := range r.waits {
		e.TimeToFirstToken.Sum += d
		e.TimeToFirstToken.Count++
	}
	for _, d := range r.gaps {
		e.InterTokenLatency.Sum += d
		e.InterTokenLatency.Count++
	}
	names := map[simulator.TierKind]policy.CacheTier{simulator.CPUTier: policy.CPUMemory, simulator.StorageTier: policy.Storage}
	for _, m := range r.stored {
		e.StoredBytes[names[m.tier]] += int64(m.blocks) * r.BlockBytes
	}
	for _, m := range r.loaded {
		e.LoadedBytes[names[m.tier]] += int64(m.blocks) * r.BlockBytes
	}
	e.KVUsage[policy.GPUMemory] = scrape.KVUsage
	for _, t := range r.tiers {
		e.KVUsage[names[t.Kind]] = float64(len(t.blocks)) / float64(t.Blocks)
	}
	if last := r.lookups[max(0, len(r.lookups)-16):]; len(last) > 0 {
		e.EstimatedWait = time.Duration(scrape.Waiting) * scrape.At.Sub(last[0].at) / time.Duration(len(last))
	}
	return e
}
