// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/worker"
)

// completionIndex returns the index that a pod works on.
func completionIndex(pod *corev1.Pod) (int, bool) {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	return index, err == nil && index >= 0
}

// terminated returns how a pod's worker ended, or nil.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	for i := range pod.Status.ContainerStatuses {
		if c := &pod.Status.ContainerStatuses[i]; c.Name == worker.Container {
			return c.State.Terminated
		}
	}
	return nil
}

func terminationMessage(pod *corev1.Pod) string {
	if t := terminated(pod); t != nil {
		return t.Message
	}
	return ""
}

// stopTimeout is how long after its grace period a stopped pod is waited for: the pod of
// a lost node never reports its end.
const stopTimeout = time.Minute

// mayStillReport reports whether a pod's worker has not ended and may still say something.
func mayStillReport(pod *corev1.Pod, now time.Time) bool {
	switch {
	case pod.Status.Phase == corev1.PodSucceeded, pod.Status.Phase == corev1.PodFailed, terminated(pod) != nil:
		return false
	}
	// Its time of deletion is when the time that it is given is up.
	return pod.DeletionTimestamp == nil || now.Before(pod.DeletionTimestamp.Add(stopTimeout))
}

// partialReport returns what a pod that was stopped before its end reports, if it says where
// results are: some of its shard's, or all of them if it was killed on its way out.
func partialReport(pod *corev1.Pod) (store.Report, bool) {
	if t := terminated(pod); t == nil || t.ExitCode == 0 || pod.Status.Phase == corev1.PodSucceeded {
		return store.Report{}, false
	}
	report, err := store.DecodeReport(terminationMessage(pod))
	return report, err == nil && report.Results != nil
}

// anyStarted reports whether any pod came as far as running.
func anyStarted(pods []corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodPending && pod.Status.Phase != ""
	})
}

// podProblem says what is wrong with a pod according to its status.
func podProblem(pod *corev1.Pod) string {
	index, _ := completionIndex(pod)
	switch pod.Status.Phase {
	case corev1.PodRunning, corev1.PodSucceeded:
		return ""
	case corev1.PodFailed:
		return podFailedMessage(pod)
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		waiting := c.State.Waiting
		if waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
			return fmt.Sprintf("shard %d: %s: %s", index, waiting.Reason, printable.Clip(waiting.Message, 512))
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("shard %d: %s: %s", index, c.Reason, printable.Clip(c.Message, 512))
		}
	}
	return ""
}

// podFailedMessage says why a pod failed, by its termination message if it has one.
func podFailedMessage(pod *corev1.Pod) string {
	index, _ := completionIndex(pod)
	return fmt.Sprintf("shard %d failed: %s", index, printable.Clip(podEndMessage(pod), 2048))
}

// invalidInput returns the error that pods of a Job found in an input of the spec, which
// they parse and the manager does not; "" without one.
func invalidInput(job *batchv1.Job, pods []corev1.Pod) string {
	for _, pod := range failedPods(job, pods) {
		if report, err := store.DecodeReport(terminationMessage(pod)); err == nil && report.Invalid {
			return report.Error
		}
	}
	return ""
}

func podEndMessage(pod *corev1.Pod) string {
	t := terminated(pod)
	if t == nil {
		return strings.TrimSuffix(fmt.Sprintf("pod %s: %s: %s", pod.Name, cmp.Or(pod.Status.Reason, "failed"), pod.Status.Message), ": ")
	}
	if report, err := store.DecodeReport(t.Message); err == nil && report.Error != "" {
		return report.Error
	}
	words := fmt.Sprintf("pod %s: %s%s, exit code %d", pod.Name, cmp.Or(t.Reason, "terminated"), memoryLimitNote(pod, t), t.ExitCode)
	if last := strings.TrimSpace(t.Message); last != "" {
		words += ": " + last
	}
	return words
}

// memoryLimitNote names the memory limit that a container was killed for, if it was.
func memoryLimitNote(pod *corev1.Pod, t *corev1.ContainerStateTerminated) string {
	if t.Reason != "OOMKilled" {
		return ""
	}
	for i := range pod.Spec.Containers {
		if limit, ok := pod.Spec.Containers[i].Resources.Limits[corev1.ResourceMemory]; ok && pod.Spec.Containers[i].Name == worker.Container {
			return fmt.Sprintf(" (memory limit %s)", &limit)
		}
	}
	return " (no memory limit: the node ran out of memory)"
}

// newest returns each index's newest pod, by index.
func newest(pods []corev1.Pod) []*corev1.Pod {
	byIndex := map[int]*corev1.Pod{}
	for i := range pods {
		pod := &pods[i]
		index, ok := completionIndex(pod)
		if !ok {
			continue
		}
		if other := byIndex[index]; other == nil || newer(pod, other) {
			byIndex[index] = pod
		}
	}
	return sorted(byIndex)
}

// failedIndexes are the indexes that failed for good, where that is what ended the
// Job, and no others were cut off by it.
func failedIndexes(job *batchv1.Job) []int {
	if !slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue && c.Reason == batchv1.JobReasonFailedIndexes
	}) || ptr.Deref(job.Status.FailedIndexes, "") == "" {
		return nil
	}
	var failed []int
	for index := range shardsOf(job) {
		if inIndexes(job.Status.FailedIndexes, index) {
			failed = append(failed, index)
		}
	}
	return failed
}

// succeeded reports whether a shard of a Job has ended well, and its Job knows or will: the
// success of a pod that is deleted does not count.
func succeeded(job *batchv1.Job, pods []corev1.Pod, shard int) bool {
	if list := job.Status.CompletedIndexes; list != "" && inIndexes(&list, shard) {
		return true
	}
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		index, ok := completionIndex(&pod)
		return ok && index == shard && pod.Status.Phase == corev1.PodSucceeded && pod.DeletionTimestamp == nil
	})
}

// failedPods returns the newest failed pod of each index that failed for good,
// or, where the Job names none, of each index.
func failedPods(job *batchv1.Job, pods []corev1.Pod) []*corev1.Pod {
	byIndex := map[int]*corev1.Pod{}
	for _, pod := range newest(slices.DeleteFunc(slices.Clone(pods), func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodFailed
	})) {
		index, _ := completionIndex(pod)
		if inIndexes(job.Status.FailedIndexes, index) {
			byIndex[index] = pod
		}
	}
	return sorted(byIndex)
}

func newer(a, b *corev1.Pod) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return b.CreationTimestamp.Before(&a.CreationTimestamp)
	}
	return a.Name > b.Name
}

func sorted(byIndex map[int]*corev1.Pod) []*corev1.Pod {
	var indexes []int
	for index := range byIndex {
		indexes = append(indexes, index)
	}
	slices.Sort(indexes)
	pods := make([]*corev1.Pod, len(indexes))
	for i, index := range indexes {
		pods[i] = byIndex[index]
	}
	return pods
}

// countIndexes counts what a Job's list of indexes, such as 1,3-5, names.
func countIndexes(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err1 := strconv.Atoi(first)
		high, err2 := strconv.Atoi(last)
		if err1 == nil && err2 == nil {
			n += high - low + 1
		}
	}
	return n
}

// inIndexes reports whether a Job's list of indexes, such as 1,3-5, names one.
// A list that is missing or empty names all.
func inIndexes(list *string, index int) bool {
	if list == nil || *list == "" {
		return true
	}
	for _, part := range strings.Split(*list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err1 := strconv.Atoi(first)
		high, err2 := strconv.Atoi(last)
		if err1 == nil && err2 == nil && low <= index && index <= high {
			return true
		}
	}
	return false
}
