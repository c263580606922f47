// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// jobRunner decides on the Job of the round under way: to create it, to suspend it and
// to let it run.
type jobRunner struct {
	*draft
	reporter   reporter
	cleaner    cleaner
	summarizer summarizer
}

// work starts the Job of the round under way, or looks after it.
func (d jobRunner) work() {
	// Before a Job is created that leaves out what is known, the status names
	// that. Later it need not be exact.
	if !d.summarizer.index(d.task != nil || d.hasUnindexedRows()) {
		return
	}
	if d.task != nil && d.children.hasJob(d.task.job) {
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s was changed by somebody; it is created again once it is gone", d.task.job)})
		return
	}
	if d.task != nil {
		d.prepare()
		d.start()
		d.cleaner.cleanRounds(d.results.study.last, d.task.attempt, d.plan.hash)
		return
	}
	job := d.currentJob()
	// A manager that died before it did so leaves it to this one.
	d.cleaner.cleanRounds(d.results.study.last, attemptOf(job), d.plan.hash)
	done, bad := finished(job)
	switch {
	case bad && invalidInput(job, d.job.pods) != "":
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonInvalid, invalidInput(job, d.job.pods)})
	case bad:
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonJobFailed, failureWords(job, d.job.pods, d.results.study)})
	case done:
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonResultMissing, fmt.Sprintf(
			"Job %s is complete, but results are missing: %s", job.Name, d.job.reports.missing())})
	case job.DeletionTimestamp != nil:
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s was deleted by somebody; it is created again once it is gone", job.Name)})
	case !d.children.hasConfigMap(roundName(job.Name)):
		d.do(act{remove, job, "its pods cannot start: the ConfigMap that says what they simulate is gone"})
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s lacks its ConfigMap; it is created again once it is gone", job.Name)})
	default:
		d.prepare()
		d.cleaner.cleanProgress(job)
		d.follow(job)
	}
}

// prepare makes what a Job's pods need.
func (d jobRunner) prepare() {
	namespace := d.subject.object().GetNamespace()
	if !d.children.account.serviceAccount {
		d.do(act{create, makeServiceAccount(namespace), "worker pods run under it, and the namespace has none"})
	}
	if !d.children.account.roleBinding {
		d.do(act{create, makeRoleBinding(namespace), "worker pods may create their results through it, and the namespace has none"})
	}
	if !d.children.hasConfigMap(planName(d.plan.prefix)) {
		d.do(act{create, makePlanConfigMap(d.subject, d.plan), "worker pods read the plan from it"})
	}
}

// start creates the Job of the round under way, and deletes those of the rounds
// before.
func (d jobRunner) start() {
	if size := len(d.task.work); size > maxPlanBytes {
		d.reporter.report(d.reporter.planned(), verdict{failed, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"round %d takes %d KiB, and a ConfigMap can hold %d of it: use smaller generations", d.task.round+1, size>>10, maxPlanBytes>>10)})
		return
	}
	if !d.children.hasConfigMap(roundName(d.task.job)) {
		d.do(act{create, makeRoundConfigMap(d.subject, d.plan, d.task), "worker pods read from it what to simulate"})
	}
	job := makeJob(d.subject, d.plan, d.task, d.image)
	d.do(act{create, job, d.startWords()})
	// What is known of pods is of another Job's.
	w := *d.observation
	w.job.pods, w.job.podsAlive, w.job.repeated, w.job.underway = nil, false, 0, 0
	d.observation = &w
	d.follow(job)
}

// follow reports how far a Job is, and passes the spec's suspend on to it where
// that changed. What others did to the Job's suspend since stays: that is how
// Kueue admits and evicts.
func (d jobRunner) follow(job *batchv1.Job) {
	want, held, ours := d.subject.execution().Suspend, isSuspended(job), lastWantedSuspended(job)
	switch {
	case want && !ours:
		d.do(act{suspend, job, "spec.execution.suspend is true now"})
	case !want && ours && (!held || d.job.repeated == 0):
		d.do(act{resume, job, "the spec wants it to run"})
		held = false
	case !held && d.job.repeated > 0 && d.job.repeated*worthIndexing >= d.results.study.round.Simulations() && !queued(job):
		d.do(act{suspend, job, fmt.Sprintf("it would do %s again; another Job does what is left", count(d.job.repeated, "simulation"))})
		held, ours = true, true
	}
	st := d.results.study
	switch {
	case want:
		d.held = true
		d.reporter.report(d.reporter.planned(), verdict{suspended, v1alpha1.ReasonSuspended, "spec.execution.suspend is true; " + progressWords(st)})
	case held && ours:
		d.lookAgain(stopPatience)
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonRunning, join(progressWords(st), stoppingWords(job))})
	case held:
		d.held = true
		d.reporter.report(d.reporter.planned(), verdict{ongoing, v1alpha1.ReasonPending, heldWords(st, job)})
	case started(d.job.pods) || st.done > 0:
		d.onTheWay(job, v1alpha1.ReasonRunning, d.runningWords(job))
	default:
		d.onTheWay(job, v1alpha1.ReasonPending, d.waitingWords(job))
	}
}

// onTheWay reports work that nobody holds: of a reason, unless something keeps its
// pods from running.
func (d jobRunner) onTheWay(job *batchv1.Job, reason, message string) {
	switch held := d.job.standstill(job, d.now); held {
	case "":
	case v1alpha1.ReasonWaitingForCapacity:
		reason, message = held, join(message, "other pods of Windtunnel hold the room that it needs; it starts once they end")
	default:
		reason = held
	}
	d.decision.requeueAfter = sooner(d.decision.requeueAfter, lookAgain(job, d.job.pods, d.now))
	next := d.reporter.planned()
	p := next.status().Progress
	if p.Underway = d.reporter.shownUnderway(p.Completed); p.Underway > 0 {
		message = join(message, fmt.Sprintf("shards under way say that %d more are", p.Underway))
	}
	d.reporter.report(next, verdict{ongoing, reason, message})
}

// startWords tells what a Job is created for.
func (d jobRunner) startWords() string {
	words := fmt.Sprintf("%s to run in %s", roundWords(d.results.study, count(d.task.simulations, "simulation")), count(d.task.shards, "shard"))
	job := d.currentJob()
	if d.task.attempt == 0 {
		return words
	}
	if done, _ := finished(job); !done {
		return words + fmt.Sprintf(", since Job %s was stopped before its end", job.Name)
	}
	words += fmt.Sprintf(", since Job %s is over and left no results of them", job.Name)
	return words
}

func (d jobRunner) runningWords(job *batchv1.Job) string {
	return join(progressWords(d.results.study), d.job.troubles(job))
}

// waitingWords tells why no pod of a Job runs yet.
func (d jobRunner) waitingWords(job *batchv1.Job) string {
	return join(fmt.Sprintf("Job %s waits for its pods", job.Name), d.job.troubles(job))
}
