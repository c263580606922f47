// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// What the status schema can hold.
const (
	maxInputs    = 64
	maxWarnings  = 32
	maxWarning   = 1024
	maxStepTimes = 16
	maxStepTime  = 512
)

// reporter decides on the status: its figures, its conditions, and the events that tell of
// them.
type reporter struct{ *draft }

// withPlan is the statement on a plan that is not complete.
func (d reporter) withPlan(o phase, reason, message string) statement {
	return statement{next: d.planned(), standing: standing{o, reason, message}}
}

// withoutPlan is the statement on a spec without a plan.
func (d reporter) withoutPlan(o phase, reason, message string) statement {
	return statement{next: d.unplanned(), standing: standing{o, reason, message}}
}

// planned returns the subject with the status of a plan that is not complete.
func (d reporter) planned() subject {
	next := d.subject.deepCopied()
	next.clearResults()
	st := next.status()
	study.FillStatus(st, d.plan.Plan)
	st.Inputs = d.inputs.pinned
	bound(st)
	st.Plan = &d.results.study.estimate
	st.Results = d.resultsStatus.DeepCopy()
	st.Progress = d.progress(st.Progress)
	return next
}

// progress counts simulations.
func (d reporter) progress(before *v1alpha1.ProgressStatus) *v1alpha1.ProgressStatus {
	at := d.results.study
	p := &v1alpha1.ProgressStatus{
		Total:     int64(at.study.Simulations()),
		Completed: int64(at.rows()),
		Failed:    int64(at.failed),
		Reused:    int64(at.reused()),
		Round:     int32(at.last) + 1,
	}
	switch job := d.currentJob(); {
	case d.task != nil:
		p.Shards = int32(d.task.shards)
	case job != nil:
		p.Shards = int32(shardsOf(job))
	case before != nil:
		p.Shards = before.Shards
	}
	return p
}

// unplanned returns the subject with the status of a spec without a plan.
func (d reporter) unplanned() subject {
	next := d.subject.deepCopied()
	next.clearResults()
	st := next.status()
	st.EngineVersion, st.PlanHash, st.Plan, st.Progress, st.Inputs, st.Warnings, st.Approximations, st.StepTimes = "", "", nil, nil, nil, nil, nil, nil
	return next
}

// bound cuts lists to what the schema holds: the API server
// refuses a larger status.
func bound(st *v1alpha1.CommonStatus) {
	st.Inputs = st.Inputs[:min(len(st.Inputs), maxInputs)]
	st.Warnings = boundTexts(st.Warnings, maxWarnings, maxWarning)
	st.Approximations = boundTexts(st.Approximations, maxWarnings, maxWarning)
	st.StepTimes = boundTexts(st.StepTimes, maxStepTimes, maxStepTime)
}

// boundTexts keeps a bounded number of texts, each of a bounded number of bytes.
func boundTexts(texts []string, most, bytes int) []string {
	var kept []string
	for _, text := range texts[:min(len(texts), most)] {
		kept = append(kept, printable.Clip(text, bytes))
	}
	return kept
}

// write completes the status of a statement with the conditions and times of its standing,
// and adds the event that tells of it.
func (d reporter) write(r statement) subject {
	next, v, st := r.next, r.standing, r.next.status()
	st.ObservedGeneration = next.object().GetGeneration()
	before := readyReason(d.subject.status())
	if d.results.study != nil && (v.phase == phaseReconciling || v.phase == phaseComplete) {
		v.message = joinMessages(v.message, d.results.study.notReused)
	}
	setTimes(st, d.subject, v, r.held, d.now)
	d.setPartial(st, v)
	setConditions(st, v, d.now)
	d.updatePassed(st, v, r.gates)
	d.setLinted(st)
	d.setInputsChanged(st)
	d.setResultsDamaged(st)
	d.setProposerFailed(st)
	d.setRehearsed(st, v)
	makePrintable(next)
	fit(next)
	if v.needsEvent() && (before != v.reason || d.subject.status().ObservedGeneration != st.ObservedGeneration) {
		d.decision.events = append(d.decision.events, v.event())
	}
	return next
}

// setPartial says whether results of failed work are missing. Rows that were read and
// deleted since are missing too.
func (d reporter) setPartial(st *v1alpha1.CommonStatus, v standing) {
	if st.Results != nil {
		st.Results.Partial = v.phase == phaseFailed && st.Results.Rows < int64(d.results.study.study.Simulations())
	}
}

// updatePassed writes condition Passed. Of results that serve as they are it stays.
func (d reporter) updatePassed(st *v1alpha1.CommonStatus, v standing, gates *study.Judged) {
	c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed)
	switch {
	case d.plan == nil:
		setPassed(st, nil, 0, d.now)
	case v.phase == phaseComplete && gates == nil && c != nil:
		c.ObservedGeneration = st.ObservedGeneration
	default:
		setPassed(st, gates, len(d.plan.Gates), d.now)
	}
}

// decideRefused decides what to report where an action of a decision was refused: a
// status that says why, unless the status says it already. The action is tried again
// later.
func decideRefused(w *observation, d decision, err error, now time.Time) decision {
	next := w.subject.deepCopied()
	if d.status != nil {
		next = d.status.deepCopied()
		// Objects that the action would create may not exist: the status must not name them.
		next.clearResults()
		next.status().Results = w.subject.status().Results
	}
	again := &draft{observation: w, now: now}
	v := standing{phaseReconciling, v1alpha1.ReasonBlocked, err.Error()}
	if theirs := (conflictError{}); errors.As(err, &theirs) {
		v = standing{phaseStalled, v1alpha1.ReasonConflict, theirs.Error()}
	}
	next = reporter{again}.write(statement{next: next, standing: v})
	again.setStatus(next)
	return again.decision
}
