// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// maxPlanBytes bounds an encoded plan: its ConfigMap holds a mebibyte, and the
// metadata and encoding need room too.
const maxPlanBytes = 900 << 10

// conflictInterval is how often a conflict is looked at again: no watch tells
// when a stranger's object goes.
const conflictInterval = time.Minute

// decide says what to do about a world. It is pure: equal worlds and times give
// equal decisions, and once a decision is carried out, deciding again finds
// nothing more to do.
func decide(w *world, now time.Time) decision {
	d := &decider{world: w, now: now, results: w.subject.status().Results, named: w.named}
	switch {
	case w.subject.object().GetDeletionTimestamp() != nil:
		// The garbage collector takes the children.
		return d.decision
	case w.ending:
		d.leave()
		return d.decision
	case settled(w.subject):
		d.stay()
		d.collect(w.subject.status())
	case w.unsafe != nil:
		d.spare()
	case len(w.errs) > 0:
		d.refuse()
	case w.plan.size > maxPlanBytes:
		d.tooLarge()
	case w.repeats():
		d.startOver()
	default:
		d.pursue()
	}
	d.retire()
	d.watchClock()
	return d.decision
}

// decider gathers a decision.
type decider struct {
	*world
	now      time.Time
	decision decision
	// results are what the status is to name.
	results *v1alpha1.ResultsStatus
	// named are the chunks that the index lists; nil where that is not known.
	named map[string]bool
	// judged is what came of the gates; nil where there are none, or no results
	// yet.
	judged *experiment.Verdict
	// remark says what was not done for a complete subject.
	remark string
	// nothing says that nothing was served, and why; "" where something was.
	nothing string
	// awaited are children that are to go before others can bear their names.
	awaited []string
	// held says that the spec or a queue holds the work.
	held bool
}

// do adds an act.
func (d *decider) do(a act) { d.decision.acts = append(d.decision.acts, a) }

// clean adds an act of the cleanup.
func (d *decider) clean(object client.Object, why string) {
	d.decision.cleanup = append(d.decision.cleanup, act{remove, object, why})
}

// spare leaves a spec uncompiled at which managers died.
func (d *decider) spare() {
	if errors.Is(d.unsafe, errTooExpensive) {
		d.removeJobs("compiling the spec killed the manager")
		d.report(d.unplanned(), verdict{stalled, v1alpha1.ReasonTooExpensive, fmt.Sprintf(
			"the manager was killed %d times while it compiled this spec, the last time nothing else; it is not tried again: edit the spec, with fewer values or smaller inputs", maxDeaths)})
		return
	}
	d.lookAgain(suspectDelay)
	d.report(d.subject.copied(), verdict{ongoing, v1alpha1.ReasonPending,
		"the manager was killed while it compiled this spec, maybe because of it: it is tried again alone, after the others"})
}

// refuse stops the work of a spec that cannot be compiled.
func (d *decider) refuse() {
	reason := v1alpha1.ReasonInvalid
	if experiment.MissingInputs(d.errs) {
		reason = v1alpha1.ReasonInputMissing
	}
	d.removeJobs("the spec cannot be compiled any more")
	d.report(d.unplanned(), verdict{stalled, reason, errorWords(d.errs)})
}

// tooLarge refuses a plan that no ConfigMap can hold.
func (d *decider) tooLarge() {
	d.removeJobs("the spec's plan is too large")
	d.report(d.unplanned(), verdict{stalled, v1alpha1.ReasonInvalid, fmt.Sprintf(
		"the plan takes %d KiB, and a ConfigMap can hold %d of it: use fewer or smaller clients, profiles and seeds",
		d.plan.size>>10, maxPlanBytes>>10)})
}

// pursue goes on with a plan.
func (d *decider) pursue() {
	if stillComplete(d.world) {
		next := d.subject.copied()
		next.status().Inputs = d.inputs
		d.report(next, d.completeAgain())
		d.collect(d.subject.status())
		return
	}
	d.removeJobs("another plan, or another way to run it, is asked for: by an edit, or by another engine")
	st := d.standing
	switch {
	case st.fault != nil:
		d.halt("its results cannot be used")
		d.report(d.planned(), verdict{failed, st.fault.reason, st.fault.message})
	case st.failure != nil:
		d.halt("too many points failed")
		d.index(true)
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonTrialsFailed, st.failure.Error()})
	case len(d.strangers) > 0:
		d.lookAgain(conflictInterval)
		d.report(d.planned(), verdict{stalled, v1alpha1.ReasonConflict, strangerWords(d.strangers)})
	case st.round == nil:
		d.complete()
	case d.late:
		d.expire()
	default:
		d.work()
	}
}

// stillComplete reports whether the spec was edited without touching what is
// simulated: then the results serve as they are.
func stillComplete(w *world) bool {
	st := w.subject.status()
	return st.PlanHash == w.plan.hash && isTrue(st, v1alpha1.ConditionComplete) &&
		!wantsFiles(w.subject) && !hasRollout(w.subject)
}

// complete sums all results up.
func (d *decider) complete() {
	if !d.index(true) {
		return
	}
	next := d.planned()
	if err := d.sumUp(next); err != nil {
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonResultCorrupt, fmt.Sprintf("the results do not sum up: %v", err)})
		return
	}
	if d.standing.lostRows > 0 {
		next.status().Gates, d.judged = nil, nil
		d.report(next, verdict{failed, v1alpha1.ReasonShardsFailed, lostWords(d.standing)})
		return
	}
	if len(d.awaited) > 0 {
		d.judged = nil
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf("%s; it is created again once that is gone", some(d.awaited))})
		return
	}
	d.report(next, d.completeVerdict(next.status()))
	d.collect(next.status())
}

// sumUp fills in what came of the study.
func (d *decider) sumUp(next subject) error {
	if results := next.status().Results; results != nil && d.standing.lostRows == 0 {
		digest, err := result.RowsDigest(d.standing.study.Rows())
		if err != nil {
			return err
		}
		results.Digest = digest
	}
	d.nothing = result.NothingServed(d.standing.study.Rows())
	var err error
	if err := next.fill(d.standing.study); err != nil {
		return err
	}
	if d.judged, err = d.standing.study.Verdict(); err != nil {
		return err
	}
	sw, isSweep := next.(sweep)
	switch {
	case !isSweep:
		return nil
	case d.standing.lostRows > 0:
		return d.leaderboard(sw)
	}
	return errors.Join(d.leaderboard(sw), d.rollOut(sw))
}

// leaderboard has the status name a ConfigMap of the best points.
func (d *decider) leaderboard(sw sweep) error {
	cm, err := makeLeaderboard(d.subject, d.plan, d.standing.study)
	if err != nil {
		return err
	}
	if sw.Status.Leaderboard = cm.Name; !d.hasConfigMap(cm.Name) {
		d.do(act{ensure, cm, "it holds the best points with all their figures"})
	}
	return nil
}

// completeVerdict says that all results are there, and first of all if they are
// of no use.
func (d *decider) completeVerdict(st *v1alpha1.CommonStatus) verdict {
	done := join(doneWords(st.Progress), d.remark)
	if d.nothing != "" {
		return verdict{complete, v1alpha1.ReasonNothingServed, join(d.nothing, done)}
	}
	return verdict{complete, v1alpha1.ReasonComplete, done}
}

// completeAgain is the verdict on a subject that is complete already, whose rows
// were not read again.
func (d *decider) completeAgain() verdict {
	st := d.subject.status()
	if c := meta.FindStatusCondition(st.Conditions, v1alpha1.ConditionComplete); c != nil && c.Reason == v1alpha1.ReasonNothingServed {
		return verdict{complete, c.Reason, c.Message}
	}
	return d.completeVerdict(st)
}

// index has the status name all results that there are, where that is worth a
// write. It returns false where they are too many, which it reports.
func (d *decider) index(worthIt bool) bool {
	if !worthIt {
		return true
	}
	l, err := newLedger(d.subject, d.plan, d.standing)
	if err == nil && l.size > maxIndexBytes {
		err = fmt.Errorf("the results take %d ConfigMaps, more than an index can list: ask for fewer simulations", l.status.Chunks)
	}
	if err != nil {
		d.halt("its results are too many")
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonInvalid, err.Error()})
		return false
	}
	d.named = l.named
	if l.status == nil {
		d.results = nil
		return true
	}
	if d.results != nil && d.results.Index == l.status.Index {
		return true
	}
	for _, cm := range l.configMaps {
		if !d.hasConfigMap(cm.Name) {
			d.do(act{ensure, cm, "the status is to name the results that there are"})
		}
	}
	d.results = l.status
	d.cleanIndexes()
	return true
}

// work starts the Job of the round under way, or looks after it.
func (d *decider) work() {
	// Before a Job is created that leaves out what is known, the status names
	// that. Later it need not be exact.
	if !d.index(d.task != nil || d.fresh()) {
		return
	}
	if d.task != nil && d.hasJob(d.task.job) {
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s was changed by somebody; it is created again once it is gone", d.task.job)})
		return
	}
	if d.task != nil {
		d.prepare()
		d.start()
		d.cleanRounds(d.standing.last, d.task.attempt, d.plan.hash)
		return
	}
	job := d.job()
	// A manager that died before it did so leaves it to this one.
	d.cleanRounds(d.standing.last, attemptOf(job), d.plan.hash)
	done, bad := finished(job)
	switch {
	case bad && invalidInput(job, d.pods) != "":
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonInvalid, invalidInput(job, d.pods)})
	case bad:
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonJobFailed, failureWords(job, d.pods, d.standing)})
	case done:
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonResultMissing, fmt.Sprintf(
			"Job %s is complete, but results are missing: %s", job.Name, d.reports.missing())})
	case job.DeletionTimestamp != nil:
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s was deleted by somebody; it is created again once it is gone", job.Name)})
	case !d.hasConfigMap(roundName(job.Name)):
		d.do(act{remove, job, "its pods cannot start: the ConfigMap that says what they simulate is gone"})
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s lacks its ConfigMap; it is created again once it is gone", job.Name)})
	default:
		d.prepare()
		d.cleanProgress(job)
		d.follow(job)
	}
}

// prepare makes what a Job's pods need.
func (d *decider) prepare() {
	namespace := d.subject.object().GetNamespace()
	if !d.account.serviceAccount {
		d.do(act{create, makeServiceAccount(namespace), "worker pods run under it, and the namespace has none"})
	}
	if !d.account.roleBinding {
		d.do(act{create, makeRoleBinding(namespace), "worker pods may create their results through it, and the namespace has none"})
	}
	if !d.hasConfigMap(planName(d.plan.prefix)) {
		d.do(act{create, makePlanConfigMap(d.subject, d.plan), "worker pods read the plan from it"})
	}
}

// start creates the Job of the round under way, and deletes those of the rounds
// before.
func (d *decider) start() {
	if size := len(d.task.work); size > maxPlanBytes {
		d.report(d.planned(), verdict{failed, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"round %d takes %d KiB, and a ConfigMap can hold %d of it: use smaller generations", d.task.round+1, size>>10, maxPlanBytes>>10)})
		return
	}
	if !d.hasConfigMap(roundName(d.task.job)) {
		d.do(act{create, makeRoundConfigMap(d.subject, d.plan, d.task), "worker pods read from it what to simulate"})
	}
	job := makeJob(d.subject, d.plan, d.task, d.image)
	d.do(act{create, job, d.startWords()})
	// What is known of pods is of another Job's.
	w := *d.world
	w.pods, w.alive, w.again, w.underway = nil, false, 0, 0
	d.world = &w
	d.follow(job)
}

// follow reports how far a Job is, and passes the spec's suspend on to it where
// that changed. What others did to the Job's suspend since stays: that is how
// Kueue admits and evicts.
func (d *decider) follow(job *batchv1.Job) {
	want, held, ours := d.subject.execution().Suspend, isSuspended(job), lastWantedSuspended(job)
	switch {
	case want && !ours:
		d.do(act{suspend, job, "spec.execution.suspend is true now"})
	case !want && ours && (!held || d.again == 0):
		d.do(act{resume, job, "the spec wants it to run"})
		held = false
	case !held && d.again > 0 && d.again*worthIndexing >= d.standing.round.Simulations() && !queued(job):
		d.do(act{suspend, job, fmt.Sprintf("it would do %s again; another Job does what is left", count(d.again, "simulation"))})
		held, ours = true, true
	}
	st := d.standing
	switch {
	case want:
		d.held = true
		d.report(d.planned(), verdict{suspended, v1alpha1.ReasonSuspended, "spec.execution.suspend is true; " + progressWords(st)})
	case held && ours:
		d.lookAgain(stopPatience)
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonRunning, join(progressWords(st), stoppingWords(job))})
	case held:
		d.held = true
		d.report(d.planned(), verdict{ongoing, v1alpha1.ReasonPending, heldWords(st, job)})
	case started(d.pods) || st.done > 0:
		d.onTheWay(job, v1alpha1.ReasonRunning, d.runningWords(job))
	default:
		d.onTheWay(job, v1alpha1.ReasonPending, d.waitingWords(job))
	}
}

// onTheWay reports work that nobody holds: of a reason, unless something keeps its
// pods from running.
func (d *decider) onTheWay(job *batchv1.Job, reason, message string) {
	switch held := d.standstill(job, d.now); held {
	case "":
	case v1alpha1.ReasonWaitingForCapacity:
		reason, message = held, join(message, "other pods of Windtunnel hold the room that it needs; it starts once they end")
	default:
		reason = held
	}
	d.decision.requeueAfter = sooner(d.decision.requeueAfter, lookAgain(job, d.pods, d.now))
	next := d.planned()
	p := next.status().Progress
	if p.Underway = d.shownUnderway(p.Completed); p.Underway > 0 {
		message = join(message, fmt.Sprintf("shards under way say that %d more are", p.Underway))
	}
	d.report(next, verdict{ongoing, reason, message})
}

// reported is the subject as its status is to be.
func (d *decider) reported() subject {
	if d.decision.status != nil {
		return d.decision.status
	}
	return d.subject
}
