// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// jobRunner decides on the Job of the current round: to create it, to suspend it and
// to let it run.
type jobRunner struct {
	*draft
	reporter   reporter
	cleaner    cleaner
	summarizer summarizer
}

// reconcileJob creates the Job of the current round, or follows it.
func (d jobRunner) reconcileJob() statement {
	// Before a Job is created that leaves out what is known, the status names
	// that. Later it need not be exact.
	if d.task != nil || d.hasUnindexedRows() {
		if tooMany, ok := d.summarizer.updateIndex(); !ok {
			return tooMany
		}
	}
	if d.task != nil && d.children.hasJob(d.task.job) {
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonPending, fmt.Sprintf(
			"another client changed Job %s; the manager creates it again once it is deleted", d.task.job))
	}
	if d.task != nil {
		d.createPrerequisites()
		created := d.createJob()
		d.cleaner.deleteOldRounds(d.results.study.index(), d.task.attempt, d.plan.hash)
		return created
	}
	job := d.currentJob()
	// A former manager may have been killed before it did so.
	d.cleaner.deleteOldRounds(d.results.study.index(), attemptOf(job), d.plan.hash)
	done, bad := finished(job)
	failure := ""
	if d.plan.Live != nil {
		failure = pickerFailure(d.job.pods)
	}
	switch {
	case failure != "":
		d.cleaner.stopJobs("the EPP ended")
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonEndpointPickerFailed, failure)
	case bad && invalidInput(job, d.job.pods) != "":
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonInvalid, invalidInput(job, d.job.pods))
	case bad:
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonJobFailed, jobFailedMessage(job, d.job.pods, d.results.study))
	case done:
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonResultMissing, fmt.Sprintf(
			"Job %s is complete, but results are missing: %s", job.Name, d.job.reports.missing()))
	case job.DeletionTimestamp != nil:
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonPending, fmt.Sprintf(
			"another client deleted Job %s; the manager creates it again once the deletion is complete", job.Name))
	case !d.children.hasConfigMap(roundName(job.Name)):
		d.act(action{verbDelete, job, "its pods cannot start because their round ConfigMap does not exist"})
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonPending, fmt.Sprintf(
			"the round ConfigMap of Job %s does not exist; the manager creates both again once the Job is deleted", job.Name))
	}
	d.createPrerequisites()
	d.cleaner.deleteOldProgress(job)
	return d.followJob(job)
}

// createPrerequisites creates the objects that a Job's pods need: their account and the
// plan's ConfigMap.
func (d jobRunner) createPrerequisites() {
	namespace := d.subject.object().GetNamespace()
	if !d.children.account.serviceAccount {
		d.act(action{verbCreate, makeServiceAccount(namespace), "worker pods run as it, and the namespace has none"})
	}
	if !d.children.account.roleBinding {
		d.act(action{verbCreate, makeRoleBinding(namespace), "it lets worker pods create ConfigMaps for results, and the namespace has none"})
	}
	if !d.children.hasConfigMap(planName(d.plan.prefix)) {
		d.act(action{verbCreate, makePlanConfigMap(d.subject, d.plan), "worker pods read the plan from it"})
	}
}

// createJob creates the Job of the current round, and deletes those of the rounds
// before.
func (d jobRunner) createJob() statement {
	if size := len(d.task.work); size > maxPlanBytes {
		return d.reporter.withPlan(phaseFailed, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"round %d takes %d KiB, but a ConfigMap holds at most %d KiB: use smaller generations", d.task.round+1, size>>10, maxPlanBytes>>10))
	}
	if !d.children.hasConfigMap(roundName(d.task.job)) {
		d.act(action{verbCreate, makeRoundConfigMap(d.subject, d.plan, d.task), "worker pods read their simulations from it"})
	}
	job := makeJob(d.subject, d.plan, d.task, d.image)
	d.act(action{verbCreate, job, d.startReason()})
	// What is known of pods is of another Job's.
	w := *d.observation
	w.job.pods, w.job.podsAlive, w.job.repeated, w.job.underway = nil, false, 0, 0
	d.observation = &w
	return d.followJob(job)
}

// followJob reports how far a Job is, and passes the spec's suspend on to it where
// that changed. What others did to the Job's suspend since stays: that is how
// Kueue admits and evicts.
func (d jobRunner) followJob(job *batchv1.Job) statement {
	want, held, ours := d.subject.execution().Suspend, isSuspended(job), lastWantedSuspended(job)
	switch {
	case want && !ours:
		d.act(action{verbSuspend, job, "spec.execution.suspend is true"})
	case !want && ours && (!held || d.job.repeated == 0):
		d.act(action{verbResume, job, "spec.execution.suspend is false"})
		held = false
	case !held && d.job.repeated > 0 && d.job.repeated*indexFraction >= d.results.study.round.Simulations() && !queued(job):
		d.act(action{verbSuspend, job, fmt.Sprintf("it would repeat %s; another Job runs the remaining ones", quantity(d.job.repeated, "simulation"))})
		held, ours = true, true
	}
	if d.plan.Live != nil && !want && !held {
		d.startEngines(job)
	}
	st := d.results.study
	switch {
	case want:
		return d.reporter.withPlan(phaseSuspended, v1alpha1.ReasonSuspended, "spec.execution.suspend is true; "+progressMessage(st)).whileHeld()
	case held && ours:
		d.requeueWithin(stopTimeout)
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonRunning, joinMessages(progressMessage(st), stoppingMessage(job)))
	case held:
		return d.reporter.withPlan(phaseReconciling, v1alpha1.ReasonPending, heldMessage(st, job)).whileHeld()
	case anyStarted(d.job.pods) || st.done > 0:
		return d.active(job, v1alpha1.ReasonRunning, d.runningMessage(job))
	}
	return d.active(job, v1alpha1.ReasonPending, d.pendingMessage(job))
}

// active reports work that is not held, with a reason, or with the reason that
// keeps its pods from running.
func (d jobRunner) active(job *batchv1.Job, reason, message string) statement {
	switch held := d.job.blockedReason(job, d.now); held {
	case "":
	case v1alpha1.ReasonWaitingForCapacity:
		reason, message = held, joinMessages(message, "other Windtunnel pods use the capacity that it needs; it starts when they end")
	default:
		reason = held
	}
	d.decision.requeueAfter = sooner(d.decision.requeueAfter, requeueForPods(job, d.job.pods, d.now))
	next := d.reporter.planned()
	p := next.status().Progress
	if p.Underway = d.reporter.shownUnderway(p.Completed); p.Underway > 0 {
		message = joinMessages(message, fmt.Sprintf("running shards report %d more", p.Underway))
	}
	return statement{next: next, standing: standing{phaseReconciling, reason, message}}
}

// startReason says why a Job is created.
func (d jobRunner) startReason() string {
	words := fmt.Sprintf("%s in %s", withRound(d.results.study, quantity(d.task.simulations, "simulation")), quantity(d.task.shards, "shard"))
	if d.task.asks() {
		words = progressMessage(d.results.study)
	}
	job := d.currentJob()
	if d.task.attempt == 0 {
		return words
	}
	if done, _ := finished(job); !done {
		return words + fmt.Sprintf(", because Job %s was stopped before it ended", job.Name)
	}
	words += fmt.Sprintf(", because Job %s ended without their results", job.Name)
	return words
}

func (d jobRunner) runningMessage(job *batchv1.Job) string {
	return joinMessages(progressMessage(d.results.study), d.job.problems(job))
}

// pendingMessage says why no pod of a Job runs yet.
func (d jobRunner) pendingMessage(job *batchv1.Job) string {
	return joinMessages(fmt.Sprintf("no pod of Job %s runs yet", job.Name), d.job.problems(job))
}
