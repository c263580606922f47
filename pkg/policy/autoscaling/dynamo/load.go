// SPDX-License-Identifier: Apache-2.0

package dynamo

// bounds are thresholds of a load. A load at a threshold counts as beyond it with up or down.
type bounds struct {
	more, fewer       float64
	upAtIt, fewerAtIt bool
}

// byThresholds goes by the load of engines, and notes the greatest one. It returns 1 for one replica more, and
// -1 for one fewer.
func (p *Planner) byThresholds(k int, engines []Engine, ready int) int {
	m, all := &p.models[k], true
	b := p.bounds(m)
	for i := range engines {
		q, s := &engines[i].Queued, &engines[i].Scheduled
		load := float64(q.PrefillTokens)
		switch {
		case m.generates && m.computes:
			load = float64(s.DecodeTokens+q.DecodeTokens+q.PrefillTokens) / float64(m.KVTokens)
		case m.generates:
			load = float64(s.DecodeTokens+q.DecodeTokens) / float64(m.KVTokens)
		case p.config.Target != Load:
			load /= float64(m.ContextTokens)
		}
		p.said.Load[k] = max(p.said.Load[k], load)
		all = all && (load < b.fewer || b.fewerAtIt && load == b.fewer)
	}
	switch most := p.said.Load[k]; {
	case most > b.more || b.upAtIt && most == b.more:
		return 1
	case ready > 1 && all:
		return -1
	}
	return 0
}

// bounds are the thresholds of a role.
func (p *Planner) bounds(m *model) bounds {
	c := &p.config
	switch {
	case c.Target == Load && m.generates:
		return bounds{c.DecodeUp / 100, c.DecodeDown / 100, true, true}
	case c.Target == Load:
		return bounds{float64(c.PrefillUp), float64(c.PrefillDown), true, true}
	case c.Target == Latency && m.generates:
		return bounds{more: 0.4, fewer: 0.1}
	case c.Target == Latency:
		return bounds{0.1, 0, true, true}
	case m.generates:
		return bounds{more: 1, fewer: 0.6}
	default:
		return bounds{more: 1, fewer: 0.1, upAtIt: true}
	}
}

// byLatencies goes by the latencies of the next request: one replica more where all engines are late, and
// one fewer where all would be early without one.
func (p *Planner) byLatencies(k int, engines []Engine, ready int) int {
	m := &p.models[k]
	if !m.generates {
		return p.byFirstTokens(k, engines, ready)
	}
	if !m.computes {
		return p.byNextTokens(k, engines, ready)
	}
	first, next := p.byFirstTokens(k, engines, ready), p.byNextTokens(k, engines, ready)
	return max(first, next)
}

// spread is by how much the load of each of some replicas grows if one is gone.
func spread(ready int) float64 { return float64(ready) / float64(max(1, ready-1)) }

func (p *Planner) byFirstTokens(k int, engines []Engine, ready int) int {
	m, late, early, grown := &p.models[k], true, ready > 1, spread(ready)
	decodes := 0.0
	if m.generates {
		decodes = grown
	}
	for i := range engines {
		e := &engines[i]
		ttft := m.firstToken(e, p.hits, 1, 0) * 1000
		p.said.TTFT, late = max(p.said.TTFT, ttft), late && ttft > p.config.TTFT
		own := float64(m.firstToken(e, p.hits, 0, decodes) * 1000)
		room := float64((p.config.TTFT - own) * float64(p.config.Sensitivity/100))
		early = early && room > 0 && float64(m.firstToken(e, p.hits, grown, decodes)*1000)-own < room
	}
	return changed(late, early)
}

func (p *Planner) byNextTokens(k int, engines []Engine, ready int) int {
	m, late, early, grown := &p.models[k], true, ready > 1, spread(ready)
	for i := range engines {
		e := &engines[i]
		itl := float64(m.nextToken(e, 1, false)*1000) / p.accepted
		p.said.ITL, late = max(p.said.ITL, itl), late && itl > p.config.ITL
		held := e.Scheduled.DecodeTokens + e.Queued.DecodeTokens
		if m.computes {
			held += e.Queued.PrefillTokens
		}
		early = early && int(float64(float64(held)*grown)) < m.KVTokens &&
			float64(m.nextToken(e, grown, m.computes)*1000)/p.accepted < float64(p.config.ITL*float64(p.config.Sensitivity/100))
	}
	return changed(late, early)
}

func changed(late, early bool) int {
	switch {
	case late:
		return 1
	case early:
		return -1
	}
	return 0
}
