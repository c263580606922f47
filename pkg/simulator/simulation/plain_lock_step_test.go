// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/latency"
)

// ranksOf are the ranks of a replica, in order.
func (p *plain) ranksOf(r *plainReplica) []*plainReplica {
	n := max(r.Ranks, 1)
	var first int
	for p.replicas[first].pool != r.pool {
		first++
	}
	replica := (r.index - first) / n
	return p.replicas[first+replica*n:][:n]
}

// together are the replicas that step at the same time as a replica does.
func (p *plain) together(r *plainReplica) []*plainReplica {
	if r.LockStep == nil {
		return []*plainReplica{r}
	}
	return p.ranksOf(r)
}

// steps says whether a replica cannot form a batch now: it, or another rank, makes a step
// or waits to begin one. Ranks that are forming their steps in turn stand for themselves.
func (p *plain) steps(r *plainReplica) bool {
	if slices.Contains(p.forming, r) {
		return r.stepping || r.held
	}
	return slices.ContainsFunc(p.together(r), func(o *plainReplica) bool { return o.stepping || o.held })
}

// endSteps ends the steps of a replica and of all that step with it.
func (p *plain) endSteps(r *plainReplica) {
	for _, o := range p.together(r) {
		if o.stepping {
			p.drop(func(e plainEvent) bool { return e.kind == plainStepEnd && e.replica == o })
			p.endStep(o)
		}
	}
	p.startSteps(r)
}

// startSteps lets a replica form a step, and all that step with it.
func (p *plain) startSteps(r *plainReplica) {
	if r.LockStep == nil {
		p.startStep(r)
		return
	}
	ranks := p.ranksOf(r)
	if p.steps(r) {
		return // they form batches when the step ends
	}
	for _, o := range ranks {
		o.formed = latency.Step{}
	}
	p.forming = ranks
	for _, o := range ranks {
		p.drop(func(e plainEvent) bool { return e.kind == plainWake && e.replica == o })
		o.waking = false
		p.startStep(o)
	}
	p.forming = nil
	p.beginSteps(ranks)
}

// beginSteps lets ranks compute their steps if all that have something to do can begin.
func (p *plain) beginSteps(ranks []*plainReplica) {
	if slices.Equal(p.forming, ranks) {
		return
	}
	var steps []latency.Step
	for _, r := range ranks {
		if r.held && r.formed.Sequences == 0 {
			return // it waits for a transfer
		}
		steps = append(steps, r.formed)
	}
	if !slices.ContainsFunc(steps, func(s latency.Step) bool { return s.Sequences > 0 }) {
		return
	}
	duration := ranks[0].LockStep.GroupStepTime(steps)
	for i, r := range ranks {
		if steps[i].Sequences > 0 {
			p.runFor(r, steps[i], duration)
		}
	}
}

// drop takes events off the list.
func (p *plain) drop(which func(plainEvent) bool) { p.events = slices.DeleteFunc(p.events, which) }
