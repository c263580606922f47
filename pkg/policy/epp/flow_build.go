// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"slices"
	"time"
)

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
	f.newBand = func(priority int) *flowBand {
		band := settings.of(priority)
		return &flowBand{
			priority: priority, maxRequests: band.maxRequests, maxBytes: band.maxBytes,
			fairness: b.fairness(band.fairness), ordering: b.ordering(band.ordering, settings.ttl),
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
	switch p := b.plugins[name]; p.Type {
	case globalStrictFairnessPolicyType:
		return globalStrictFairness{}
	case roundRobinFairnessPolicyType:
		return &roundRobinFairness{last: none}
	case programAwareFairnessType:
		return shared(b, p, func() *programAwareFair {
			a := newProgramAware(b, p)
			b.connect(a)
			return a
		})
	default:
		panic(fmt.Sprintf("epp: %s is no fairness policy", p.Type))
	}
}

func (b *builder) ordering(name string, ttl time.Duration) ordering {
	switch p := b.plugins[name]; p.Type {
	case fcfsOrderingPolicyType:
		return firstComeOrdering{}
	case edfOrderingPolicyType:
		return earliestDeadlineOrdering{ttl}
	case sloDeadlineOrderingPolicyType:
		return statedDeadlineOrdering{}
	default:
		panic(fmt.Sprintf("epp: %s is no ordering policy", p.Type))
	}
}

// usageLimit makes the policy of that name. Versions without such policies have
// one ceiling of 1.
func (b *builder) usageLimit(name string) usageLimit {
	p := b.plugins[name]
	if p == nil {
		return staticUsageLimit{threshold: 1}
	}
	switch parameters := p.Parameters.(type) {
	case *staticUsageLimitParameters:
		return staticUsageLimit{parameters.Threshold}
	case *holdbackParameters:
		return newPriorityHoldback(parameters)
	default:
		return &softReflectiveLimit{}
	}
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
