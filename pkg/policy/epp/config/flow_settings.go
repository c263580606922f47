// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/epp/document"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// FlowSettings is what the section flowControl comes to.
type FlowSettings struct {
	// MaxRequests and maxBytes bound what waits in all bands; 0 is no bound.
	MaxRequests, MaxBytes int64
	// TTL is how long requests may wait while there are endpoints, EmptyTTL while there are
	// none; 0 is no limit.
	TTL, EmptyTTL time.Duration
	Bands         []BandSettings
	// Positive and negative are bands for priorities that are not listed.
	Positive, Negative BandSettings
	// Limit is the name of a plugin.
	Limit  string
	Evicts bool
}

// BandSettings are those of a priority band, with all defaults.
type BandSettings struct {
	Priority              int
	MaxRequests, MaxBytes int64
	// TTL is how long its requests may wait while there are endpoints; nil is as long as in all bands.
	TTL *time.Duration
	// Fairness and ordering are names of plugins.
	Fairness, Ordering string
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

// NewFlowSettings returns the settings of a section with the defaults of a release.
func NewFlowSettings(section *FlowControl, of version.Release) FlowSettings {
	f := FlowSettings{
		MaxRequests: section.MaxRequests.Value(),
		MaxBytes:    section.MaxBytes.Value(),
		Limit:       cmp.Or(section.UsageLimitPolicyPluginRef, StaticUsageLimitPolicyType),
		Evicts:      section.EnableEviction,
	}
	if of >= version.Router10 {
		f.TTL = defaultTTL
	}
	if section.DefaultRequestTTL != nil {
		f.TTL = time.Duration(*section.DefaultRequestTTL)
	}
	f.EmptyTTL = f.TTL
	if section.NoEndpointRequestTTL != nil {
		f.EmptyTTL = time.Duration(*section.NoEndpointRequestTTL)
	}
	f.Positive = newBandSettings(section.DefaultPriorityBand, of)
	f.Negative = f.Positive
	if section.DefaultNegativePriorityBand != nil {
		f.Negative = newBandSettings(section.DefaultNegativePriorityBand, of)
	}
	for i := range section.PriorityBands {
		f.Bands = append(f.Bands, newBandSettings(&section.PriorityBands[i], of))
	}
	return f
}

func newBandSettings(band *priorityBand, of version.Release) BandSettings {
	if band == nil {
		band = &priorityBand{}
	}
	b := BandSettings{
		Priority:    band.Priority,
		MaxRequests: band.MaxRequests.Value(),
		MaxBytes:    band.MaxBytes.Value(),
		TTL:         (*time.Duration)(band.DefaultRequestTTL),
		Fairness:    cmp.Or(band.FairnessPolicyRef, GlobalStrictFairnessPolicyType),
		Ordering:    cmp.Or(band.OrderingPolicyRef, FCFSOrderingPolicyType),
	}
	if b.MaxBytes == 0 {
		b.MaxBytes = defaultBandBytes
	}
	if b.MaxRequests == 0 && of >= version.Router10 {
		b.MaxRequests = defaultBandRequests
	}
	return b
}

// Of returns the settings of a priority's band.
func (f *FlowSettings) Of(priority int) BandSettings {
	for _, b := range f.Bands {
		if b.Priority == priority {
			return b
		}
	}
	b := f.Positive
	if priority < 0 {
		b = f.Negative
	}
	b.Priority = priority
	return b
}

// TTLOf is how long requests of a band may wait while there are endpoints; 0 is without limit.
func (f *FlowSettings) TTLOf(band BandSettings) time.Duration {
	if band.TTL != nil {
		return *band.TTL
	}
	return f.TTL
}

// spellOut writes the defaults of a release into the section.
func (f *FlowControl) spellOut(of version.Release) {
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
	settings := NewFlowSettings(f, of)
	if of < version.GIE15 && f.MaxBytes != nil {
		f.WholeMaxBytes = &settings.MaxBytes
	}
	if of >= version.GIE15 {
		f.UsageLimitPolicyPluginRef = settings.Limit
	}
	if settings.TTL > 0 || f.DefaultRequestTTL != nil {
		f.DefaultRequestTTL = (*document.Duration)(&settings.TTL)
	}
	if of >= version.RouterMain {
		f.NoEndpointRequestTTL = (*document.Duration)(&settings.EmptyTTL)
	}
}

func (b *priorityBand) spellOut(of version.Release) {
	settings := newBandSettings(b, of)
	b.FairnessPolicyRef, b.OrderingPolicyRef = settings.Fairness, settings.Ordering
	b.MaxBytes = document.QuantityOf(settings.MaxBytes)
	if of < version.GIE15 {
		b.WholeMaxBytes = &settings.MaxBytes
	}
	if settings.MaxRequests > 0 {
		b.MaxRequests = document.QuantityOf(settings.MaxRequests)
	}
}

// Uses reports whether a policy of that name may ever be asked.
func (f *FlowSettings) Uses(name string) bool {
	for _, band := range append([]BandSettings{f.Positive, f.Negative}, f.Bands...) {
		if name == band.Fairness || name == band.Ordering {
			return true
		}
	}
	return name == f.Limit
}
