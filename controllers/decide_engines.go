// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	batchv1 "k8s.io/api/batch/v1"
)

// startEngines creates what the Job of a live run needs beside it. What is there of another Job under
// the same name is deleted first.
func (d jobRunner) startEngines(job *batchv1.Job) {
	for _, want := range makeEngines(d.subject, d.plan, job.Name, d.image, d.apiServers) {
		if d.children.engine(want) == nil {
			d.act(action{verbCreate, want, "the pod of Job " + job.Name + " needs it"})
		}
	}
}

// deleteEngines deletes the objects beside the Jobs of live runs. It keeps those of a Job that is at work
// after this decision.
func (d cleaner) deleteEngines() {
	job := d.jobAtWork()
	for _, object := range d.children.engines {
		if object.GetDeletionTimestamp() == nil && (job == "" || object.GetLabels()[LabelJob] != job) {
			d.deleteAfterStatus(object, "no Job at work needs it")
		}
	}
}

// jobAtWork is the Job that is at work once the actions are done; "" without one.
func (d *draft) jobAtWork() string {
	last := ""
	for _, job := range d.children.jobs {
		if atWork(job) {
			last = job.Name
		}
	}
	for _, a := range d.decision.actions {
		job, ok := a.object.(*batchv1.Job)
		switch {
		case !ok:
		case a.verb == verbResume, a.verb == verbCreate && !isSuspended(job):
			last = job.Name
		case last == job.Name:
			last = ""
		}
	}
	return last
}

// atWork reports whether a Job has pods, or may have some soon.
func atWork(job *batchv1.Job) bool {
	done, _ := finished(job)
	return !done && !isSuspended(job) && job.DeletionTimestamp == nil
}
