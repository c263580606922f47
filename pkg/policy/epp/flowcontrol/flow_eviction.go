// SPDX-License-Identifier: Apache-2.0

package flowcontrol

import (
	"cmp"
	"math"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// maxEvictions is how many requests one decision ends at most.
const maxEvictions = 2

// What the EPP's runner makes the grace of, at default flags. The library's own
// default of 500 ms never applies.
const (
	countedGrace     = 10 * time.Millisecond
	metricsStaleness = 2 * time.Second
	engineReclaim    = 250 * time.Millisecond
)

// evictionGrace is how long after the end of a request that was evicted its room is
// assumed not to show in the saturation. A concurrency-detector counts requests, and
// so sees the end at once; every other detector needs the engine to free the blocks
// and a scrape that is not stale.
func evictionGrace(detector *config.Plugin, scrapeInterval time.Duration) time.Duration {
	if detector != nil && detector.Type == config.ConcurrencyDetectorType {
		return countedGrace
	}
	return cmp.Or(scrapeInterval, config.DefaultScrapeInterval) + metricsStaleness + engineReclaim
}

// A flowEviction ends requests of negative priority that are in flight, so that
// others of higher priority can leave the queues (enableEviction, since
// router-v0.10): where a cycle ends at a band's ceiling and requests wait that are
// above the victim next in turn. Who has the lowest priority goes first, and of
// one priority who was sent last.
//
// How many go is an estimate: as much of the saturation as is above the ceiling,
// by what a request in flight adds to it on average. The EPP hears of the ends of
// answers at once, so that its limit for those of which it does not, 10 s, is
// never reached.
type flowEviction struct {
	// priorities are those of all requests in flight, by ID; who was evicted is
	// not.
	priorities map[int]int
	// victims are those that may be evicted, the next one last; sent counts all.
	victims []victim
	sent    int64
	// evicted are those that are to end now.
	evicted []int
	// grace is the time after a decision without another one; it ends at opens.
	grace time.Duration
	opens simtime.Time
}

type victim struct {
	request, priority int
	number            int64
}

// before is the order from the last victim to the first.
func (v victim) before(o victim) int {
	return cmp.Or(cmp.Compare(o.priority, v.priority), cmp.Compare(v.number, o.number))
}

func newFlowEviction(grace time.Duration) *flowEviction {
	return &flowEviction{priorities: map[int]int{}, grace: grace}
}

// Routed implements follower.
func (e *flowEviction) Routed(c *scheduler.Cycle, _ scheduler.Picks) {
	e.forget(c.Request)
	e.priorities[c.Request] = c.Priority
	e.sent++
	if c.Priority >= 0 {
		return
	}
	v := victim{request: c.Request, priority: c.Priority, number: e.sent}
	at, _ := slices.BinarySearchFunc(e.victims, v, victim.before)
	e.victims = slices.Insert(e.victims, at, v)
}

// FirstToken implements listener.
func (e *flowEviction) FirstToken(*policy.Request, int) {}

// Finished implements listener.
func (e *flowEviction) Finished(request *policy.Request, _ int) {
	e.forget(request.ID)
	e.evicted = slices.DeleteFunc(e.evicted, func(id int) bool { return id == request.ID })
}

func (e *flowEviction) forget(request int) {
	priority, ok := e.priorities[request]
	if !ok {
		return
	}
	delete(e.priorities, request)
	if priority < 0 {
		e.victims = slices.DeleteFunc(e.victims, func(v victim) bool { return v.request == request })
	}
}

// makeRoom evicts for the bands that a cycle has not come to, as it ended at the
// first of them. They are from the highest priority down.
func (e *flowEviction) makeRoom(now simtime.Time, saturation float64, blocked []*flowBand, ceilings []float64) {
	if now < e.opens {
		return
	}
	for i, band := range blocked {
		if len(e.victims) == 0 || band.priority <= e.victims[len(e.victims)-1].priority {
			return
		}
		// A band whose ceiling is 0 is not to leave, whatever room there is.
		if ceilings[i] > 0 && saturation >= ceilings[i] && band.requests > 0 {
			e.Evict(now, e.wanted(saturation, ceilings[i]), band.priority)
			return
		}
	}
}

// wanted is how many requests have to go until the saturation is at a ceiling, at
// least one; 0 if no request adds to it.
func (e *flowEviction) wanted(saturation, ceiling float64) int {
	each := saturation / float64(len(e.priorities))
	if !(each > 0) || math.IsInf(each, 0) {
		return 0
	}
	return int(min(max(math.Ceil((saturation-ceiling)/each), 1), maxEvictions))
}

// Evict ends up to n requests whose priority is below one.
func (e *flowEviction) Evict(now simtime.Time, n, below int) {
	for ; n > 0 && len(e.victims) > 0; n-- {
		v := e.victims[len(e.victims)-1]
		if v.priority >= below {
			return
		}
		e.forget(v.request)
		e.evicted = append(e.evicted, v.request)
		e.opens = now.Add(e.grace)
	}
}

// next returns a request to end now.
func (e *flowEviction) next() (int, bool) {
	if len(e.evicted) == 0 {
		return 0, false
	}
	first := e.evicted[0]
	e.evicted = e.evicted[1:]
	return first, true
}
