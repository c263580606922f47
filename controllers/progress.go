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

// worthTelling is the share of a round's simulations by which shards under way must
// have got on for a write of the status, when it has nothing else to tell.
const worthTelling = 20

// tellsProgress reports whether a ConfigMap is one in which a shard tells of its
// progress.
func tellsProgress(object metav1.Object) bool {
	return object.GetLabels()[LabelComponent] == ComponentProgress
}

// progressOf returns the shard of a Job that a ConfigMap tells of, and how many of its
// simulations were done.
func progressOf(cm *metav1.PartialObjectMetadata, job *batchv1.Job) (shard, done int, ok bool) {
	if !tellsProgress(cm) || !strings.HasPrefix(cm.Name, worker.ProgressPrefix(job.Name)) {
		return 0, 0, false
	}
	shard, err1 := strconv.Atoi(cm.Labels[worker.LabelShard])
	done, err2 := strconv.Atoi(cm.Labels[worker.LabelDone])
	return shard, done, err1 == nil && err2 == nil && shard >= 0 && done >= 0
}

// underway counts the simulations that a Job's shards say they have done and that have
// no rows yet. What a shard says is shown, and nothing is decided by it.
func (r *studyReader) underway(ctx context.Context, job *batchv1.Job) (int, error) {
	told := r.observed.children.reportedDone(job)
	if len(told) == 0 {
		return 0, nil
	}
	parts, err := r.partsOf(ctx, job)
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

// shownUnderway is what a status beside so many completed simulations says of those
// under way: what it said before, unless that is news enough for a write.
func (d reporter) shownUnderway(completed int64) int64 {
	now, before := int64(d.job.underway), d.subject.status().Progress
	if now == 0 || before == nil || d.subject.status().PlanHash != d.plan.hash || before.Completed != completed {
		return now
	}
	more := now - before.Underway
	if more >= 0 && more*worthTelling < int64(d.results.study.round.Simulations()) {
		return before.Underway
	}
	return now
}

// cleanProgress deletes what shards told of their progress, but the last word of each
// shard of the Job at work; all of it where there is none.
func (d cleaner) cleanProgress(job *batchv1.Job) {
	var told map[int]int
	if job != nil {
		told = d.children.reportedDone(job)
	}
	for i := range d.children.configMaps {
		cm := &d.children.configMaps[i]
		if !tellsProgress(cm) || cm.DeletionTimestamp != nil || d.cleans(cm) {
			continue
		}
		if job == nil {
			d.clean(cm, "the work has ended")
			continue
		}
		if shard, done, ok := progressOf(cm, job); !ok || done < told[shard] {
			d.clean(cm, "the shard is further")
		}
	}
}
