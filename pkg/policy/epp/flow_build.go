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
		limit:         usageLimitOf(b, settings.limit),
		byName:        tenantOrder(b),
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
			fairness: fairnessOf(b, band.fairness), ordering: orderingOf(b, band.ordering, &settings),
		}
	}
	// What is told of requests is there from the start.
	fairnessOf(b, settings.positive.fairness)
	fairnessOf(b, settings.negative.fairness)
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
func fairnessOf(b *builder, name string) fairness {
	p := b.plugins[name]
	if p == nil {
		// Versions without such plugins do as their default does.
		return globalStrictFairness{}
	}
	return flowFactoryOf(p).newFairness(b, p)
}

func orderingOf(b *builder, name string, s *flowSettings) ordering {
	p := b.plugins[name]
	if p == nil {
		return firstComeOrdering{}
	}
	return flowFactoryOf(p).newOrdering(p, s)
}

func usageLimitOf(b *builder, name string) usageLimit {
	p := b.plugins[name]
	if p == nil {
		return staticUsageLimit{threshold: 1}
	}
	return flowFactoryOf(p).newLimit(p)
}

// tenantOrder numbers tenants in order of their names, which flows are in; as
// they are numbered where the names are not known.
func tenantOrder(b *builder) func(tenant int) int {
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
func treatFlowControl(how Treatment, note string) treatmentFunc {
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

// newRequestQueue makes the flow control that a configuration asks for.
func newRequestQueue(b *builder, s *Scheduler, c *Config) requestQueue {
	return newFlowController(b, s, c.flowSettings(), c.dialect.framework)
}
