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
	}
	next := d.nextStatus()
	d.setStatus(next)
	d.cleaner.deleteEngines()
	d.cleaner.deleteAfterTTL(next)
	d.requeueAtDeadline(next)
	return d.decision
}

// nextStatus decides what to do, and returns the subject with the status of that.
func (d decider) nextStatus() subject {
	switch {
	case settled(d.subject):
		next := d.reporter.settled()
		d.cleaner.deleteUnneeded(next)
		return next
	case d.unsafe != nil:
		return d.reporter.write(d.unsafeSpec())
	case len(d.specErrors) > 0:
		return d.reporter.write(d.invalidSpec())
	case d.plan.size > maxPlanBytes:
		return d.reporter.write(d.tooLargePlan())
	case d.editedAfterFailure():
		d.cleaner.deleteFailedJobs()
		return d.subject
	}
	r := d.advance()
	next := d.reporter.write(r)
	if r.standing.phase == phaseComplete {
		d.cleaner.deleteUnneeded(next)
	}
	return next
}

// decider makes a decision. Each of its parts decides on one thing. They add actions to one
// draft, and return what the status reports.
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

// unsafeSpec reports a spec that is not compiled because managers were killed when they
// compiled it, or that waits for its turn because it takes long.
func (d decider) unsafeSpec() statement {
	if errors.Is(d.unsafe, errSlow) {
		d.requeueWithin(slowDelay)
		return statement{next: d.subject.deepCopied(), standing: standing{phaseReconciling, v1alpha1.ReasonPending,
			"the spec takes long to compile, or the specs of its namespace do: it waits for its turn among such specs, and then the manager compiles it"}}
	}
	if errors.Is(d.unsafe, errTooExpensive) {
		d.cleaner.deleteOutdatedJobs("compiling the spec killed the manager")
		return d.reporter.withoutPlan(phaseStalled, v1alpha1.ReasonTooExpensive, fmt.Sprintf(
			"the manager was killed %d times while it compiled this spec, the last time while it compiled nothing else; it does not compile the spec again: use fewer values or smaller inputs", maxKills))
	}
	d.requeueWithin(suspectDelay)
	return statement{next: d.subject.deepCopied(), standing: standing{phaseReconciling, v1alpha1.ReasonPending,
		"the manager was killed while it compiled this spec, possibly because of it; it compiles the spec again, alone, after the other objects"}}
}

// invalidSpec stops the work of a spec that does not compile, and reports the errors.
func (d decider) invalidSpec() statement {
	reason := v1alpha1.ReasonInvalid
	if compile.MissingInputs(d.specErrors) {
		reason = v1alpha1.ReasonInputMissing
	}
	d.cleaner.deleteOutdatedJobs("the spec does not compile")
	return d.reporter.withoutPlan(phaseStalled, reason, specErrorsMessage(d.specErrors))
}

// tooLargePlan reports a plan that is larger than a ConfigMap.
func (d decider) tooLargePlan() statement {
	d.cleaner.deleteOutdatedJobs("the spec's plan is too large")
	return d.reporter.withoutPlan(phaseStalled, v1alpha1.ReasonInvalid, fmt.Sprintf(
		"the plan takes %d KiB, but a ConfigMap holds at most %d KiB: use fewer or smaller clients, profiles and seeds",
		d.plan.size>>10, maxPlanBytes>>10))
}

// advance continues the work of a plan.
func (d decider) advance() statement {
	if stillComplete(d.observation) {
		next := d.subject.deepCopied()
		next.status().Inputs = d.inputs.pinned
		return statement{next: next, standing: completeAgain(d.subject.status())}
	}
	d.cleaner.deleteOutdatedJobs("an edit or a new engine version requires another plan or another execution")
	st := d.results.study
	switch {
	case st.fault != nil:
		d.cleaner.stopJobs("its results cannot be used")
		return d.reporter.withPlan(phaseFailed, st.fault.reason, st.fault.message)
	case st.failure != nil:
		d.cleaner.stopJobs("too many points failed")
		// An index that cannot list the results leaves the failure as it is.
		_, _ = d.summarizer.updateIndex()
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonTrialsFailed, st.failure.Error())
	case len(d.children.conflicts) > 0:
		d.requeueWithin(conflictInterval)
		return d.reporter.withPlan(phaseStalled, v1alpha1.ReasonConflict, conflictMessage(d.children.conflicts))
	case st.over():
		return d.summarizer.complete()
	case d.pastDeadline:
		return d.endAtDeadline()
	}
	return d.jobs.reconcileJob()
}

// stillComplete reports whether the spec was edited without touching what is
// simulated: then the results serve as they are.
func stillComplete(w *observation) bool {
	st := w.subject.status()
	return st.PlanHash == w.plan.hash && isTrue(st, v1alpha1.ConditionComplete) &&
		!needsSpecFiles(w.subject) && !hasRollout(w.subject)
}
