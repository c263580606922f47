// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// setTimes sets startTime, heldSince and completionTime. before is the subject as it is,
// st its next status.
func setTimes(st *v1alpha1.CommonStatus, before subject, v standing, held bool, now time.Time) {
	at := metav1.NewTime(now).Rfc3339Copy()
	if isNewWork(before, st) {
		st.StartTime, st.HeldSince, st.CompletionTime = nil, nil, nil
	}
	switch {
	case v.phase == phaseStalled:
		// Stalled work neither runs nor is held.
	case held:
		if st.HeldSince == nil {
			st.HeldSince = &at
		}
	case st.CompletionTime == nil:
		resumeTimes(st, at)
	}
	switch {
	case v.phase != phaseComplete && v.phase != phaseFailed:
		st.CompletionTime = nil
	case st.CompletionTime == nil:
		// Else it ended before, and only its message changed.
		st.CompletionTime = &at
	}
}

// isNewWork reports whether a status is the first one of new work: of another plan, or
// after a failure.
func isNewWork(before subject, st *v1alpha1.CommonStatus) bool {
	was := before.status()
	return was.PlanHash != st.PlanHash && st.PlanHash != "" ||
		isTrue(was, v1alpha1.ConditionFailed) && was.ObservedGeneration != before.object().GetGeneration()
}

// resumeTimes sets the start time, or moves it by the time that the work was held.
func resumeTimes(st *v1alpha1.CommonStatus, now metav1.Time) {
	switch {
	case st.StartTime == nil:
		st.StartTime = &now
	case st.HeldSince != nil:
		moved := metav1.NewTime(st.StartTime.Add(max(0, now.Sub(st.HeldSince.Time))))
		st.StartTime = &moved
	}
	st.HeldSince = nil
}

// deadline returns when the work has taken as long as it may; false where that is
// not bounded, or the clock does not run.
func deadline(s subject) (time.Time, bool) {
	st, seconds := s.status(), s.execution().ActiveDeadlineSeconds
	if seconds == nil || st.StartTime == nil || st.HeldSince != nil || s.execution().Suspend ||
		st.ObservedGeneration != s.object().GetGeneration() || settled(s) {
		return time.Time{}, false
	}
	return st.StartTime.Add(time.Duration(min(*seconds, maxDeadlineSeconds)) * time.Second), true
}

// maxDeadlineSeconds is a century, which no duration is too short for.
const maxDeadlineSeconds = 100 * 365 * 24 * 3600

// isPastDeadline reports whether the work has taken longer than it may.
func isPastDeadline(s subject, now time.Time) bool {
	at, bounded := deadline(s)
	return bounded && !now.Before(at)
}

// endAtDeadline ends work that has exceeded its deadline. Its pods are stopped, and have
// stopTimeout to report their results.
func (d decider) endAtDeadline() statement {
	d.cleaner.stopJobs("spec.execution.activeDeadlineSeconds has passed")
	if tooMany, ok := d.summarizer.updateIndex(); !ok {
		return tooMany
	}
	if at, _ := deadline(d.subject); d.job.podsAlive && d.now.Before(at.Add(stopTimeout)) {
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonRunning, joinMessages(progressMessage(d.results.study), stoppingMessage(d.currentJob())))
	}
	return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf(
		"the work exceeded spec.execution.activeDeadlineSeconds (%d s); %s",
		*d.subject.execution().ActiveDeadlineSeconds, progressMessage(d.results.study)))
}

// deleteAfterTTL deletes Jobs and plans of ended work after ttlSecondsAfterFinished. The
// status, which says that the work ended, stays.
func (d cleaner) deleteAfterTTL(s subject) {
	ttl := s.execution().TTLSecondsAfterFinished
	if ttl == nil || !settled(s) {
		return
	}
	lives := time.Duration(*ttl) * time.Second
	if left := completionTime(s.status()).Add(lives).Sub(d.now); left > 0 {
		// Another clock may have written an end that is yet to come here.
		d.requeueWithin(min(left, lives))
		return
	}
	const why = "spec.execution.ttlSecondsAfterFinished has passed"
	for _, job := range d.children.jobs {
		if job.DeletionTimestamp == nil && !d.deletesBeforeStatus(job) && !d.deletesAfterStatus(job) {
			d.deleteAfterStatus(job, why)
		}
	}
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if of := cm.Labels[LabelComponent]; (of == ComponentPlan || of == ComponentRound) && cm.DeletionTimestamp == nil && !d.deletesAfterStatus(cm) {
			d.deleteAfterStatus(cm, why)
		}
	}
}

// completionTime is when work ended. Statuses of older managers have only a condition.
func completionTime(st *v1alpha1.CommonStatus) time.Time {
	if st.CompletionTime != nil {
		return st.CompletionTime.Time
	}
	for _, typ := range []string{v1alpha1.ConditionComplete, v1alpha1.ConditionFailed} {
		if c := meta.FindStatusCondition(st.Conditions, typ); c != nil {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// requeueAtDeadline has the subject reconciled again at its deadline.
func (d decider) requeueAtDeadline(s subject) {
	if at, bounded := deadline(s); bounded {
		d.requeueWithin(max(at.Sub(d.now), time.Second))
	}
}
