// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
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

// planned returns the subject with the status of a plan that is not complete.
func (d reporter) planned() subject {
	next := d.subject.copied()
	next.clearFigures()
	st := next.status()
	experiment.FillStatus(st, d.plan.Plan)
	st.Inputs = d.inputs.pinned
	bound(st)
	st.Plan = &d.results.study.outlook
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
	next := d.subject.copied()
	next.clearFigures()
	st := next.status()
	st.EngineVersion, st.PlanHash, st.Plan, st.Progress, st.Inputs, st.Warnings, st.Approximations, st.StepTimes = "", "", nil, nil, nil, nil, nil, nil
	return next
}

// bound cuts lists to what the schema holds: a status that is refused would
// tell nothing at all.
func bound(st *v1alpha1.CommonStatus) {
	st.Inputs = st.Inputs[:min(len(st.Inputs), maxInputs)]
	st.Warnings = boundTexts(st.Warnings, maxWarnings, maxWarning)
	st.Approximations = boundTexts(st.Approximations, maxWarnings, maxWarning)
	st.StepTimes = boundTexts(st.StepTimes, maxStepTimes, maxStepTime)
}

// boundTexts keeps so many texts, each of at most so many bytes.
func boundTexts(texts []string, most, bytes int) []string {
	var kept []string
	for _, text := range texts[:min(len(texts), most)] {
		kept = append(kept, clip(text, bytes))
	}
	return kept
}

// report makes next the status to write, with a verdict's conditions.
func (d reporter) report(next subject, v verdict) {
	st := next.status()
	st.ObservedGeneration = next.object().GetGeneration()
	before := readyReason(d.subject.status())
	if d.results.study != nil && (v.outcome == ongoing || v.outcome == complete) {
		v.message = join(v.message, d.results.study.notReused)
	}
	setTimes(st, d.subject, v, d.held, d.now)
	d.partial(st, v)
	setConditions(st, v, d.now)
	d.passed(st, v)
	d.lint(st)
	d.inputsChanged(st)
	d.resultsDamaged(st)
	fit(next)
	if v.newsworthy() && (before != v.reason || d.subject.status().ObservedGeneration != st.ObservedGeneration) {
		d.decision.news = append(d.decision.news, v.news())
	}
	if !equality.Semantic.DeepEqual(d.subject.object(), next.object()) {
		d.decision.status = next
	}
}

// partial says of the results of work that ended whether some are missing. Rows
// that were seen and have gone since are missing too.
func (d reporter) partial(st *v1alpha1.CommonStatus, v verdict) {
	if st.Results != nil {
		st.Results.Partial = v.outcome == failed && st.Results.Rows < int64(d.results.study.study.Simulations())
	}
}

// passed writes condition Passed. Of results that serve as they are it stays.
func (d reporter) passed(st *v1alpha1.CommonStatus, v verdict) {
	c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionPassed)
	switch {
	case d.plan == nil:
		setPassed(st, nil, 0, d.now)
	case v.outcome == complete && d.gatesVerdict == nil && c != nil:
		c.ObservedGeneration = st.ObservedGeneration
	default:
		setPassed(st, d.gatesVerdict, len(d.plan.Gates), d.now)
	}
}

// hinder decides what to tell where an act of a decision was refused: a status
// that says why, or nothing where the status says it already. The act is tried
// again later.
func hinder(w *observation, d decision, err error, now time.Time) decision {
	next := w.subject.copied()
	if d.status != nil {
		next = d.status.copied()
		// What was to be there may not be: the status must not name it.
		next.clearFigures()
		next.status().Results = w.subject.status().Results
	}
	again := &draft{observation: w, now: now}
	v := verdict{ongoing, v1alpha1.ReasonBlocked, err.Error()}
	if theirs := (stranger{}); errors.As(err, &theirs) {
		v = verdict{stalled, v1alpha1.ReasonConflict, theirs.Error()}
	}
	reporter{again}.report(next, v)
	return again.decision
}
