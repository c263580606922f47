// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

// newFlowController makes the flow control of a scheduler, whose detector is
// there already.
func newFlowController(b *builder, s *Scheduler, settings flowSettings, of release) *flowController {
	f := &flowController{
		schedule:      s.schedule,
		look:          s.look,
		detector:      s.detector,
		saturation:    newPoolSaturation(b, s.detector, of),
		rules:         rulesOf(of),
		settings:      settings,
		limit:         b.usageLimit(settings.limit),
		byName:        b.tenantOrder(),
		bytesPerToken: 4,
		endpoints:     b.Endpoints,
		allUnseen:     true,
	}
	if b.BytesPerToken > 0 {
		f.bytesPerToken = b.BytesPerToken
	}
	if settings.evicts {
		f.eviction = newFlowEviction()
		b.connect(f.eviction)
	}
	f.newBand = func(priority int) *flowBand {
		band := settings.of(priority)
		return &flowBand{
			priority: priority, maxRequests: band.maxRequests, maxBytes: band.maxBytes,
			fairness: b.fairness(band.fairness), ordering: b.ordering(band.ordering, &settings),
		}
	}
	// What is told of requests is there from the start.
	b.fairness(settings.positive.fairness)
	b.fairness(settings.negative.fairness)
	for _, priority := range append([]int{0}, b.Priorities...) {
		f.band(priority)
	}
	for _, band := range settings.bands {
		f.band(band.priority)
	}
	return f
}

// fairness makes the policy of that name for a band; what remembers requests is
// the same for all bands.
func (b *builder) fairness(name string) fairness {
	p := b.plugins[name]
	if p == nil {
		// Versions without such plugins do as their default does.
		return globalStrictFairness{}
	}
	return p.kind.newFairness(b, p)
}

func (b *builder) ordering(name string, s *flowSettings) ordering {
	p := b.plugins[name]
	if p == nil {
		return firstComeOrdering{}
	}
	return p.kind.newOrdering(p, s)
}

func (b *builder) usageLimit(name string) usageLimit {
	p := b.plugins[name]
	if p == nil {
		return staticUsageLimit{threshold: 1}
	}
	return p.kind.newLimit(p)
}

// tenantOrder numbers tenants in order of their names, which flows are in; as
// they are numbered where the names are not known.
func (b *builder) tenantOrder() func(tenant int) int {
	if b.Tenants == nil {
		return func(tenant int) int { return tenant }
	}
	names := slices.Clone(b.Tenants)
	slices.Sort(names)
	order := make([]int, len(b.Tenants))
	for i, name := range b.Tenants {
		order[i], _ = slices.BinarySearch(names, name)
	}
	return func(tenant int) int { return order[tenant] }
}

const flowControlOff = "flow control is off"

// treatFlowControl is for plugins that have a say with flow control, where they
// are named.
func treatFlowControl(how Treatment, note string) treatment {
	return func(c *Config, _ *Cluster, p *plugin) (Treatment, string) {
		settings := c.flowSettings()
		switch {
		case !c.flowControlled():
			return NoEffect, flowControlOff
		case !settings.uses(p.Name):
			return NoEffect, "neither a priority band nor the section flowControl names it"
		default:
			return how, note
		}
	}
}

// flowSettings is what the section flowControl comes to.
func (c *Config) flowSettings() flowSettings {
	return newFlowSettings(&c.document.FlowControl, c.dialect.framework)
}

// uses reports whether a policy of that name may ever be asked.
func (f *flowSettings) uses(name string) bool {
	for _, band := range append([]bandSettings{f.positive, f.negative}, f.bands...) {
		if name == band.fairness || name == band.ordering {
			return true
		}
	}
	return name == f.limit
}
