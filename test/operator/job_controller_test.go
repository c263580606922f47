// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const attemptAnnotation = "test/attempt"

func indexOf(pod *corev1.Pod) int {
	index, _ := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	return index
}

func attemptOf(pod *corev1.Pod) int {
	attempt, _ := strconv.Atoi(pod.Annotations[attemptAnnotation])
	return attempt
}

func podsOf(job *batchv1.Job, pods []corev1.Pod) []*corev1.Pod {
	var own []*corev1.Pod
	for i := range pods {
		if metav1.IsControlledBy(&pods[i], job) {
			own = append(own, &pods[i])
		}
	}
	return own
}

// podTally is what the pods of a Job say of its indexes.
type podTally struct {
	active, ready     int32
	completed, failed []int
	failures          int32
	// attempts counts the pods of each index, live those that have not ended.
	attempts, live map[int]int
	reasons        map[int]string
}

// count reads the pods of an Indexed Job with a back-off limit per index.
func count(job *batchv1.Job, pods []*corev1.Pod) podTally {
	t := podTally{attempts: map[int]int{}, live: map[int]int{}, reasons: map[int]string{}}
	t.completed = parseIndexes(job.Status.CompletedIndexes)
	failures := map[int]int{}
	for _, pod := range pods {
		index := indexOf(pod)
		t.attempts[index]++
		switch pod.Status.Phase {
		case corev1.PodSucceeded:
			t.completed = append(t.completed, index)
		case corev1.PodFailed:
			if pod.DeletionTimestamp != nil {
				continue // it was stopped
			}
			t.failures++
			failures[index]++
			if failures[index] > int(*job.Spec.BackoffLimitPerIndex) || failsIndex(job, pod) {
				t.failed = append(t.failed, index)
			}
		default:
			t.active++
			t.live[index]++
			if pod.Status.Phase == corev1.PodRunning {
				t.ready++
			}
		}
	}
	slices.Sort(t.completed)
	t.completed = slices.Compact(t.completed)
	slices.Sort(t.failed)
	t.failed = slices.Compact(t.failed)
	return t
}

// failsIndex reports whether the Job's pod failure policy gives an index up.
func failsIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if rule.OnExitCodes == nil || rule.Action != batchv1.PodFailurePolicyActionFailIndex {
			continue
		}
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == *rule.OnExitCodes.ContainerName && slices.Contains(rule.OnExitCodes.Values, c.State.Terminated.ExitCode) {
				return true
			}
		}
	}
	return false
}

// job does one step of a Job.
func (k *kubelet) job(ctx context.Context, job *batchv1.Job, pods []*corev1.Pod) error {
	if ended(job) {
		return nil
	}
	t := count(job, pods)
	next := job.DeepCopy()
	st := &next.Status
	st.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	st.Terminating = ptr.To[int32](0)
	st.CompletedIndexes, st.FailedIndexes = formatIndexes(t.completed), ptr.To(formatIndexes(t.failed))
	st.Succeeded, st.Failed = int32(len(t.completed)), max(t.failures, st.Failed)
	st.Active, st.Ready = t.active, ptr.To(t.ready)
	switch {
	case ptr.Deref(job.Spec.Suspend, false):
		return k.suspend(ctx, job, next, pods)
	case len(t.failed) > int(*job.Spec.MaxFailedIndexes):
		return k.giveUp(ctx, job, next, pods)
	case len(t.completed) == int(*job.Spec.Completions):
		st.CompletionTime = ptr.To(metav1.Now())
		setJobCondition(st, batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
		setJobCondition(st, batchv1.JobComplete, corev1.ConditionTrue, batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
		return k.client.Status().Update(ctx, next)
	}
	if st.StartTime == nil {
		st.StartTime = ptr.To(metav1.Now())
		setJobCondition(st, batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed")
	}
	if err := k.updateJob(ctx, job, next); err != nil {
		return err
	}
	for index := range int(*job.Spec.Completions) {
		if t.live[index] == 0 && !slices.Contains(t.completed, index) && !slices.Contains(t.failed, index) {
			if err := k.createPod(ctx, job, index, t.attempts[index]); err != nil {
				return err
			}
		}
	}
	return nil
}

// suspend ends what runs.
func (k *kubelet) suspend(ctx context.Context, job, next *batchv1.Job, pods []*corev1.Pod) error {
	if err := k.killActive(ctx, pods); err != nil {
		return err
	}
	next.Status.StartTime, next.Status.Active, next.Status.Ready = nil, 0, ptr.To[int32](0)
	setJobCondition(&next.Status, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended")
	return k.updateJob(ctx, job, next)
}

// giveUp ends a Job that has failed.
func (k *kubelet) giveUp(ctx context.Context, job, next *batchv1.Job, pods []*corev1.Pod) error {
	if err := k.killActive(ctx, pods); err != nil {
		return err
	}
	st := &next.Status
	st.Active, st.Ready = 0, ptr.To[int32](0)
	const reason, message = batchv1.JobReasonMaxFailedIndexesExceeded, "Job has exceeded the specified maximal number of failed indexes"
	setJobCondition(st, batchv1.JobFailureTarget, corev1.ConditionTrue, reason, message)
	setJobCondition(st, batchv1.JobFailed, corev1.ConditionTrue, reason, message)
	return k.updateJob(ctx, job, next)
}

func (k *kubelet) killActive(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodPending && pod.Status.Phase != corev1.PodRunning {
			continue
		}
		if err := client.IgnoreNotFound(k.client.Delete(ctx, pod)); err != nil {
			return err
		}
	}
	return nil
}

// updateJob writes a Job's status if it changed.
func (k *kubelet) updateJob(ctx context.Context, job, next *batchv1.Job) error {
	if fmt.Sprint(job.Status.String()) == next.Status.String() {
		return nil
	}
	err := k.client.Status().Update(ctx, next)
	if apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// createPod makes the pod of an index, as the Job controller names and labels
// it. Without its account the API server of a cluster would refuse it.
func (k *kubelet) createPod(ctx context.Context, job *batchv1.Job, index, attempt int) error {
	template := job.Spec.Template
	account := client.ObjectKey{Namespace: job.Namespace, Name: template.Spec.ServiceAccountName}
	if err := k.client.Get(ctx, account, &corev1.ServiceAccount{}); err != nil {
		return client.IgnoreNotFound(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    job.Namespace,
			GenerateName: fmt.Sprintf("%s-%d-", job.Name, index),
			Labels:       template.Labels,
			Annotations: map[string]string{
				batchv1.JobCompletionIndexAnnotation: strconv.Itoa(index),
				attemptAnnotation:                    strconv.Itoa(attempt),
			},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))},
		},
		Spec: template.Spec,
	}
	// A pod of a node is there until its kubelet says that it has ended.
	pod.Spec.NodeName = "node"
	err := k.client.Create(ctx, pod)
	if apierrors.IsForbidden(err) {
		// In the words of the Job controller.
		k.recorder.Eventf(job, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
		return nil
	}
	return err
}

// orphans deletes pods whose Job is gone.
func (k *kubelet) orphans(ctx context.Context, jobs []batchv1.Job, pods []corev1.Pod) error {
	known := map[types.UID]bool{}
	for _, job := range jobs {
		known[job.UID] = true
	}
	for i := range pods {
		if owner := metav1.GetControllerOf(&pods[i]); owner != nil && owner.Kind == "Job" && !known[owner.UID] {
			if err := client.IgnoreNotFound(k.client.Delete(ctx, &pods[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func ended(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
}

func setJobCondition(st *batchv1.JobStatus, typ batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) {
	for i := range st.Conditions {
		if st.Conditions[i].Type == typ {
			if st.Conditions[i].Status != status {
				st.Conditions[i] = batchv1.JobCondition{Type: typ, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()}
			}
			return
		}
	}
	if status == corev1.ConditionFalse {
		return
	}
	st.Conditions = append(st.Conditions, batchv1.JobCondition{Type: typ, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()})
}

// parseIndexes reads a list such as 1,3-5.
func parseIndexes(list string) []int {
	var indexes []int
	for _, part := range strings.Split(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		low, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		high := low
		if isRange {
			high, _ = strconv.Atoi(last)
		}
		for i := low; i <= high; i++ {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// formatIndexes writes a sorted list such as 1,3-5.
func formatIndexes(indexes []int) string {
	var parts []string
	for i := 0; i < len(indexes); {
		j := i
		for j+1 < len(indexes) && indexes[j+1] == indexes[j]+1 {
			j++
		}
		switch j {
		case i:
			parts = append(parts, strconv.Itoa(indexes[i]))
		case i + 1:
			parts = append(parts, strconv.Itoa(indexes[i]), strconv.Itoa(indexes[j]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", indexes[i], indexes[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
