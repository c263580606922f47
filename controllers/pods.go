// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/pkg/experiment"
)

// workerContainer is the name of a worker pod's container.
const workerContainer = "worker"

// completionIndex returns the index that a pod works on.
func completionIndex(pod *corev1.Pod) (int, bool) {
	index, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	return index, err == nil && index >= 0
}

// terminated returns how a pod's worker ended, or nil.
func terminated(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	for i := range pod.Status.ContainerStatuses {
		if c := &pod.Status.ContainerStatuses[i]; c.Name == workerContainer {
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

// stopPatience is how long after its time a pod that is to stop is waited for: that
// of a node that is gone never says that it did.
const stopPatience = time.Minute

// alive reports whether a pod's worker has not ended and may still say something.
func alive(pod *corev1.Pod, now time.Time) bool {
	switch {
	case pod.Status.Phase == corev1.PodSucceeded, pod.Status.Phase == corev1.PodFailed, terminated(pod) != nil:
		return false
	}
	// Its time of deletion is when the time that it is given is up.
	return pod.DeletionTimestamp == nil || now.Before(pod.DeletionTimestamp.Add(stopPatience))
}

// partOf returns what a pod that was stopped before its end reports, if it says where
// results are: some of its shard's, or all of them if it was killed on its way out.
func partOf(pod *corev1.Pod) (experiment.Report, bool) {
	if t := terminated(pod); t == nil || t.ExitCode == 0 || pod.Status.Phase == corev1.PodSucceeded {
		return experiment.Report{}, false
	}
	report, err := experiment.DecodeReport(terminationMessage(pod))
	return report, err == nil && report.Results != nil
}

// started reports whether any pod came as far as running.
func started(pods []corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod corev1.Pod) bool {
		return pod.Status.Phase != corev1.PodPending && pod.Status.Phase != ""
	})
}

// podTrouble tells what a pod's status says to be wrong with it.
func podTrouble(pod *corev1.Pod) string {
	index, _ := completionIndex(pod)
	switch pod.Status.Phase {
	case corev1.PodRunning, corev1.PodSucceeded:
		return ""
	case corev1.PodFailed:
		return podWords(pod)
	}
	for i := range pod.Status.ContainerStatuses {
		waiting := pod.Status.ContainerStatuses[i].State.Waiting
		if waiting != nil && waiting.Reason != "ContainerCreating" && waiting.Reason != "PodInitializing" {
			return fmt.Sprintf("shard %d: %s: %s", index, waiting.Reason, clip(waiting.Message, 512))
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return fmt.Sprintf("shard %d: %s: %s", index, c.Reason, clip(c.Message, 512))
		}
	}
	return ""
}

// podWords tells how a pod failed: in its worker's words if it had any.
func podWords(pod *corev1.Pod) string {
	index, _ := completionIndex(pod)
	return fmt.Sprintf("shard %d failed: %s", index, clip(deathWords(pod), 2048))
}

// invalidInput tells what pods of a Job found to be wrong with an input of the spec,
// which they parse and the manager does not; nothing where they found nothing.
func invalidInput(job *batchv1.Job, pods []corev1.Pod) string {
	for _, pod := range failedPods(job, pods) {
		if report, err := experiment.DecodeReport(terminationMessage(pod)); err == nil && report.Invalid {
			return report.Error
		}
	}
	return ""
}

func deathWords(pod *corev1.Pod) string {
	t := terminated(pod)
	if t == nil {
		return strings.TrimSuffix(fmt.Sprintf("pod %s: %s: %s", pod.Name, orElse(pod.Status.Reason, "failed"), pod.Status.Message), ": ")
	}
	if report, err := experiment.DecodeReport(t.Message); err == nil && report.Error != "" {
		return report.Error
	}
	words := fmt.Sprintf("pod %s: %s%s, exit code %d", pod.Name, orElse(t.Reason, "terminated"), limitWords(pod, t), t.ExitCode)
	if last := strings.TrimSpace(t.Message); last != "" {
		words += ": " + last
	}
	return words
}

// limitWords tell which limit a container was killed for, if it was.
func limitWords(pod *corev1.Pod, t *corev1.ContainerStateTerminated) string {
	if t.Reason != "OOMKilled" {
		return ""
	}
	for i := range pod.Spec.Containers {
		if limit, ok := pod.Spec.Containers[i].Resources.Limits[corev1.ResourceMemory]; ok && pod.Spec.Containers[i].Name == workerContainer {
			return fmt.Sprintf(" (memory limit %s)", &limit)
		}
	}
	return " (no memory limit: the node's was reached)"
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
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
