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

// arrive takes an arrival. A nil backlog takes none.
func (b *backlog) arrive(at simtime.Time) {
	if b == nil {
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
	if b.last <= middle {
		return nil
	}
	readings := make([]simtime.Time, backlogReadings+1)
	for i := range readings {
		readings[i] = middle + simtime.Time(int64(b.last-middle)*int64(i)/backlogReadings)
	}
	arrivals, ends := b.arrivals.before(readings), b.ends.before(readings)
	arrived := b.arrived - arrivals[0]
	if arrived == 0 {
		return nil
	}
	level := make([]float64, backlogReadings)
	for i := range level {
		level[i] = float64(arrivals[i+1] - ends[i+1])
	}
	perReading, _ := stats.Growth(level)
	share := perReading * backlogReadings / float64(arrived)
	return &share
}
