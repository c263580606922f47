// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// randomScheduler is one of all schedulers, with any victim.
func randomScheduler(c *choices) scheduling.Factory {
	weights := []float64{1, float64(1 + c.pick(4))}
	predictor := scheduling.NewPredictor(int64(c.pick(256)), scheduling.LogNormalErrors, 0.5)
	factory := []scheduling.Factory{
		nil, scheduling.FCFS, scheduling.Priority, scheduling.ShortestPrompt,
		scheduling.ReversePriority, scheduling.EarliestDeadline, scheduling.ShortestOracle, scheduling.LeastAttainedService,
		func() scheduling.Scheduler { return scheduling.ShortestPredicted(predictor) },
		func() scheduling.Scheduler { return scheduling.WeightedFair(weights) },
		aging,
	}[c.pick(11)]
	n := c.pick(8)
	if factory == nil || n > 3 {
		return factory
	}
	victim := []scheduling.Victim{nil, scheduling.LowestRank, scheduling.FewestComputedTokens, scheduling.MostBlocks}[n]
	return func() scheduling.Scheduler {
		s := factory()
		s.Victim = victim
		return s
	}
}

// aging is a scheduler whose ranks move with time: a request's age counts more the more
// important the request is.
func aging() scheduling.Scheduler {
	return scheduling.Scheduler{
		Moving: agingOrder{}, Victim: scheduling.LowestRank,
		Order: func(j scheduling.Job) int64 { return int64(j.Arrival) },
	}
}

type agingOrder struct{}

func (agingOrder) Rank(j scheduling.Job, now simtime.Time) float64 {
	return -float64(3+j.Priority) * float64(now-j.Arrival)
}

func (agingOrder) Group(j scheduling.Job) int32 { return int32(j.Priority) }

// heardOrders are what the listeners of the engines' schedulers hear, in the order in
// which the schedulers are made.
type heardOrders struct{ engines []*schedulerLog }

// listenTo has the schedulers of a pool write down what they hear.
func (h *heardOrders) listenTo(p *simulator.Pool) {
	made := p.Scheduler
	if made == nil {
		made = scheduling.FCFS
	}
	p.Scheduler = func() scheduling.Scheduler {
		s := made()
		log := &schedulerLog{before: s.Listener, service: s.Service}
		h.engines = append(h.engines, log)
		s.Listener = log
		if s.Service == nil {
			s.Service = &scheduling.Service{}
			log.service = s.Service
		}
		return s
	}
}

func (h *heardOrders) lines() [][]string {
	var all [][]string
	for _, e := range h.engines {
		all = append(all, e.lines)
	}
	return all
}

// schedulerLog is a listener that writes down what it hears and how much each tenant has
// been served by then.
type schedulerLog struct {
	before  scheduling.Listener
	service *scheduling.Service
	lines   []string
}

func (l *schedulerLog) note(what string, j scheduling.Job) {
	l.lines = append(l.lines, fmt.Sprintf("%s %+v, served %d %d", what, j, l.service.Served(0), l.service.Served(1)))
}

func (l *schedulerLog) Entered(j scheduling.Job) {
	l.note("entered", j)
	if l.before != nil {
		l.before.Entered(j)
	}
}

func (l *schedulerLog) Started(j scheduling.Job) {
	l.note("started", j)
	if l.before != nil {
		l.before.Started(j)
	}
}

func (l *schedulerLog) Preempted(j scheduling.Job) {
	l.note("preempted", j)
	if l.before != nil {
		l.before.Preempted(j)
	}
}

func (l *schedulerLog) Left(j scheduling.Job, waiting bool) {
	j.ComputedTokens, j.Blocks = 0, 0 // a step that is under way may be lost
	l.note(fmt.Sprint("left, waiting: ", waiting), j)
	if l.before != nil {
		l.before.Left(j, waiting)
	}
}
