// SPDX-License-Identifier: Apache-2.0

package simulation

import "windtunnel.dev/windtunnel/pkg/simtime"

// decodesOnly says whether the step under way and those after it do nothing but give
// each request of the batch its next token, until one has its last: nobody is
// in prefill, and nobody waits or all places are taken.
func (r *replica) decodesOnly() bool {
	b := &r.batch
	return r.stepping && r.next >= r.warmUntil && !b.constrained && len(b.prefilling) == 0 && len(b.done) > 0 &&
		(r.waiting.Len() == 0 || len(b.running) == r.maxSeqs)
}

// fastForward goes through such steps up to a time, or to the first one that ends a
// request or for which there are not blocks enough; that one is left as it is. A
// step is endStep and startStep with what they would find nothing to do in left
// out.
func (r *replica) fastForward(until simtime.Time) {
	b := &r.batch
	for r.next < until && b.steps+1 < b.done[0].step && r.checkContext() {
		needs := r.cache.StepNeeds()
		if needs > r.cache.Free() || r.tiers != nil && r.tiers.mayOffload(r, needs) {
			return
		}
		now := r.next
		b.steps++
		r.decode(now)
		r.use.Stepped(r.stepStart, now)
		r.stepEnd = now

		if needs > 0 {
			used := r.cache.Used()
			r.use.Changed(now, used, used+needs)
		}
		if r.cacheEvents != nil {
			r.now = now
			r.cacheEvents.computed()
		}
		r.cacheEvents.form(true)
		r.cache.Step()
		r.cacheEvents.form(false)
		step := b.decodeStep()
		r.begin(now, step, r.timer.StepTime(step))
	}
}
