// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// maxPlanBytes bounds an encoded plan: its ConfigMap holds a mebibyte, and the
// metadata and encoding need room too.
const maxPlanBytes = 900 << 10

// conflictInterval is how often a conflict is looked at again: no watch tells
// when a stranger's object goes.
const conflictInterval = time.Minute

// decide says what to do about what was observed. It is pure: equal observations and
// times give equal decisions, and once a decision is applied, deciding again finds
// nothing more to do.
func decide(o *observation, now time.Time) decision {
	d := newDecider(o, now)
	switch {
	case o.subject.object().GetDeletionTimestamp() != nil:
		// The garbage collector deletes the children.
		return d.decision
	case o.namespaceTerminating:
		d.cleaner.leave()
		return d.decision
	case settled(o.subject):
		d.reporter.stay()
		d.cleaner.collect(o.subject.status())
	case o.unsafe != nil:
		d.spare()
	case len(o.specErrors) > 0:
		d.refuse()
	case o.plan.size > maxPlanBytes:
		d.tooLarge()
	case o.editedAfterFailure():
		d.cleaner.startOver()
	default:
		d.pursue()
	}
	d.cleaner.retire()
	d.watchClock()
	return d.decision
}

// decider makes a decision. Each of its parts decides on one thing; all of them write
// into one draft.
type decider struct {
	*draft
	reporter   reporter
	cleaner    cleaner
	summarizer summarizer
	jobs       jobRunner
}

func newDecider(o *observation, now time.Time) decider {
	d := &draft{observation: o, now: now, resultsStatus: o.subject.status().Results, indexed: o.results.indexed}
	r, c := reporter{d}, cleaner{d}
	s := summarizer{draft: d, reporter: r, cleaner: c, publisher: publisher{d}}
	return decider{draft: d, reporter: r, cleaner: c, summarizer: s, jobs: jobRunner{draft: d, reporter: r, cleaner: c, summarizer: s}}
}

// spare leaves a spec uncompiled at which managers died.
func (d decider) spare() {
	if errors.Is(d.unsafe, errTooExpensive) {
		d.cleaner.removeJobs("compiling the spec killed the manager")
		d.reporter.report(d.reporter.unplanned(), verdict{stalled, v1alpha1.ReasonTooExpensive, fmt.Sprintf(
			"the manager was killed %d times while it compiled this spec, the last time nothing else; it is not tried again: edit the spec, with fewer values or smaller inputs", maxDeaths)})
		return
	}
	d.lookAgain(suspectDelay)
	d.reporter.report(d.subject.copied(), verdict{ongoing, v1alpha1.ReasonPending,
		"the manager was killed while it compiled this spec, maybe because of it: it is tried again alone, after the others"})
}

// refuse stops the work of a spec that cannot be compiled.
func (d decider) refuse() {
	reason := v1alpha1.ReasonInvalid
	if experiment.MissingInputs(d.specErrors) {
		reason = v1alpha1.ReasonInputMissing
	}
	d.cleaner.removeJobs("the spec cannot be compiled any more")
	d.reporter.report(d.reporter.unplanned(), verdict{stalled, reason, errorWords(d.specErrors)})
}

// tooLarge refuses a plan that no ConfigMap can hold.
func (d decider) tooLarge() {
	d.cleaner.removeJobs("the spec's plan is too large")
	d.reporter.report(d.reporter.unplanned(), verdict{stalled, v1alpha1.ReasonInvalid, fmt.Sprintf(
		"the plan takes %d KiB, and a ConfigMap can hold %d of it: use fewer or smaller clients, profiles and seeds",
		d.plan.size>>10, maxPlanBytes>>10)})
}

// pursue goes on with a plan.
func (d decider) pursue() {
	if stillComplete(d.observation) {
		next := d.subject.copied()
		next.status().Inputs = d.inputs.pinned
		d.reporter.report(next, d.summarizer.completeAgain())
		d.cleaner.collect(d.subject.status())
		return
	}
	d.cleaner.removeJobs("another plan, or another way to run it, is asked for: by an edit, or by another engine")
	st := d.results.study
	switch {
	case st.fault != nil:
		d.cleaner.halt("its results cannot be used")
		d.reporter.report(d.reporter.planned(), verdict{failed, st.fault.reason, st.fault.message})
	case st.failure != nil:
		d.cleaner.halt("too many points failed")
		d.summarizer.index(true)
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonTrialsFailed, st.failure.Error()})
	case len(d.children.conflicts) > 0:
		d.lookAgain(conflictInterval)
		d.reporter.report(d.reporter.planned(), verdict{stalled, v1alpha1.ReasonConflict, strangerWords(d.children.conflicts)})
	case st.round == nil:
		d.summarizer.complete()
	case d.pastDeadline:
		d.expire()
	default:
		d.jobs.work()
	}
}

// stillComplete reports whether the spec was edited without touching what is
// simulated: then the results serve as they are.
func stillComplete(w *observation) bool {
	st := w.subject.status()
	return st.PlanHash == w.plan.hash && isTrue(st, v1alpha1.ConditionComplete) &&
		!wantsFiles(w.subject) && !hasRollout(w.subject)
}
