// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"time"
)

// flowSettings is what the section flowControl comes to.
type flowSettings struct {
	// maxRequests and maxBytes bound what waits in all bands; 0 is no bound.
	maxRequests, maxBytes int64
	// ttl is how long requests may wait while there are endpoints, emptyTTL while
	// there are none; 0 is for ever.
	ttl, emptyTTL time.Duration
	bands         []bandSettings
	// positive and negative are bands for priorities that are not listed.
	positive, negative bandSettings
	// limit is the name of a plugin.
	limit  string
	evicts bool
}

type bandSettings struct {
	priority              int
	maxRequests, maxBytes int64
	// fairness and ordering are names of plugins.
	fairness, ordering string
}

// defaultTTL is since router-v0.10; before, requests wait as long as the client
// does.
const defaultTTL = 60 * time.Second

// A band holds 10⁹ bytes unless it says otherwise, and since router-v0.10 5000
// requests.
const (
	defaultBandBytes    = 1_000_000_000
	defaultBandRequests = 5000
)

func newFlowSettings(section *flowControl, of release) flowSettings {
	f := flowSettings{
		maxRequests: section.MaxRequests.value(),
		maxBytes:    section.MaxBytes.value(),
		limit:       cmp.Or(section.UsageLimitPolicyPluginRef, staticUsageLimitPolicyType),
		evicts:      section.EnableEviction,
	}
	if of >= router10 {
		f.ttl = defaultTTL
	}
	if section.DefaultRequestTTL != nil {
		f.ttl = time.Duration(*section.DefaultRequestTTL)
	}
	f.emptyTTL = f.ttl
	if section.NoEndpointRequestTTL != nil {
		f.emptyTTL = time.Duration(*section.NoEndpointRequestTTL)
	}
	f.positive = newBandSettings(section.DefaultPriorityBand, of)
	f.negative = f.positive
	if section.DefaultNegativePriorityBand != nil {
		f.negative = newBandSettings(section.DefaultNegativePriorityBand, of)
	}
	for i := range section.PriorityBands {
		f.bands = append(f.bands, newBandSettings(&section.PriorityBands[i], of))
	}
	return f
}

func newBandSettings(band *priorityBand, of release) bandSettings {
	if band == nil {
		band = &priorityBand{}
	}
	b := bandSettings{
		priority:    band.Priority,
		maxRequests: band.MaxRequests.value(),
		maxBytes:    band.MaxBytes.value(),
		fairness:    cmp.Or(band.FairnessPolicyRef, globalStrictFairnessPolicyType),
		ordering:    cmp.Or(band.OrderingPolicyRef, fcfsOrderingPolicyType),
	}
	if b.maxBytes == 0 {
		b.maxBytes = defaultBandBytes
	}
	if b.maxRequests == 0 && of >= router10 {
		b.maxRequests = defaultBandRequests
	}
	return b
}

// of returns the settings of a priority's band.
func (f *flowSettings) of(priority int) bandSettings {
	for _, b := range f.bands {
		if b.priority == priority {
			return b
		}
	}
	b := f.positive
	if priority < 0 {
		b = f.negative
	}
	b.priority = priority
	return b
}

// spellOut writes the defaults of a release into the section.
func (f *flowControl) spellOut(of release) {
	if f.DefaultPriorityBand == nil {
		f.DefaultPriorityBand = &priorityBand{}
	}
	f.DefaultPriorityBand.spellOut(of)
	if f.DefaultNegativePriorityBand != nil {
		f.DefaultNegativePriorityBand.spellOut(of)
	}
	for i := range f.PriorityBands {
		f.PriorityBands[i].spellOut(of)
	}
	settings := newFlowSettings(f, of)
	if of < gie15 && f.MaxBytes != nil {
		f.WholeMaxBytes = &settings.maxBytes
	}
	if of >= gie15 {
		f.UsageLimitPolicyPluginRef = settings.limit
	}
	if settings.ttl > 0 || f.DefaultRequestTTL != nil {
		f.DefaultRequestTTL = (*duration)(&settings.ttl)
	}
	if of >= routerMain {
		f.NoEndpointRequestTTL = (*duration)(&settings.emptyTTL)
	}
}

func (b *priorityBand) spellOut(of release) {
	settings := newBandSettings(b, of)
	b.FairnessPolicyRef, b.OrderingPolicyRef = settings.fairness, settings.ordering
	b.MaxBytes = quantityOf(settings.maxBytes)
	if of < gie15 {
		b.WholeMaxBytes = &settings.maxBytes
	}
	if settings.maxRequests > 0 {
		b.MaxRequests = quantityOf(settings.maxRequests)
	}
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
