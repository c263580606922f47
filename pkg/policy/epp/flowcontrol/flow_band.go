// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"cmp"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// A flowBand holds the flows of one priority.
type flowBand struct {
	priority int
	// maxRequests and maxBytes bound what waits; 0 is no bound.
	maxRequests, maxBytes int64
	requests, bytes       int64
	// ttl is how long requests may wait while there are endpoints; 0 is without limit.
	ttl time.Duration
	// flows are by tenant, those included that are empty for the time being.
	flows    []*flow
	fairness fairness
	ordering ordering
}

func (b *flowBand) count(i *flowItem, n int64) {
	b.requests += n
	b.bytes += n * i.bytes
}

// flow returns the flow of a tenant, and creates it if needed.
func (b *flowBand) flow(tenant int, now simtime.Time) *flow {
	at, ok := slices.BinarySearchFunc(b.flows, tenant, func(f *flow, tenant int) int { return cmp.Compare(f.tenant, tenant) })
	if !ok {
		b.flows = slices.Insert(b.flows, at, &flow{tenant: tenant, band: b, idle: now})
	}
	return b.flows[at]
}

// forget drops the flows that have been empty since a time or longer.
func (b *flowBand) forget(since simtime.Time) {
	b.flows = slices.DeleteFunc(b.flows, func(f *flow) bool { return len(f.items) == 0 && f.idle <= since })
}

// hasRoom reports whether one more request fits.
func (b *flowBand) hasRoom(bytes int64) bool {
	return fits(b.requests+1, b.maxRequests) && fits(b.bytes+bytes, b.maxBytes)
}

// fits reports whether a total is within a bound, of which 0 is none.
func fits(total, bound int64) bool { return bound == 0 || total <= bound }

// An ordering says who of a flow goes first.
type ordering interface {
	// rank is by when the request should go: the least one goes first, and of
	// equal ones the one that came first.
	rank(i *flowItem) simtime.Time
}

// A fairness says which flow of a band goes next. It keeps what it needs to know
// of that band.
type fairness interface {
	// Pick returns one that is not empty, or nil where all are. It is called
	// whenever it is the band's turn.
	Pick(now simtime.Time, flows []*flow) *flow
}

// An idleObserver is a fairness policy whose state depends on the number of picks while no
// request waits.
type idleObserver interface {
	observeIdlePicks(now simtime.Time, flows []*flow, picks int64)
}

// A usageLimit says from which saturation on requests wait.
type usageLimit interface {
	// limit writes the ceiling of each priority, the highest of which comes
	// first. It is called once a cycle.
	limit(saturation float64, priorities []int, ceilings []float64)
}
