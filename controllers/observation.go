// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"net/netip"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// observation is all that a decision depends on besides the time. Nothing in it is
// changed once it was made.
type observation struct {
	subject subject
	// image is what worker pods run.
	image string
	// pastDeadline says that the work has taken longer than it may.
	pastDeadline bool
	// namespaceTerminating says that the subject's namespace is being deleted, and waits
	// for pods that are kept for their Jobs. Nothing else is observed then.
	namespaceTerminating bool
	// plan is what the spec asks for. It is nil where nothing needs it, or where
	// specErrors say what is wrong with the spec.
	plan       *subjectPlan
	specErrors field.ErrorList
	// unsafe says why the spec is not compiled: errSuspect, errTooExpensive or
	// errSlow, or nil.
	unsafe error
	// apiServers are the addresses of the API server, where something is lacking beside a live run's Job.
	apiServers []netip.AddrPort
	// task is the Job to create next; nil where one is at work, or nothing is left.
	task *task

	inputs   observedInputs
	children observedChildren
	job      observedJob
	results  observedResults
}

// observedInputs are the inputs of the plan.
type observedInputs struct {
	// pinned are all of them, as the status is to name them.
	pinned []v1alpha1.InputDigest
	// changed are those whose content has changed since.
	changed []inputChange
}

// observedResults are what is known of the results of the plan.
type observedResults struct {
	// study is how far the plan's study is. It is nil where there is no plan, or where
	// that is too large.
	study *studyState
	// rehearsal is what the pod of a live run reported; nil where none has in this look.
	rehearsal *store.Rehearsal
	// indexed are the chunks of a complete subject, as its index lists them; nil where
	// nothing depends on them.
	indexed map[string]bool
	// damaged says what is wrong with the results of a complete subject.
	damaged []*fault
}

// currentJob returns the last Job of the current round, or nil.
func (w *observation) currentJob() *batchv1.Job {
	if w.results.study == nil || w.results.study.over() {
		return nil
	}
	var last *batchv1.Job
	for _, job := range w.children.jobs {
		if job.Labels[LabelComponent] == w.results.study.component() && w.isCurrent(job, w.results.study.index()) && (last == nil || attemptOf(job) > attemptOf(last)) {
			last = job
		}
	}
	return last
}

// maxLosses is after how many Jobs of a round that ended without all of their
// results nothing is tried any more.
const maxLosses = 4

// nextTask returns the Job to create for the current round; nil where one is at work
// or has failed. Results that ended Jobs did not leave, such as those of pods whose
// nodes went before they were asked, are simulated again in another Job. So is what
// is left of a Job that was stopped half-way.
func (w *observation) nextTask() *task {
	job := w.currentJob()
	if job == nil {
		return newTask(w.subject, w.plan, w.results.study, 0)
	}
	losses := lossesOf(job)
	done, bad := finished(job)
	switch {
	case !done && !w.stoppedPartway(job), bad && !gaveUp(w.results.study.lost, job):
		return nil
	case done:
		if losses++; losses == maxLosses {
			return nil
		}
	}
	t := newTask(w.subject, w.plan, w.results.study, attemptOf(job)+1)
	t.losses, t.held = losses, !done && isSuspended(job) && !lastWantedSuspended(job)
	return t
}

// stoppedPartway reports whether a Job is suspended, has come to rest, and would begin
// again what it has done a part of, all of which the status names: its pods may be
// gone by now.
func (w *observation) stoppedPartway(job *batchv1.Job) bool {
	return isSuspended(job) && w.job.repeated > 0 && !w.job.podsAlive && !w.hasUnindexedRows()
}

// hasUnindexedRows reports whether there are rows or proposals that the status does not name.
func (w *observation) hasUnindexedRows() bool {
	if w.results.study.hasUnindexedProposals() {
		return true
	}
	named := int64(0)
	if results := w.subject.status().Results; results != nil && w.subject.status().PlanHash == w.plan.hash {
		named = results.Rows
	}
	rows := int64(len(w.results.study.borrowed))
	for _, ref := range w.results.study.chunks {
		rows += int64(ref.Rows)
	}
	return rows != named
}

// gaveUp reports whether the shards of a Job that failed were given up.
func gaveUp(lost []store.Lost, job *batchv1.Job) bool {
	return slices.ContainsFunc(lost, func(l store.Lost) bool { return l.Job == job.Name })
}

// isCurrent reports whether a Job simulates a round of the plan as the spec wants it
// to be run, with the policies of the answers that the round has, or asks for them.
func (w *observation) isCurrent(job *batchv1.Job, round int) bool {
	asks := job.Labels[LabelComponent] == ComponentProposer
	return (asks || job.Annotations[AnnotationProposals] == w.results.study.proposalsOf(round)) &&
		job.Labels[LabelPlan] == planLabel(w.plan.hash) && job.Labels[LabelRound] == strconv.Itoa(round) &&
		job.Annotations[AnnotationExecution] == executionDigest(w.subject.execution())
}

// shardsOf is the number of a Job's shards.
func shardsOf(job *batchv1.Job) int { return int(ptr.Deref(job.Spec.Completions, 1)) }

// settled reports whether the subject's generation came to an end, good or bad.
// Such a status is never taken back: only another spec starts work again.
func settled(s subject) bool {
	st := s.status()
	return st.ObservedGeneration == s.object().GetGeneration() &&
		(isTrue(st, v1alpha1.ConditionComplete) || isTrue(st, v1alpha1.ConditionFailed))
}

// editedAfterFailure reports whether the subject's spec was edited after a failure that its Jobs
// can only repeat: they failed, or what they reported cannot be read.
func (w *observation) editedAfterFailure() bool {
	st := w.subject.status()
	if len(w.children.jobs) == 0 || st.ObservedGeneration == w.subject.object().GetGeneration() || !isTrue(st, v1alpha1.ConditionFailed) {
		return false
	}
	switch readyReason(st) {
	case v1alpha1.ReasonJobFailed, v1alpha1.ReasonInvalid, v1alpha1.ReasonResultMissing, v1alpha1.ReasonResultCorrupt, v1alpha1.ReasonEndpointPickerFailed:
		return true
	}
	return false
}

// finished reports whether a Job has ended, and whether it has failed.
func finished(job *batchv1.Job) (done, failed bool) {
	for _, c := range job.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			return true, false
		case batchv1.JobFailed:
			return true, true
		}
	}
	return false, false
}
