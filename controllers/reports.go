// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// indexFraction is the share of a round's simulations, as one in a number, whose results are
// read and indexed at a time: a write for each pod would be many.
const indexFraction = 8

// reports are what the pods of a round's Job say that succeeded, or that were stopped
// before their end: where their results are. Nothing else is believed.
type reports struct {
	// lists are the lists of chunks by shard, nil without one.
	lists []*store.Reference
	// parts are the lists of pods that were stopped.
	parts []store.Reference
	// reporters are the pods that said so.
	reporters []string
	// rehearsal is what came of a live run.
	rehearsal *store.Rehearsal
	// unreadable says of a shard why its succeeded pod reported nothing.
	unreadable map[int]string
	// fault is set where a report cannot be true.
	fault *fault
}

// newReports reads the termination messages of the pods of a Job of a number of
// shards.
func newReports(plan *subjectPlan, round, shards int, pods []corev1.Pod) *reports {
	r := &reports{lists: make([]*store.Reference, shards), reporters: make([]string, shards), unreadable: map[int]string{}}
	for i := range pods {
		part, isPart := partialReport(&pods[i])
		switch {
		case r.fault != nil:
		case pods[i].Status.Phase == corev1.PodSucceeded:
			r.addSucceeded(plan, round, &pods[i])
		case isPart:
			r.addPartial(plan, round, &pods[i], part)
		}
	}
	return r
}

// addPartial takes what a pod reports that was stopped.
func (r *reports) addPartial(plan *subjectPlan, round int, pod *corev1.Pod, report store.Report) {
	index, ok := completionIndex(pod)
	if !ok || index >= len(r.lists) {
		return
	}
	if r.fault = r.inconsistency(plan, round, pod, report); r.fault == nil {
		r.parts = append(r.parts, *report.Results)
	}
}

// inconsistency returns the fault of a report that is not of the pod's own shard, or says
// of it what cannot be.
func (r *reports) inconsistency(plan *subjectPlan, round int, pod *corev1.Pod, report store.Report) *fault {
	index, _ := completionIndex(pod)
	switch {
	case report.PlanHash != plan.hash || report.Round != round:
		return corruptResult("pod %s reports results of round %d of plan %q, not of round %d of %q", pod.Name, report.Round, report.PlanHash, round, plan.hash)
	case report.Shard != index:
		return corruptResult("pod %s of shard %d reports results of shard %d", pod.Name, index, report.Shard)
	case report.Partial && pod.Status.Phase == corev1.PodSucceeded:
		return corruptResult("pod %s of shard %d succeeded but reports only a part of its results", pod.Name, index)
	}
	return nil
}

// addSucceeded takes what a succeeded pod reports.
func (r *reports) addSucceeded(plan *subjectPlan, round int, pod *corev1.Pod) {
	index, ok := completionIndex(pod)
	if !ok || index >= len(r.lists) {
		return
	}
	message := terminationMessage(pod)
	report, err := store.DecodeReport(message)
	if err != nil {
		r.unreadable[index] = fmt.Sprintf("pod %s succeeded, but its termination message is not a report: %q", pod.Name, printable.Clip(message, 256))
		return
	}
	r.fault = r.inconsistency(plan, round, pod, report)
	switch {
	case r.fault != nil:
	case report.Results == nil:
		r.fault = corruptResult("pod %s of shard %d succeeded but reports no results", pod.Name, index)
	case r.lists[index] != nil && *r.lists[index] != *report.Results:
		r.fault = corruptResult("pods %s and %s of shard %d report different results", r.reporters[index], pod.Name, index)
	default:
		r.lists[index], r.reporters[index], r.rehearsal = report.Results, pod.Name, report.Rehearsal
	}
}

// unread are the lists whose rows are not read yet, where together they are
// worth it: an eighth of the round's simulations, all that will come, or those of a
// pod that is about to go.
func (r *reports) unread(j *studyRows, over bool) []store.Reference {
	var lists []store.Reference
	rows := 0
	for _, list := range r.parts {
		if !j.lists[list.Name] {
			lists = append(lists, list)
			over = true
		}
	}
	for _, list := range r.lists {
		if list != nil && !j.lists[list.Name] {
			lists = append(lists, *list)
			rows += list.Rows
		}
	}
	total := len(j.rows) - j.first
	if !over && rows*indexFraction < total && j.done+rows < total {
		return nil
	}
	return lists
}

// missing describes the shards without results.
func (r *reports) missing() string {
	var words []string
	for i, list := range r.lists {
		switch {
		case list != nil:
		case r.unreadable[i] != "":
			words = append(words, fmt.Sprintf("shard %d: %s", i, r.unreadable[i]))
		default:
			words = append(words, fmt.Sprintf("shard %d: no succeeded pod is left", i))
		}
	}
	if len(words) == 0 {
		return "the reported rows do not cover all of its simulations"
	}
	return joinFirst(words)
}
