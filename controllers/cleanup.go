// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// cleaner decides which Jobs are stopped, and which children are deleted.
type cleaner struct{ *draft }

// stopJobs stops the pods of the plan's Jobs and leaves the Jobs to be looked at.
func (d cleaner) stopJobs(why string) {
	for _, job := range d.children.jobs {
		if job.Labels[LabelPlan] != planLabel(d.plan.hash) || job.DeletionTimestamp != nil || isSuspended(job) || d.deletesBeforeStatus(job) {
			continue
		}
		switch done, _ := finished(job); {
		case done:
		case queued(job):
			// Its queue would only start it again.
			d.act(action{verbDeleteForeground, job, why})
		default:
			d.act(action{verbSuspend, job, why})
		}
	}
}

// deleteOutdatedJobs deletes the subject's Jobs but those of the plan as the spec wants
// them to be run.
func (d cleaner) deleteOutdatedJobs(why string) {
	for _, job := range d.children.jobs {
		if job.DeletionTimestamp != nil {
			continue
		}
		if d.plan == nil || d.plan.size > maxPlanBytes || !d.isOfPlan(job) {
			d.act(action{verbDelete, job, why})
		}
	}
}

// deleteFailedJobs deletes the Jobs of a failure. After that the work continues from
// the results that there are.
func (d cleaner) deleteFailedJobs() {
	for _, job := range d.children.jobs {
		if job.DeletionTimestamp == nil {
			d.act(action{verbDelete, job, "the spec was edited after a failure; another Job tries again"})
		}
	}
}

// isOfPlan reports whether a Job is one of the plan's, of a round that came so far.
// Of those of rounds that are over it does not matter how they were run.
func (d cleaner) isOfPlan(job *batchv1.Job) bool {
	round, ok := roundOf(job.Labels, d.plan.hash)
	return ok && (round < d.results.study.last || d.isCurrent(job, round))
}

// deleteOldIndexes deletes the indexes that the new status does not name.
func (d cleaner) deleteOldIndexes() {
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if cm.Labels[LabelComponent] == ComponentIndex && cm.DeletionTimestamp == nil && cm.Name != d.resultsStatus.Index {
			d.deleteAfterStatus(cm, "there is a newer index")
		}
	}
}

// deleteOldRounds deletes what served rounds of a plan before the last one, and that
// one's attempts before the last.
func (d cleaner) deleteOldRounds(last, attempt int, plan string) {
	over := func(labels map[string]string) bool {
		round, ok := roundOf(labels, plan)
		return ok && (round < last || round == last && attemptIn(labels) < attempt)
	}
	for _, job := range d.children.jobs {
		if over(job.Labels) && job.DeletionTimestamp == nil && !d.deletesBeforeStatus(job) {
			d.deleteAfterStatus(job, "its round or attempt is over")
		}
	}
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if cm.Labels[LabelComponent] == ComponentRound && over(cm.Labels) && cm.DeletionTimestamp == nil {
			d.deleteAfterStatus(cm, "its round or attempt is over")
		}
	}
}

// roundOf returns the round that a child serves, if it is one of a plan's.
func roundOf(labels map[string]string, plan string) (int, bool) {
	round, err := strconv.Atoi(labels[LabelRound])
	return round, err == nil && labels[LabelPlan] == planLabel(plan)
}

// latestRound are the last round of a plan that has a Job, and the last one of its Jobs.
func (d cleaner) latestRound(plan string) (round, attempt int) {
	for _, job := range d.children.jobs {
		of, ok := roundOf(job.Labels, plan)
		switch {
		case !ok || of < round:
		case of > round:
			round, attempt = of, attemptOf(job)
		default:
			attempt = max(attempt, attemptOf(job))
		}
	}
	return round, attempt
}

// deleteUnneeded deletes what no longer serves once a status is settled: Jobs of other
// plans, and, where there are results, everything that holds others.
func (d cleaner) deleteUnneeded(s subject) {
	st := s.status()
	for _, job := range d.children.jobs {
		if job.Labels[LabelPlan] != planLabel(st.PlanHash) && job.DeletionTimestamp == nil && !d.deletesBeforeStatus(job) {
			d.deleteAfterStatus(job, "it belongs to another plan")
		}
	}
	d.deleteOldProgress(nil)
	if !isTrue(st, v1alpha1.ConditionComplete) {
		return
	}
	round, attempt := d.latestRound(st.PlanHash)
	d.deleteOldRounds(round, attempt, st.PlanHash)
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if cm.DeletionTimestamp == nil && !d.deletesAfterStatus(cm) {
			if why := d.reasonToDelete(cm, s); why != "" {
				d.deleteAfterStatus(cm, why)
			}
		}
	}
}

// reasonToDelete says why a ConfigMap is not needed next to a complete status; "" where it
// is needed.
func (d cleaner) reasonToDelete(cm *metav1.PartialObjectMetadata, s subject) string {
	st := s.status()
	ofPlan := cm.Labels[LabelPlan] == planLabel(st.PlanHash)
	_, isList := cm.Labels[worker.LabelList]
	switch cm.Labels[LabelComponent] {
	case ComponentPlan, ComponentRound:
		if !ofPlan {
			return "it holds another plan"
		}
	case ComponentIndex:
		if st.Results == nil || cm.Name != st.Results.Index {
			return "there is a newer index"
		}
	case ComponentLeaderboard:
		if sw, ok := s.(sweep); ok && cm.Name != sw.Status.Leaderboard {
			return "there is a newer leaderboard"
		}
	case ComponentPromoted:
		if sw, ok := s.(sweep); ok && cm.Name != sw.Status.Promoted {
			return "no configuration is promoted now"
		}
	case ComponentJournal:
		if !ofPlan || d.indexed != nil && !d.indexed[cm.Name] {
			return "the index of the status does not list it"
		}
	case ComponentResult:
		switch {
		case isList && !ofPlan:
			return "it lists results of another plan"
		case !isList && d.indexed != nil && !d.indexed[cm.Name]:
			return "the index of the status does not list it"
		}
	}
	return ""
}
