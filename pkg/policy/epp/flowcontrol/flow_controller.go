// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

const (
	// dispatchInterval is how often the EPP looks for a request to dispatch, in addition to
	// whenever one comes.
	dispatchInterval = simtime.Time(time.Millisecond)
	// sweepInterval is how often it takes those out that were given up.
	sweepInterval = simtime.Time(time.Second)
	// flowTimeout is how long an empty flow is remembered, and how often the EPP
	// looks for such.
	flowTimeout = simtime.Time(5 * time.Minute)
)

// flowTicks are the intervals of a flowController.
type flowTicks struct{ dispatch, sweep, forget simtime.Time }

// ticksOf are those of an EPP for which a second takes speed seconds of the simulation.
func ticksOf(speed float64) flowTicks {
	of := func(t simtime.Time) simtime.Time { return max(1, simtime.Time(float64(t)*speed)) }
	return flowTicks{of(dispatchInterval), of(sweepInterval), of(flowTimeout)}
}

// A flowController is the EPP's flow control: requests wait in the flows of
// bands, which have caps, and leave by cycles. A cycle goes through the bands from
// the highest priority down. Where saturation has reached a band's ceiling it
// ends there, whoever waits in the bands below. Otherwise the band's fairness
// picks a flow, whose first request goes; where the band is empty it is the next
// one's turn. So one request a cycle goes at most. There is a cycle whenever a
// request comes, and each millisecond. Endpoints are chosen when a request goes.
//
// Its clock ticks from the start of the simulation. While no request waits, ticks are
// left out, as they do nothing but let policies begin again.
type flowController struct {
	schedule   func(*policy.View, *policy.Request) (policy.Route, error)
	look       func(*policy.View) *scheduler.Cycle
	detector   scheduler.SaturationDetector // by which the EPP sheds requests
	saturation *poolSaturation
	rules      flowRules
	settings   config.FlowSettings
	limit      usageLimit
	// newBand makes the band of a priority that none has asked for before, and
	// flowOf numbers flows.
	newBand func(priority int) *flowBand
	flowOf  flowNumbers
	ticks   flowTicks
	// bytesPerToken says how large a prompt is.
	bytesPerToken float64

	// bands are from the highest priority down; requests and bytes are what waits
	// in all of them.
	bands           []*flowBand
	priorities      []int
	ceilings        []float64
	requests, bytes int64
	arrivals        uint64
	// held are the requests that wait, by their IDs.
	held map[int]*flowItem
	// byAge are those that wait, and some that do no longer, the oldest first;
	// over are those that were given up and have not been swept.
	byAge   []*flowItem
	expired []*flowItem
	// empty says that the last cycle found no endpoint, changed since when it is
	// so or not.
	empty   bool
	changed simtime.Time
	// ticksDone, sweepsDone and collectionsDone count the intervals until the last tick, sweep
	// and look for empty flows.
	ticksDone, sweepsDone, collectionsDone simtime.Time
	// cycles are those to come now, released those who leave.
	cycles   int
	released []policy.Released
	// eviction is nil if no request is ended in flight.
	eviction *flowEviction
	// onUnrouted is called for a request that reaches no profile; it may be nil.
	onUnrouted func(request *policy.Request, err error)
	// changedScrapes are scrapes that have changed since the last request went; all of
	// them may have where allScrapesChanged is true.
	changedScrapes    []int32
	allScrapesChanged bool
	endpoints         int
	// view is the last one that was shown to a request that went: here, so that none is allocated
	// for each.
	view policy.View
}

// flowRules are what differs between versions.
type flowRules struct {
	// shedsNegativeFirst: requests of negative priority do not wait, as without flow
	// control.
	shedsNegativeFirst bool
	// onlyPriorityZero: there is a band of priority 0, and no other.
	onlyPriorityZero bool
	// picksBeforeSaturation: a flow is picked, and has had its turn, before the cycle looks
	// at the saturation, whose ceiling is 1.
	picksBeforeSaturation bool
	// expiresAtSweeps: who has waited too long is given up at the next sweep, by the time
	// that there have been endpoints, or none; otherwise at once, and is then in
	// the way until the sweep.
	expiresAtSweeps bool
	// emptyBeforeCaps: a full queue is no matter of its caps where there are no
	// endpoints.
	emptyBeforeCaps bool
}

func rulesOf(of version.Release) flowRules {
	return flowRules{
		shedsNegativeFirst:    of < version.GIE13,
		onlyPriorityZero:      of < version.GIE13,
		picksBeforeSaturation: of < version.GIE15,
		expiresAtSweeps:       of >= version.RouterMain,
		emptyBeforeCaps:       of >= version.Router10,
	}
}

// Route takes a request in, or turns it away.
func (f *flowController) Route(view *policy.View, request *policy.Request) error {
	now := view.Now
	f.noteChanges(view)
	f.observeIdlePicks(view)
	f.cycles++
	c := f.look(view)
	if f.rules.shedsNegativeFirst && request.Priority < 0 && f.detector.Saturation(c) >= 1 {
		return policy.ErrShed
	}
	if f.rules.onlyPriorityZero && request.Priority != 0 {
		return policy.ErrNoEndpoint
	}
	item := &flowItem{request: *request, since: now, number: f.arrivals, bytes: int64(float64(request.Tokens) * f.bytesPerToken)}
	f.arrivals++
	band := f.band(request.Priority)
	if !f.hasRoom(band, item.bytes) {
		if f.rules.emptyBeforeCaps && f.empty {
			return policy.ErrNoEndpoint
		}
		return policy.ErrQueueFull
	}
	item.rank = band.ordering.rank(item)
	band.flow(f.flowOf(request.Tenant, request.Session), now).Add(item)
	f.requests++
	f.bytes += item.bytes
	f.byAge = append(f.byAge, item)
	if f.held == nil {
		f.held = map[int]*flowItem{}
	}
	f.held[request.ID] = item
	return policy.ErrHeld
}

// hasRoom reports whether one more request fits into a band and all of them.
func (f *flowController) hasRoom(band *flowBand, bytes int64) bool {
	return fits(f.requests+1, f.settings.MaxRequests) && fits(f.bytes+bytes, f.settings.MaxBytes) && band.hasRoom(bytes)
}

// band returns the band of a priority, and creates it if needed.
func (f *flowController) band(priority int) *flowBand {
	at, ok := slices.BinarySearchFunc(f.bands, priority, func(b *flowBand, p int) int { return cmp.Compare(p, b.priority) })
	if !ok {
		band := f.newBand(priority)
		band.ttl = f.settings.TTLOf(f.settings.Of(priority))
		f.bands = slices.Insert(f.bands, at, band)
		f.priorities = slices.Insert(f.priorities, at, priority)
		f.ceilings = append(f.ceilings, 0)
	}
	return f.bands[at]
}

// SetSpeed implements [scheduler.RequestQueue].
func (f *flowController) SetSpeed(speed float64) { f.ticks = ticksOf(speed) }

// Wake is when the next cycle is due or a request will have waited too long.
func (f *flowController) Wake(now simtime.Time) (simtime.Time, bool) {
	at := (now/f.ticks.dispatch + 1) * f.ticks.dispatch
	f.dropGone()
	if !f.rules.expiresAtSweeps && f.settings.TTL > 0 && len(f.byAge) > 0 {
		at = min(at, f.byAge[0].since.Add(f.settings.TTL))
	}
	return at, len(f.byAge) > 0
}

// Release lets one request go, if one may.
func (f *flowController) Release(view *policy.View) (policy.Released, bool) {
	f.noteChanges(view)
	for {
		if len(f.released) > 0 {
			first := f.released[0]
			f.released = f.released[1:]
			return first, true
		}
		switch {
		case f.isDue(&f.sweepsDone, f.ticks.sweep, view.Now):
			f.sweep(view.Now)
		case f.isDue(&f.ticksDone, f.ticks.dispatch, view.Now):
			f.cycles++
		case !f.rules.expiresAtSweeps && f.expire(view):
		case f.cycles > 0:
			f.cycles--
			if item := f.cycle(view); item != nil {
				to, err := f.schedule(f.seen(view), &item.request)
				if errors.Is(err, policy.ErrHeld) {
					continue
				}
				return policy.Released{Request: item.request.ID, Decision: to, Err: err}, true
			}
		default:
			return policy.Released{}, false
		}
	}
}

// IsIdle reports whether no request waits and nothing is left to do: ticks until the
// next request are then made up for.
func (f *flowController) IsIdle() bool {
	return f.cycles == 0 && len(f.released) == 0 && len(f.byAge) == 0
}

// isDue reports whether some multiple of an interval has come since it last said
// so.
func (f *flowController) isDue(count *simtime.Time, interval, now simtime.Time) bool {
	if now/interval <= *count {
		return false
	}
	*count = now / interval
	return true
}

// cycle returns the request that goes, if one does. It has left its queue.
func (f *flowController) cycle(view *policy.View) *flowItem {
	c := f.look(view)
	f.observe(c)
	saturation := f.saturation.Saturation(c)
	f.limit.limit(saturation, f.priorities, f.ceilings)
	for i, band := range f.bands {
		if saturation >= f.ceilings[i] && !f.rules.picksBeforeSaturation {
			if f.eviction != nil {
				f.eviction.makeRoom(c.Now, saturation, f.bands[i:], f.ceilings[i:])
			}
			return nil
		}
		flow := band.fairness.Pick(c.Now, band.flows)
		if flow == nil {
			continue
		}
		if saturation >= f.ceilings[i] {
			return nil
		}
		item := flow.head()
		f.Remove(item, c.Now)
		if item.expired {
			// The cycle was for nothing.
			return nil
		}
		return item
	}
	return nil
}

// observe notes whether there are endpoints.
func (f *flowController) observe(c *scheduler.Cycle) {
	if empty := c.Present == 0; empty != f.empty {
		f.empty, f.changed = empty, c.Now
	}
}

// Remove takes a request out of its queue.
func (f *flowController) Remove(item *flowItem, now simtime.Time) {
	item.flow.Remove(item, now)
	delete(f.held, item.request.ID)
	f.requests--
	f.bytes -= item.bytes
}

// dropGone forgets the oldest ones that no longer wait.
func (f *flowController) dropGone() {
	for len(f.byAge) > 0 && (f.byAge[0].place < 0 || f.byAge[0].expired) {
		f.byAge[0] = nil
		f.byAge = f.byAge[1:]
	}
}

// expire gives those up that have waited too long, and returns whether there
// were any. They stay in their queues until the next sweep.
func (f *flowController) expire(view *policy.View) bool {
	some := false
	for f.dropGone(); len(f.byAge) > 0 && f.settings.TTL > 0 && f.byAge[0].since.Add(f.settings.TTL) <= view.Now; f.dropGone() {
		item := f.byAge[0]
		f.leaveUntilSweep(item)
		f.failUnrouted(item, f.look(view).Present == 0)
		some = true
	}
	return some
}

// leaveUntilSweep lets a request that was given up be in the way until the next sweep.
func (f *flowController) leaveUntilSweep(item *flowItem) {
	item.expired = true
	f.expired = append(f.expired, item)
	delete(f.held, item.request.ID)
}

// Cancel gives a request up whose client has, and returns whether it waits here.
func (f *flowController) Cancel(request int) bool {
	item, ok := f.held[request]
	if ok {
		f.leaveUntilSweep(item)
	}
	return ok
}

// sweep takes those out of their queues that were given up, or gives them up.
func (f *flowController) sweep(now simtime.Time) {
	for _, item := range f.expired {
		if item.place >= 0 {
			f.Remove(item, now)
		}
	}
	f.expired = f.expired[:0]
	if !f.rules.expiresAtSweeps {
		return
	}
	for _, item := range f.byAge {
		if item.place >= 0 && f.isOverdue(item, now) {
			f.Remove(item, now)
			f.failUnrouted(item, f.empty)
		}
	}
	f.byAge = slices.DeleteFunc(f.byAge, func(item *flowItem) bool { return item.place < 0 })
}

// isOverdue reports whether a request has waited for as long as its band lets it.
func (f *flowController) isOverdue(item *flowItem, now simtime.Time) bool {
	ttl := item.flow.band.ttl
	if f.empty {
		ttl = f.settings.EmptyTTL
	}
	return ttl > 0 && max(item.since, f.changed).Add(ttl) <= now
}

// failUnrouted ends a request that has waited too long: the gateway answers 429, or 503
// where there is no endpoint.
func (f *flowController) failUnrouted(item *flowItem, empty bool) {
	err := policy.ErrExpired
	if empty {
		err = policy.ErrNoEndpoint
	}
	f.released = append(f.released, policy.Released{Request: item.request.ID, Err: err})
	if f.onUnrouted != nil {
		f.onUnrouted(&item.request, err)
	}
}

// observeIdlePicks makes up for the ticks during which no request waited: cycles that found all
// bands empty.
func (f *flowController) observeIdlePicks(view *policy.View) {
	now := view.Now
	if f.isDue(&f.collectionsDone, f.ticks.forget, now) {
		for _, b := range f.bands {
			b.forget(f.collectionsDone*f.ticks.forget - f.ticks.forget)
		}
	}
	if f.isDue(&f.sweepsDone, f.ticks.sweep, now-1) {
		f.sweep(f.sweepsDone * f.ticks.sweep)
	}
	f.dropGone()
	before := f.ticksDone
	if len(f.byAge) > 0 || !f.isDue(&f.ticksDone, f.ticks.dispatch, now-1) || f.requests > 0 {
		return
	}
	f.observe(f.look(view))
	for _, b := range f.bands {
		b.fairness.Pick(now, b.flows)
		if r, ok := b.fairness.(idleObserver); ok {
			r.observeIdlePicks(now, b.flows, int64(f.ticksDone-before)-1)
		}
	}
}

// noteChanges records which scrapes have changed.
func (f *flowController) noteChanges(view *policy.View) {
	if view.Changed == nil || len(view.Changed)+len(f.changedScrapes) > f.endpoints {
		f.allScrapesChanged, f.changedScrapes = true, f.changedScrapes[:0]
		return
	}
	f.changedScrapes = append(f.changedScrapes, view.Changed...)
}

// seen is the view with all that has changed since it was last seen.
func (f *flowController) seen(view *policy.View) *policy.View {
	f.view = *view
	f.view.Changed = f.changedScrapes
	if f.allScrapesChanged {
		f.view.Changed = nil
	}
	f.changedScrapes, f.allScrapesChanged = f.changedScrapes[:0], false
	return &f.view
}

// Evicts implements [scheduler.RequestQueue].
func (f *flowController) Evicts() bool { return f.eviction != nil }

// Evict implements [scheduler.RequestQueue].
func (f *flowController) Evict() (int, bool) { return f.eviction.next() }

// Export implements [scheduler.RequestQueue].
func (f *flowController) Export(view *policy.View, m *policy.RouterMetrics) {
	m.QueuedBytes += f.bytes
	for _, b := range f.bands {
		m.Queue(b.priority, b.requests, b.bytes)
		m.Limit(b.priority, b.maxRequests, b.maxBytes)
	}
	for _, i := range f.expired {
		if i.place >= 0 {
			m.QueuedBytes -= i.bytes
			m.Queue(i.request.Priority, -1, -i.bytes) // it is given up, and in the way until the next sweep
		}
	}
	m.Raise(f.saturation.pools(f.look(view)))
	if x, ok := f.detector.(scheduler.DetectorExporter); ok {
		x.Export(m)
	}
}

// Saturation implements [scheduler.SaturationDetector], as flow control sees it: by pool.
func (f *flowController) Saturation(c *scheduler.Cycle) float64 { return f.saturation.Saturation(c) }

// Explain implements [scheduler.RequestQueue].
func (f *flowController) Explain(tell func(*policy.Request, error)) { f.onUnrouted = tell }
