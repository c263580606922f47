// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// observedJob is what is known of the current Job: of its pods, and of what they report.
// It is empty where there is no Job.
type observedJob struct {
	// pods are those of the Job. Once the Job has ended they are read from the API
	// server: what they lack then does not come any more.
	pods []corev1.Pod
	// reports are what the pods report; nil where there is no Job.
	reports *reports
	// podsAlive says that some pods have not ended.
	podsAlive bool
	// repeated counts the simulations whose results are known and that the Job would do
	// again: those of shards that were stopped.
	repeated int
	// underway counts the simulations that the Job's shards report as done and that have
	// no rows yet.
	underway int
	// warnings are messages of events, by the UID of what they are about: the Job, where
	// it lacks pods, and pods that do not start.
	warnings map[types.UID]string
	// contended says that pods of the Job have waited long for capacity, and that pods
	// of other Jobs hold some.
	contended bool
}

// problems describes shards that have no pod, or whose newest pod does not run. A shard that failed here may be tried again.
func (j *observedJob) problems(job *batchv1.Job) string {
	var words []string
	if refusal := j.warnings[job.UID]; refusal != "" {
		words = append(words, refusal)
	}
	for _, pod := range newest(j.pods) {
		if trouble := j.problem(pod); trouble != "" {
			words = append(words, trouble)
		}
	}
	return joinFirst(words)
}

// problem says what is wrong with a pod, by its status or else by its events.
func (j *observedJob) problem(pod *corev1.Pod) string {
	if words := podProblem(pod); words != "" || j.warnings[pod.UID] == "" {
		return words
	}
	index, _ := completionIndex(pod)
	return fmt.Sprintf("shard %d: %s", index, j.warnings[pod.UID])
}

// blockedReason is the reason why no pod of a Job runs, where something keeps them from
// it that is not for the controllers to change: Blocked, WaitingForCapacity, or nothing.
func (j *observedJob) blockedReason(job *batchv1.Job, now time.Time) string {
	blocked := j.warnings[job.UID] != ""
	for _, pod := range newest(j.pods) {
		switch {
		case pod.Status.Phase == corev1.PodRunning:
			return ""
		case pod.Status.Phase == corev1.PodPending && waitsForCapacity(pod).IsZero() && j.problem(pod) != "":
			blocked = true
		}
	}
	wait, waits := longestWait(j.pods, now)
	switch {
	case blocked:
		return v1alpha1.ReasonBlocked
	case !waits || wait < capacityTimeout:
		return ""
	case j.contended:
		return v1alpha1.ReasonWaitingForCapacity
	}
	return v1alpha1.ReasonBlocked
}
