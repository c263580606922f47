// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
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

func quantityOf(n int64) *quantity {
	q := quantity(strconv.FormatInt(n, 10))
	return &q
}

// value is the quantity as a whole number, rounded up; 0 where there is none.
func (q *quantity) value() int64 {
	if q == nil {
		return 0
	}
	number, suffix := string(*q), ""
	if at := strings.IndexAny(number, "numkKMGTPEe"); at >= 0 {
		number, suffix = number[:at], number[at:]
	}
	r, ok := new(big.Rat).SetString(strings.TrimSuffix(number, ".") + exponentOf(suffix))
	if !ok {
		return 0
	}
	if power, binary := binaryPowers[suffix]; binary {
		r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), power)))
	}
	up := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	v := up.Div(up, r.Denom())
	if !v.IsInt64() {
		return math.MaxInt64
	}
	return v.Int64()
}

var binaryPowers = map[string]uint{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

// exponentOf writes a decimal suffix as a power of ten.
func exponentOf(suffix string) string {
	powers := map[string]string{
		"n": "e-9", "u": "e-6", "m": "e-3", "k": "e3", "M": "e6", "G": "e9", "T": "e12", "P": "e15", "E": "e18",
	}
	if power, ok := powers[suffix]; ok {
		return power
	}
	if _, binary := binaryPowers[suffix]; binary {
		return ""
	}
	return suffix
}
