// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
)

// world is all that a decision depends on besides the time. Nothing in it is
// changed once it was observed.
type world struct {
	subject subject
	// image is what worker pods run.
	image string
	// plan is what the spec asks for. It is nil where nothing needs it, or
	// where errs say what is wrong with the spec.
	plan *planned
	errs field.ErrorList
	// unsafe says why the spec is not compiled: errSuspect or errTooExpensive, or nil.
	unsafe error
	// late says that the work has taken longer than it may.
	late bool
	// ending says that the subject's namespace is being deleted, and waits for pods
	// that are kept for their Jobs. Nothing else is looked at then.
	ending bool
	// inputs are those of the plan as the status is to name them, and changes those
	// that are something else by now.
	inputs  []v1alpha1.InputDigest
	changes []inputChange
	// jobs are all Jobs that the subject owns, by name.
	jobs []*batchv1.Job
	// configMaps are all ConfigMaps that the subject owns, by name, without
	// their data.
	configMaps []metav1.PartialObjectMetadata
	// standing is how far the plan's study is. It is nil where there is no plan, or
	// where that is too large.
	standing *standing
	// task is the Job to create next; nil where one is at work, or nothing is
	// left.
	task *task
	// pods are those of the round's Job. After the Job's end they are read from
	// the API server: what they lack then will not come. reports are what the
	// pods say; nil where there is no Job.
	pods    []corev1.Pod
	reports *reports
	// alive says that some of them have not ended. again counts the simulations that
	// are known and that the Job would do again: those of shards that were stopped.
	alive bool
	again int
	// underway counts the simulations that the Job's shards say they have done, and that
	// have no rows yet.
	underway int
	// warnings are what events tell of the round's Job, where it lacks pods, and of
	// pods that do not start, by UID.
	warnings map[types.UID]string
	// crowded says that pods of the round's Job have waited long for room on full nodes,
	// and that pods of other objects hold some of that.
	crowded bool
	// named are the chunks of a complete subject, as its index lists them; nil
	// where nobody needs to know.
	named map[string]bool
	// damaged says what is wrong with the results of a complete subject.
	damaged []*fault
	// followers are the SimulationRuns of the best points.
	followers []*v1alpha1.SimulationRun
	// strangers name objects that bear a name that the subject needs and that
	// belong to somebody else.
	strangers []string
	// account is the state of the workers' account.
	account account
}

// planned is a plan with what it is named by.
type planned struct {
	*hashedPlan
	// prefix begins the names of what belongs to the plan and to no Job.
	prefix string
	// versions are the resource versions of the inputs that it was just compiled
	// from, by their names in the status; nil where it was known before.
	versions map[string]string
}

func newPlanned(p *hashedPlan, s subject) *planned {
	return &planned{hashedPlan: p, prefix: planPrefix(s.object().GetUID(), s.object().GetName(), p.hash)}
}

// account says which parts of the workers' account are there.
type account struct{ serviceAccount, roleBinding bool }

// job returns the last Job of the round under way, or nil.
func (w *world) job() *batchv1.Job {
	if w.standing == nil || w.standing.round == nil {
		return nil
	}
	var last *batchv1.Job
	for _, job := range w.jobs {
		if w.isOf(job, w.standing.round.Index) && (last == nil || attemptOf(job) > attemptOf(last)) {
			last = job
		}
	}
	return last
}

// maxLosses is after how many Jobs of a round that ended without all of their
// results nothing is tried any more.
const maxLosses = 4

// next returns the Job to create for the round under way; nil where one is at work
// or has failed. Results that ended Jobs did not leave, such as those of pods whose
// nodes went before they were asked, are simulated again in another Job. So is what
// is left of a Job that was stopped half-way.
func (w *world) next() *task {
	job := w.job()
	if job == nil {
		return newTask(w.subject, w.plan, w.standing, 0)
	}
	losses := lossesOf(job)
	done, bad := finished(job)
	switch {
	case !done && !w.interrupted(job), bad && !gaveUp(w.standing.lost, job):
		return nil
	case done:
		if losses++; losses == maxLosses {
			return nil
		}
	}
	t := newTask(w.subject, w.plan, w.standing, attemptOf(job)+1)
	t.losses, t.held = losses, !done && isSuspended(job) && !lastWantedSuspended(job)
	return t
}

// interrupted reports whether a Job is suspended, has come to rest, and would begin
// again what it has done a part of, all of which the status names: its pods may be
// gone by now.
func (w *world) interrupted(job *batchv1.Job) bool {
	return isSuspended(job) && w.again > 0 && !w.alive && !w.fresh()
}

// fresh reports whether there are rows that the status does not name.
func (w *world) fresh() bool {
	named := int64(0)
	if results := w.subject.status().Results; results != nil && w.subject.status().PlanHash == w.plan.hash {
		named = results.Rows
	}
	rows := int64(len(w.standing.borrowed))
	for _, ref := range w.standing.chunks {
		rows += int64(ref.Rows)
	}
	return rows != named
}

// gaveUp reports whether the shards of a Job that failed were given up.
func gaveUp(lost []experiment.Lost, job *batchv1.Job) bool {
	return slices.ContainsFunc(lost, func(l experiment.Lost) bool { return l.Job == job.Name })
}

// isOf reports whether a Job simulates a round of the plan as the spec wants it
// to be run.
func (w *world) isOf(job *batchv1.Job, round int) bool {
	return job.Labels[LabelPlan] == planLabel(w.plan.hash) && job.Labels[LabelRound] == strconv.Itoa(round) &&
		job.Annotations[AnnotationExecution] == executionDigest(w.subject.execution())
}

// hasJob reports whether the subject owns a Job of a name.
func (w *world) hasJob(name string) bool {
	return slices.ContainsFunc(w.jobs, func(job *batchv1.Job) bool { return job.Name == name })
}

// hasConfigMap reports whether the subject owns a ConfigMap of a name.
func (w *world) hasConfigMap(name string) bool {
	return slices.ContainsFunc(w.configMaps, func(cm metav1.PartialObjectMetadata) bool { return cm.Name == name })
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

// repeats reports whether the subject's spec was edited after a failure that its Jobs
// can only repeat: they failed, or what they reported cannot be read.
func (w *world) repeats() bool {
	st := w.subject.status()
	if len(w.jobs) == 0 || st.ObservedGeneration == w.subject.object().GetGeneration() || !isTrue(st, v1alpha1.ConditionFailed) {
		return false
	}
	switch readyReason(st) {
	case v1alpha1.ReasonJobFailed, v1alpha1.ReasonInvalid, v1alpha1.ReasonResultMissing, v1alpha1.ReasonResultCorrupt:
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
