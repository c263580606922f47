// SPDX-License-Identifier: Apache-2.0

package execute

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// backlog sees how many requests are in a cluster: those that have arrived and
// have not ended. What is turned away never was.
type backlog struct {
	arrivals []simtime.Time // by the request's ID
	ends     []simtime.Time
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
	b := &backlog{}
	completed, rejected := c.Completed, c.Rejected
	c.Source = arrivalsOf{c.Source, b}
	c.Completed = func(done simulator.Completion) {
		b.ends = append(b.ends, done.LastToken)
		if completed != nil {
			completed(done)
		}
	}
	c.Rejected = func(request int, reason simulator.Reason) {
		b.ends = append(b.ends, b.arrivals[request])
		if rejected != nil {
			rejected(request, reason)
		}
	}
	return b
}

// arrivalsOf is a source whose arrivals a backlog notes.
type arrivalsOf struct {
	workload.Source
	backlog *backlog
}

// Close implements [io.Closer].
func (a arrivalsOf) Close() error { return workload.Close(a.Source) }

// Next implements [workload.Source].
func (a arrivalsOf) Next() (workload.Request, bool) {
	r, ok := a.Source.Next()
	if ok {
		a.backlog.arrivals = append(a.backlog.arrivals, r.Arrival)
	}
	return r, ok
}

// backlogReadings are enough for [stats.Growth].
const backlogReadings = 100

// growth is by how much the backlog grows of what arrives, over the second half
// of the measured arrivals; nil of nil, and where next to nothing arrives.
// Requests that failed, or that were ended after they had been accepted, count as
// still there.
func (b *backlog) growth(h simulator.Horizon) *float64 {
	if b == nil {
		return nil
	}
	if h.Duration > 0 {
		// The source was asked for one that came too late.
		b.arrivals = slices.DeleteFunc(b.arrivals, func(t simtime.Time) bool { return t >= simtime.Time(h.Duration) })
	}
	if len(b.arrivals) < backlogReadings {
		return nil
	}
	last := b.arrivals[len(b.arrivals)-1]
	middle := simtime.Time(h.WarmUp) + (last-simtime.Time(h.WarmUp))/2
	arrived := len(b.arrivals) - before(b.arrivals, middle)
	if last <= middle || arrived == 0 {
		return nil
	}
	slices.Sort(b.ends)
	level := make([]float64, backlogReadings)
	for i := range level {
		at := middle + simtime.Time(int64(last-middle)*int64(i+1)/backlogReadings)
		level[i] = float64(before(b.arrivals, at) - before(b.ends, at))
	}
	perReading, _ := stats.Growth(level)
	share := perReading * backlogReadings / float64(arrived)
	return &share
}

// before counts the times before one, in order.
func before(times []simtime.Time, at simtime.Time) int {
	i, _ := slices.BinarySearch(times, at)
	return i
}
