// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// backlog sees how many requests are in a cluster: those that have arrived and
// have not ended. What is turned away never was.
type backlog struct {
	horizon simulator.Horizon
	// arrived counts the requests, whose IDs are in order of arrival, and last is when the
	// last one came.
	arrived        int
	last           simtime.Time
	arrivals, ends moments
}

// asksForBacklog says whether a metric asks for its growth.
func asksForBacklog(metrics []result.Metric) bool {
	return slices.ContainsFunc(metrics, func(m result.Metric) bool { return m.Name == result.BacklogGrowth })
}

// watchBacklog returns what sees it in a simulation whose document says how it grows, or of
// which a metric asks for that; else nil.
func watchBacklog(c *simulator.Config, p *experiment.Plan, metrics []result.Metric) *backlog {
	if p.IsSweep() && !asksForBacklog(metrics) {
		return nil
	}
	b := &backlog{horizon: c.Horizon}
	completed, rejected := c.Completed, c.Rejected
	c.Completed = func(done simulator.Completion) {
		b.ends.add(done.LastToken, b.middle())
		if completed != nil {
			completed(done)
		}
	}
	c.Rejected = func(request int, reason simulator.Reason) {
		b.ends.add(b.arrivals.at(request), b.middle())
		if rejected != nil {
			rejected(request, reason)
		}
	}
	return b
}

// arrive takes an arrival, unless the source was asked for one that came too late.
func (b *backlog) arrive(at simtime.Time) {
	if b == nil || b.horizon.Duration > 0 && at >= simtime.Time(b.horizon.Duration) {
		return
	}
	b.arrived++
	b.last = at
	b.arrivals.add(at, b.middle())
}

// middle is where the second half of the measured arrivals begins, so far.
func (b *backlog) middle() simtime.Time {
	warmUp := simtime.Time(b.horizon.WarmUp)
	return warmUp + (b.last-warmUp)/2
}

// backlogReadings are enough for [stats.Growth].
const backlogReadings = 100

// growth is by how much the backlog grows of what arrives, over the second half
// of the measured arrivals; nil of nil, and where next to nothing arrives.
// Requests that failed, or that were ended after they had been accepted, count as
// still there.
func (b *backlog) growth() *float64 {
	if b == nil || b.arrived < backlogReadings {
		return nil
	}
	middle := b.middle()
	arrived := b.arrived - b.arrivals.before(middle)
	if b.last <= middle || arrived == 0 {
		return nil
	}
	slices.Sort(b.ends.late)
	level := make([]float64, backlogReadings)
	for i := range level {
		at := middle + simtime.Time(int64(b.last-middle)*int64(i+1)/backlogReadings)
		level[i] = float64(b.arrivals.before(at) - b.ends.before(at))
	}
	perReading, _ := stats.Growth(level)
	share := perReading * backlogReadings / float64(arrived)
	return &share
}

// moments are many times. Those before a moment that moves on are only counted.
type moments struct {
	early int
	late  []simtime.Time
}

// add takes a time. Of those before another one, only the number matters from now on.
func (m *moments) add(at, from simtime.Time) {
	if len(m.late) == cap(m.late) {
		before := len(m.late)
		m.late = slices.DeleteFunc(m.late, func(t simtime.Time) bool { return t < from })
		m.early += before - len(m.late)
		m.late = slices.Grow(m.late, max(len(m.late)/2, 1))
	}
	m.late = append(m.late, at)
}

// at is the time that was added as the i-th, or one before it that matters as little. The
// times were added in order.
func (m *moments) at(i int) simtime.Time {
	if i < m.early {
		return 0
	}
	return m.late[i-m.early]
}

// before counts the times before one that matters. They are in order.
func (m *moments) before(at simtime.Time) int {
	i, _ := slices.BinarySearch(m.late, at)
	return m.early + i
}
