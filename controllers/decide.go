// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
)

// maxPlanBytes bounds an encoded plan: its ConfigMap holds a mebibyte, and the
// metadata and encoding need room too.
const maxPlanBytes = 900 << 10

// conflictInterval is how often a conflict is checked again: no watch reports the
// deletion of another owner's object.
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
		d.cleaner.releaseNamespace()
		return d.decision
	case settled(o.subject):
		d.reporter.updateSettled()
		d.cleaner.deleteUnneeded(o.subject.status())
	case o.unsafe != nil:
		d.reportUnsafe()
	case len(o.specErrors) > 0:
		d.reportInvalid()
	case o.plan.size > maxPlanBytes:
		d.reportTooLarge()
	case o.editedAfterFailure():
		d.cleaner.deleteFailedJobs()
	default:
		d.advance()
	}
	d.cleaner.deleteAfterTTL()
	d.requeueAtDeadline()
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

// reportUnsafe reports a spec that is not compiled because managers were killed when they
// compiled it, or that waits for its turn because it takes long.
func (d decider) reportUnsafe() {
	if errors.Is(d.unsafe, errSlow) {
		d.requeueWithin(slowDelay)
		d.reporter.report(d.subject.deepCopied(), verdict{outcomeReconciling, v1alpha1.ReasonPending,
			"the spec takes long to compile, or the specs of its namespace do: it waits for its turn among such specs, and then the manager compiles it"})
		return
	}
	if errors.Is(d.unsafe, errTooExpensive) {
		d.cleaner.deleteOutdatedJobs("compiling the spec killed the manager")
		d.reporter.report(d.reporter.withoutPlan(), verdict{outcomeStalled, v1alpha1.ReasonTooExpensive, fmt.Sprintf(
			"the manager was killed %d times while it compiled this spec, the last time while it compiled nothing else; it does not compile the spec again: use fewer values or smaller inputs", maxKills)})
		return
	}
	d.requeueWithin(suspectDelay)
	d.reporter.report(d.subject.deepCopied(), verdict{outcomeReconciling, v1alpha1.ReasonPending,
		"the manager was killed while it compiled this spec, possibly because of it; it compiles the spec again, alone, after the other objects"})
}

// reportInvalid stops the work of a spec that does not compile, and reports the errors.
func (d decider) reportInvalid() {
	reason := v1alpha1.ReasonInvalid
	if compile.MissingInputs(d.specErrors) {
		reason = v1alpha1.ReasonInputMissing
	}
	d.cleaner.deleteOutdatedJobs("the spec does not compile")
	d.reporter.report(d.reporter.withoutPlan(), verdict{outcomeStalled, reason, specErrorsMessage(d.specErrors)})
}

// reportTooLarge reports a plan that is larger than a ConfigMap.
func (d decider) reportTooLarge() {
	d.cleaner.deleteOutdatedJobs("the spec's plan is too large")
	d.reporter.report(d.reporter.withoutPlan(), verdict{outcomeStalled, v1alpha1.ReasonInvalid, fmt.Sprintf(
		"the plan takes %d KiB, but a ConfigMap holds at most %d KiB: use fewer or smaller clients, profiles and seeds",
		d.plan.size>>10, maxPlanBytes>>10)})
}

// advance continues the work of a plan.
func (d decider) advance() {
	if stillComplete(d.observation) {
		next := d.subject.deepCopied()
		next.status().Inputs = d.inputs.pinned
		d.reporter.report(next, d.summarizer.completeAgain())
		d.cleaner.deleteUnneeded(d.subject.status())
		return
	}
	d.cleaner.deleteOutdatedJobs("an edit or a new engine version requires another plan or another execution")
	st := d.results.study
	switch {
	case st.fault != nil:
		d.cleaner.stopJobs("its results cannot be used")
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeFailed, st.fault.reason, st.fault.message})
	case st.failure != nil:
		d.cleaner.stopJobs("too many points failed")
		d.summarizer.updateIndex(true)
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeFailed, v1alpha1.ReasonTrialsFailed, st.failure.Error()})
	case len(d.children.conflicts) > 0:
		d.requeueWithin(conflictInterval)
		d.reporter.report(d.reporter.withPlan(), verdict{outcomeStalled, v1alpha1.ReasonConflict, conflictMessage(d.children.conflicts)})
	case st.over():
		d.summarizer.complete()
	case d.pastDeadline:
		d.endAtDeadline()
	default:
		d.jobs.reconcileJob()
	}
}

// stillComplete reports whether the spec was edited without touching what is
// simulated: then the results serve as they are.
func stillComplete(w *observation) bool {
	st := w.subject.status()
	return st.PlanHash == w.plan.hash && isTrue(st, v1alpha1.ConditionComplete) &&
		!needsSpecFiles(w.subject) && !hasRollout(w.subject)
}
