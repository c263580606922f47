// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// newFlowController makes the flow control of a scheduler, whose detector is
// there already.
func newFlowController(b *scheduler.Builder, s *scheduler.Scheduler, settings config.FlowSettings, of version.Release) *flowController {
	f := &flowController{
		ticks:             ticksOf(1),
		schedule:          s.Schedule,
		look:              s.Look,
		detector:          s.Detector,
		saturation:        newPoolSaturation(b, s.Detector, of),
		rules:             rulesOf(of),
		settings:          settings,
		limit:             usageLimitOf(b, settings.Limit),
		flowOf:            newFlowNumbers(b),
		bytesPerToken:     4,
		endpoints:         b.Endpoints,
		allScrapesChanged: true,
	}
	if b.BytesPerToken > 0 {
		f.bytesPerToken = b.BytesPerToken
	}
	if settings.Evicts {
		f.eviction = newFlowEviction(evictionGrace(b.Plugins[b.Document.FlowControl.SaturationDetector.PluginRef], b.ScrapeInterval))
		b.Connect(f.eviction)
	}
	f.newBand = func(priority int) *flowBand {
		band, own := settings.Of(priority), settings
		own.TTL = settings.TTLOf(band)
		return &flowBand{
			priority: priority, maxRequests: band.MaxRequests, maxBytes: band.MaxBytes,
			fairness: fairnessOf(b, band.Fairness), ordering: orderingOf(b, band.Ordering, &own),
		}
	}
	// What listeners learn of requests exists from the start.
	fairnessOf(b, settings.Positive.Fairness)
	fairnessOf(b, settings.Negative.Fairness)
	for _, priority := range append([]int{0}, b.Priorities...) {
		f.band(priority)
	}
	for _, band := range settings.Bands {
		f.band(band.Priority)
	}
	return f
}

// fairnessOf makes the policy of that name for a band. All bands share the policies that keep
// data of requests.
func fairnessOf(b *scheduler.Builder, name string) fairness {
	p := b.Plugins[name]
	if p == nil {
		// Versions without such plugins do as their default does.
		return globalStrictFairness{}
	}
	return flowFactoryOf(p).newFairness(b, p)
}

func orderingOf(b *scheduler.Builder, name string, s *config.FlowSettings) ordering {
	p := b.Plugins[name]
	if p == nil {
		return firstComeOrdering{}
	}
	return flowFactoryOf(p).newOrdering(p, s)
}

func usageLimitOf(b *scheduler.Builder, name string) usageLimit {
	p := b.Plugins[name]
	if p == nil {
		return staticUsageLimit{threshold: 1}
	}
	return flowFactoryOf(p).newLimit(p)
}

// tenantOrder numbers tenants in order of their names, which flows are in; as
// they are numbered where the names are not known.
func tenantOrder(b *scheduler.Builder) func(tenant int) int {
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

// Off says why a policy has no effect.
const Off = "flow control is off"

// treatFlowControl is for plugins that have a say with flow control, where they
// are named.
func treatFlowControl(how config.Treatment, note string) config.TreatmentFunc {
	return func(c *config.Config, _ *config.Cluster, p *config.Plugin) (config.Treatment, string) {
		settings := c.FlowSettings()
		switch {
		case !c.FlowControlled():
			return config.NoEffect, Off
		case !settings.Uses(p.Name):
			return config.NoEffect, "neither a priority band nor the section flowControl names it"
		default:
			return how, note
		}
	}
}

// New makes the flow control that a configuration asks for.
func New(b *scheduler.Builder, s *scheduler.Scheduler, c *config.Config) scheduler.RequestQueue {
	return newFlowController(b, s, c.FlowSettings(), c.Dialect.Framework)
}
