// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Row writes the decision into a row, whose lists are used again.
func (d *RoutingRecord) Row(object string, to *result.DecisionRow) {
	*to = result.DecisionRow{
		Object: object, Seed: d.Seed, Request: int64(d.Request.ID), AtSeconds: d.AtSeconds, ArrivalSeconds: d.Request.ArrivalSeconds,
		Model: d.Model, Tenant: d.Tenant, Class: d.Class, PromptTokens: int64(d.Request.PromptTokens),
		Priority: int64(d.Request.Priority), Session: int64(d.Request.Session), EPP: int32(d.EPP),
		Endpoint: d.nameOf(d.Endpoint), Prefill: d.nameOf(d.Prefill), Rejected: d.Rejected, Error: d.Error,
		Endpoints: to.Endpoints[:0], Prefixes: to.Prefixes[:0], InFlight: to.InFlight[:0], Profiles: to.Profiles[:0],
	}
	if a := d.Request.Adapter; a > 0 {
		to.Adapter = d.AdapterNames[a-1]
	}
	for e := range d.Endpoints {
		s := &d.Endpoints[e]
		to.Endpoints = append(to.Endpoints, result.DecisionEndpoint{
			Down: s.Down, Waiting: int32(s.Waiting), Running: int32(s.Running),
			KVUsage: float64(s.KVUsage), ScrapeAgeSeconds: s.ScrapeAgeSeconds,
		})
	}
	for i := range d.Prefixes {
		p, row := &d.Prefixes[i], extend(&to.Prefixes)
		*row = result.DecisionPrefix{Name: p.Name, BlockTokens: int32(p.BlockTokens), TotalBlocks: int32(p.TotalBlocks), Blocks: wholes(row.Blocks, p.Blocks)}
	}
	for i := range d.InFlight {
		row := extend(&to.InFlight)
		*row = result.DecisionInFlight{Name: d.InFlight[i].Name, Requests: append(row.Requests[:0], d.InFlight[i].Requests...)}
	}
	for i := range d.Profiles {
		profileRow(&d.Profiles[i], extend(&to.Profiles))
	}
	if d.Outcome != nil {
		d.Outcome.row(&to.DecisionEnd)
	}
}

func (d *RoutingRecord) nameOf(endpoint *int) *string {
	if endpoint == nil {
		return nil
	}
	return &d.Names[*endpoint]
}

func profileRow(p *scheduler.ProfileRun, row *result.DecisionProfile) {
	*row = result.DecisionProfile{
		Profile: p.Profile, Candidates: wholes(row.Candidates, p.Candidates), Scores: floats(row.Scores, p.Scores),
		Scorers: row.Scorers[:0], Tied: int32(p.Tied), ByChance: p.ByChance,
	}
	for i := range p.Scorers {
		s, to := &p.Scorers[i], extend(&row.Scorers)
		*to = result.DecisionScorer{Name: s.Name, Weight: float64(s.Weight), Raw: floats(to.Raw, s.Raw)}
	}
	if p.Chosen != nil {
		row.Chosen = new(int64(*p.Chosen))
	}
}

func (o *RoutingResult) row(to *result.DecisionEnd) {
	*to = result.DecisionEnd{
		Ended: o.Ended, TTFTSeconds: o.TTFTSeconds, TPOTSeconds: o.TPOTSeconds, E2ESeconds: o.E2ESeconds,
		OutputTokens: whole(o.OutputTokens), ExpectedTokens: whole(o.ExpectedTokens), CacheHit: o.CacheHit, CacheTier: o.CacheTier,
		GPUTokens: int64(o.GPUTokens), CPUTokens: int64(o.CPUTokens), StorageTokens: int64(o.StorageTokens), RemoteTokens: int64(o.RemoteTokens),
	}
}

// extend makes a list one longer and returns the last value, which has what it had before
// the list was cut.
func extend[T any](list *[]T) *T {
	if n := len(*list); n < cap(*list) {
		*list = (*list)[:n+1]
	} else {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[len(*list)-1]
}

func wholes(to []int64, from []int) []int64 {
	to = to[:0]
	for _, n := range from {
		to = append(to, int64(n))
	}
	return to
}

func floats(to []float64, from []scheduler.Number) []float64 {
	to = to[:0]
	for _, x := range from {
		to = append(to, float64(x))
	}
	return to
}

func whole(n *int) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}
