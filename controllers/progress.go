// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/worker"
)

// progressFraction is the share of a round's simulations, as one in a number, by which running
// shards must have advanced for a status write that changes nothing else.
const progressFraction = 20

// isProgress reports whether a shard reports its progress in a ConfigMap.
func isProgress(object metav1.Object) bool {
	return object.GetLabels()[LabelComponent] == ComponentProgress
}

// progressOf returns the shard of a Job whose progress a ConfigMap reports, and how many
// of its simulations are done.
func progressOf(cm *metav1.PartialObjectMetadata, job *batchv1.Job) (shard, done int, ok bool) {
	if !isProgress(cm) || !strings.HasPrefix(cm.Name, worker.ProgressPrefix(job.Name)) {
		return 0, 0, false
	}
	shard, err1 := strconv.Atoi(cm.Labels[worker.LabelShard])
	done, err2 := strconv.Atoi(cm.Labels[worker.LabelDone])
	return shard, done, err1 == nil && err2 == nil && shard >= 0 && done >= 0
}

// countUnderway counts the simulations that a Job's shards say they have done and that have
// no rows yet. What a shard says is shown, and nothing is decided by it.
func (r *studyReader) countUnderway(ctx context.Context, job *batchv1.Job) (int, error) {
	told := r.observed.children.reportedDone(job)
	if len(told) == 0 {
		return 0, nil
	}
	parts, err := r.shardSimulations(ctx, job)
	n := 0
	for shard, part := range parts {
		if failed := job.Status.FailedIndexes; ptr.Deref(failed, "") != "" && inIndexes(failed, shard) {
			continue
		}
		known := len(part) - len(r.rows.stillMissing(slices.Clone(part)))
		n += max(0, min(told[shard], len(part))-known)
	}
	return n, err
}

// shownUnderway is what a status with a number of completed simulations says of those
// under way: what it said before, unless that is news enough for a write.
func (d reporter) shownUnderway(completed int64) int64 {
	now, before := int64(d.job.underway), d.subject.status().Progress
	if now == 0 || before == nil || d.subject.status().PlanHash != d.plan.hash || before.Completed != completed {
		return now
	}
	more := now - before.Underway
	if more >= 0 && more*progressFraction < int64(d.results.study.round.Simulations()) {
		return before.Underway
	}
	return now
}

// deleteOldProgress deletes the progress ConfigMaps but the latest of each shard of the
// current Job; all of them where there is no Job.
func (d cleaner) deleteOldProgress(job *batchv1.Job) {
	var told map[int]int
	if job != nil {
		told = d.children.reportedDone(job)
	}
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if !isProgress(cm) || cm.DeletionTimestamp != nil || d.deletesAfterStatus(cm) {
			continue
		}
		if job == nil {
			d.deleteAfterStatus(cm, "the work has ended")
			continue
		}
		if shard, done, ok := progressOf(cm, job); !ok || done < told[shard] {
			d.deleteAfterStatus(cm, "the shard has reported later progress")
		}
	}
}
