// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// setTimes writes when the work began, since when it is held and when it ended.
// before is the subject as it is, st its next status.
func setTimes(st *v1alpha1.CommonStatus, before subject, v verdict, held bool, now time.Time) {
	at := metav1.NewTime(now).Rfc3339Copy()
	if anew(before, st) {
		st.StartTime, st.HeldSince, st.CompletionTime = nil, nil, nil
	}
	switch {
	case v.outcome == stalled:
		// Nothing works, and nothing is held that could.
	case held:
		if st.HeldSince == nil {
			st.HeldSince = &at
		}
	case st.CompletionTime == nil:
		release(st, at)
	}
	switch {
	case v.outcome != complete && v.outcome != failed:
		st.CompletionTime = nil
	case st.CompletionTime == nil:
		// Else it ended before, and only what is told of it has changed.
		st.CompletionTime = &at
	}
}

// anew reports whether a status is the first one of new work: of another plan, or
// after a failure.
func anew(before subject, st *v1alpha1.CommonStatus) bool {
	was := before.status()
	return was.PlanHash != st.PlanHash && st.PlanHash != "" ||
		isTrue(was, v1alpha1.ConditionFailed) && was.ObservedGeneration != before.object().GetGeneration()
}

// release starts the clock, or sets it on by the time that work was held.
func release(st *v1alpha1.CommonStatus, now metav1.Time) {
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
	return st.StartTime.Add(time.Duration(min(*seconds, maxSeconds)) * time.Second), true
}

// maxSeconds is a century, which no duration is too short for.
const maxSeconds = 100 * 365 * 24 * 3600

// late reports whether the work has taken longer than it may.
func late(s subject, now time.Time) bool {
	at, bounded := deadline(s)
	return bounded && !now.Before(at)
}

// expire ends work that has taken too long. Its pods, which are stopped, have some
// time to say what they have done.
func (d decider) expire() {
	d.cleaner.halt("spec.execution.activeDeadlineSeconds have passed")
	if !d.summarizer.index(true) {
		return
	}
	if at, _ := deadline(d.subject); d.job.podsAlive && d.now.Before(at.Add(stopPatience)) {
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonRunning, join(progressWords(d.results.study), stoppingWords(d.currentJob()))})
		return
	}
	d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonDeadlineExceeded, fmt.Sprintf(
		"the work took longer than the %d s of spec.execution.activeDeadlineSeconds; %s",
		*d.subject.execution().ActiveDeadlineSeconds, progressWords(d.results.study))})
}

// retire deletes what ended work does not need any more, once its time has come.
// What says that it ended is the status, which stays.
func (d cleaner) retire() {
	s := d.reported()
	ttl := s.execution().TTLSecondsAfterFinished
	if ttl == nil || !settled(s) {
		return
	}
	lives := time.Duration(*ttl) * time.Second
	if left := endOf(s.status()).Add(lives).Sub(d.now); left > 0 {
		// Another clock may have written an end that is yet to come here.
		d.lookAgain(min(left, lives))
		return
	}
	const why = "spec.execution.ttlSecondsAfterFinished have passed"
	for _, job := range d.children.jobs {
		if job.DeletionTimestamp == nil && !d.removes(job) && !d.cleans(job) {
			d.clean(job, why)
		}
	}
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if of := cm.Labels[LabelComponent]; (of == ComponentPlan || of == ComponentRound) && cm.DeletionTimestamp == nil && !d.cleans(cm) {
			d.clean(cm, why)
		}
	}
}

// endOf is when work ended; statuses of older managers say so in a condition alone.
func endOf(st *v1alpha1.CommonStatus) time.Time {
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

// watchClock has the subject looked at again when its work has taken as long as it
// may.
func (d decider) watchClock() {
	if at, bounded := deadline(d.reported()); bounded {
		d.lookAgain(max(at.Sub(d.now), time.Second))
	}
}
