// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/run"
)

// lockStep is the ranks of a replica whose layers of experts are one: a rank cannot step
// without the others. Their steps begin and end together. A rank without work takes part in
// them, and what it is sent meanwhile waits for their end.
type lockStep struct {
	*run.State
	timer simulator.GroupTimer
	Ranks []*Replica
	// steps are those that the ranks have formed.
	steps []latency.Step
	// forming says that not all ranks have formed their step; underWay that a step is
	// made or waits for a transfer.
	forming, underWay bool
}

// nextStep ends the step of all ranks, or wakes them, and begins the next one.
func (g *lockStep) nextStep() {
	g.underWay = false
	for _, r := range g.Ranks {
		r.settleGauges()
		if r.Stepping {
			r.endStep(r.StepStart)
			r.Stepping = false
		}
	}
	g.forming = true
	for k, r := range g.Ranks {
		g.steps[k] = latency.Step{}
		r.startStep()
	}
	g.forming = false
	g.begin()
	for _, r := range g.Ranks {
		r.reorder()
		for _, o := range g.Observers {
			o.Settled(r.Index)
		}
	}
	g.CheckContext()
}

// join notes the step that a rank has formed, and that waits for no transfer.
func (g *lockStep) join(r *Replica, step *latency.Step) {
	g.steps[r.Rank] = *step
	g.begin()
}

// begin puts the step of all ranks under way once each has formed its own and none waits
// for a transfer. Where there is nothing to do, ranks that have been woken stay so.
func (g *lockStep) begin() {
	if g.forming {
		return
	}
	held, working := false, false
	for k, r := range g.Ranks {
		held = held || r.Held != nil
		working = working || g.steps[k].Sequences > 0
	}
	g.underWay = held || working
	if !g.underWay {
		return
	}
	for _, r := range g.Ranks {
		r.Next = simtime.Never
	}
	if held {
		return
	}
	duration := g.timer.GroupStepTime(g.steps)
	for k, r := range g.Ranks {
		if step := &g.steps[k]; step.Sequences > 0 {
			r.settleGauges()
			r.putUnderWay(step, duration)
		}
		r.reorder()
	}
}

// Busy says whether a rank's next step has to wait for the one under way.
func (g *lockStep) Busy() bool { return g != nil && g.underWay }

// reset forgets the step under way, of ranks that have failed.
func (g *lockStep) reset() {
	if g != nil {
		g.underWay = false
		clear(g.steps)
	}
}
