// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	d := &decider{world: w, now: now}
	switch {
	case w.subject.object().GetDeletionTimestamp() != nil:
		// The garbage collector takes the children.
	case settled(w.subject):
		d.collect(w.subject.status())
	case len(w.errs) > 0:
		d.refuse()
	case w.plan.size > maxPlanBytes:
		d.tooLarge()
	default:
		d.pursue()
	}
	return d.decision
}

// decider gathers a decision.
type decider struct {
	*world
	now      time.Time
	decision decision
}

// do adds an act.
func (d *decider) do(a act) { d.decision.acts = append(d.decision.acts, a) }

// clean adds an act of the cleanup.
func (d *decider) clean(object client.Object, why string) {
	d.decision.cleanup = append(d.decision.cleanup, act{remove, object, why})
}

// refuse stops the work of a spec that cannot be compiled.
func (d *decider) refuse() {
	reason := v1alpha1.ReasonInvalid
	if experiment.MissingInputs(d.errs) {
		reason = v1alpha1.ReasonInputMissing
	}
	d.removeJobs("", "the spec cannot be compiled any more")
	d.report(d.unplanned(), verdict{stalled, reason, errorWords(d.errs)})
}

// tooLarge refuses a plan that no ConfigMap can hold.
func (d *decider) tooLarge() {
	d.removeJobs("", "the spec's plan is too large")
	d.report(d.unplanned(), verdict{stalled, v1alpha1.ReasonInvalid, fmt.Sprintf(
		"the plan takes %d KiB, and a ConfigMap can hold %d of it: use fewer or smaller clients, profiles and seeds",
		d.plan.size>>10, maxPlanBytes>>10)})
}

// pursue goes on with a plan.
func (d *decider) pursue() {
	if d.stillComplete() {
		d.report(d.subject.copied(), d.completeVerdict())
		d.collect(d.subject.status())
		return
	}
	d.removeJobs(d.plan.job, "the spec asks for another plan, or for another way to run it")
	l := newLedger(d.plan, d.subject.status().Results, d.pods)
	rows, f := l.verify(d.chunks)
	switch {
	case f != nil:
		d.halt("its results cannot be used")
		d.report(d.planned(l.verified()), verdict{failed, f.reason, f.message})
	case l.complete():
		d.complete(l, rows)
	case len(d.strangers) > 0:
		d.decision.requeueAfter = conflictInterval
		d.report(d.planned(l), verdict{stalled, v1alpha1.ReasonConflict, strangerWords(d.strangers)})
	default:
		d.work(l)
	}
}

// stillComplete reports whether the spec was edited without touching what is
// simulated: then the results serve as they are.
func (d *decider) stillComplete() bool {
	st := d.subject.status()
	return st.PlanHash == d.plan.hash && isTrue(st, v1alpha1.ConditionComplete)
}

// complete sums all results up.
func (d *decider) complete(l *ledger, rows []result.Row) {
	next := d.planned(l)
	next.status().Results, _, _ = l.references()
	if count := len(next.status().Results); count > maxReferences {
		d.report(d.planned(l.verified()), verdict{failed, v1alpha1.ReasonInvalid, fmt.Sprintf(
			"the results take %d ConfigMaps, and a status can name %d: ask for fewer simulations", count, maxReferences)})
		return
	}
	if err := d.plan.tell(next, rows); err != nil {
		d.halt("its results cannot be used")
		d.report(d.planned(l), verdict{failed, v1alpha1.ReasonResultCorrupt, fmt.Sprintf("the results do not sum up: %v", err)})
		return
	}
	d.report(next, d.completeVerdict())
	d.collect(next.status())
}

func (d *decider) completeVerdict() verdict {
	return verdict{complete, v1alpha1.ReasonComplete, count(d.plan.round.Simulations(), "simulation") + " done"}
}

// work starts the plan's Job, or looks after it.
func (d *decider) work(l *ledger) {
	job := d.job()
	if job == nil {
		d.prepare()
		d.start(l)
		return
	}
	done, bad := finished(job)
	switch {
	case bad:
		d.report(d.planned(l), verdict{failed, v1alpha1.ReasonJobFailed, failureWords(job, d.pods, l)})
	case done:
		d.report(d.planned(l), verdict{failed, v1alpha1.ReasonResultMissing, fmt.Sprintf(
			"Job %s is complete, but results are missing: %s", job.Name, l.missing())})
	case job.DeletionTimestamp != nil:
		d.report(d.planned(l), verdict{ongoing, v1alpha1.ReasonPending, fmt.Sprintf(
			"Job %s was deleted by somebody; it is created again once it is gone", job.Name)})
	default:
		d.prepare()
		d.follow(l, job)
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
	if !d.hasPlanConfigMap() {
		d.do(act{create, makePlanConfigMap(d.subject, d.plan), "worker pods read the plan from it"})
	}
}

// start creates the plan's Job.
func (d *decider) start(l *ledger) {
	job := makeJob(d.subject, d.plan, d.image)
	d.do(act{create, job, fmt.Sprintf("%s to run in %s", count(d.plan.round.Simulations(), "simulation"), count(d.plan.shards, "shard"))})
	d.follow(l, job)
}

// follow reports how far a Job is, and passes the spec's suspend on to it where
// that changed. What others did to the Job's suspend since stays: that is how
// Kueue admits and evicts.
func (d *decider) follow(l *ledger, job *batchv1.Job) {
	want, held := d.subject.execution().Suspend, isSuspended(job)
	switch {
	case want && !lastWantedSuspended(job):
		d.do(act{suspend, job, "spec.execution.suspend is true now"})
	case !want && lastWantedSuspended(job):
		d.do(act{resume, job, "spec.execution.suspend is false now"})
		held = false
	}
	switch {
	case want:
		d.report(d.planned(l), verdict{suspended, v1alpha1.ReasonSuspended, "spec.execution.suspend is true; " + progressWords(l)})
	case held:
		d.report(d.planned(l), verdict{ongoing, v1alpha1.ReasonPending, heldWords(l, job)})
	case started(d.pods) || l.any():
		d.report(d.planned(l), verdict{ongoing, v1alpha1.ReasonRunning, runningWords(l, d.pods)})
	default:
		d.report(d.planned(l), verdict{ongoing, v1alpha1.ReasonPending, waitingWords(job, d.pods)})
	}
}

// halt stops the pods of the plan's Job and leaves the Job to be looked at.
func (d *decider) halt(why string) {
	job := d.job()
	if job == nil || job.DeletionTimestamp != nil || isSuspended(job) {
		return
	}
	if done, _ := finished(job); !done {
		d.do(act{suspend, job, why})
	}
}

// removeJobs deletes the subject's Jobs but the named one.
func (d *decider) removeJobs(keep, why string) {
	for _, job := range d.jobs {
		if job.Name != keep && job.DeletionTimestamp == nil {
			d.do(act{remove, job, why})
		}
	}
}

// collect deletes what no longer serves once a status is settled: Jobs of other
// plans, and, where there are results, everything that holds others.
func (d *decider) collect(st *v1alpha1.CommonStatus) {
	for _, job := range d.jobs {
		if job.Labels[LabelPlan] != planLabel(st.PlanHash) && job.DeletionTimestamp == nil && !d.removes(job) {
			d.clean(job, "it serves another plan")
		}
	}
	if !isTrue(st, v1alpha1.ConditionComplete) {
		return
	}
	named := map[string]bool{}
	for _, ref := range st.Results {
		named[ref.Name] = true
	}
	for i := range d.configMaps {
		cm := &d.configMaps[i]
		switch {
		case cm.DeletionTimestamp != nil:
		case cm.Labels[LabelComponent] == ComponentResult && !named[cm.Name]:
			d.clean(cm, "the status names other results")
		case cm.Labels[LabelComponent] == ComponentPlan && cm.Labels[LabelPlan] != planLabel(st.PlanHash):
			d.clean(cm, "it holds another plan")
		}
	}
}

// removes reports whether the decision deletes an object already.
func (d *decider) removes(object metav1.Object) bool {
	for _, a := range d.decision.acts {
		if a.verb == remove && a.object.GetUID() == object.GetUID() {
			return true
		}
	}
	return false
}
