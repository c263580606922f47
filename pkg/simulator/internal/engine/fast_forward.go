// SPDX-License-Identifier: Apache-2.0

package engine

import "windtunnel.dev/windtunnel/pkg/simtime"

// decodesOnly says whether the step under way and those after it do nothing but give
// each request of the batch its next token, until one has its last: no request is
// in prefill, and none waits or all places are taken.
func (r *Replica) decodesOnly() bool {
	b := &r.Batch
	return r.Stepping && r.Next >= r.WarmUntil && !b.constrained && len(b.prefilling) == 0 && len(b.done) > 0 &&
		(r.Waiting.Len() == 0 || len(b.Running) == r.MaxSeqs)
}

// fastForward goes through such steps up to a time, or to the first one that ends a
// request or for which there are not blocks enough; that one is left as it is. A
// step is endStep and startStep with what they would find nothing to do in left
// out.
func (r *Replica) fastForward(until simtime.Time) {
	b := &r.Batch
	for r.Next < until && b.steps+1 < b.done[0].step && r.CheckContext() {
		needs := r.Cache.StepNeeds()
		if needs > r.Cache.Free() || r.Tiers != nil && r.Tiers.MayOffload(needs) {
			return
		}
		now := r.Next
		b.steps++
		r.decode(now)
		r.Use.Stepped(r.StepStart, now)
		r.stepEnd = now

		if needs > 0 {
			used := r.Cache.Used()
			r.Use.Changed(now, used, used+needs)
		}
		if r.cacheEvents != nil {
			r.Now = now
			r.cacheEvents.computed()
		}
		r.cacheEvents.form(true)
		r.Cache.Step()
		r.cacheEvents.form(false)
		step := b.decodeStep()
		r.begin(now, step, r.timer.StepTime(step))
	}
}
