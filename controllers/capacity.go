// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A pod that the scheduler finds no node for either waits until other pods end, or it
// waits for ever: it asks for more than any node has. The first is normal on a full
// cluster, and most of all where the other pods are Windtunnel's: no user has to act.

// capacityTimeout is how long a pod may wait for room on full nodes before its object
// is reported as waiting for it.
const capacityTimeout = 2 * time.Minute

// waitsForCapacity is since when a pod waits for room on nodes that could hold it;
// zero where it does not.
func waitsForCapacity(pod *corev1.Pod) time.Time {
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil {
		return time.Time{}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable && nodesAreFull(c.Message) {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// nodesAreFull reports whether the scheduler's words name a node that could hold a pod
// once others end. Where a pod asks for more than every node has, the scheduler says of
// each of them that preemption is not helpful.
func nodesAreFull(words string) bool {
	full := strings.Contains(words, "Insufficient ") || strings.Contains(words, "Too many pods")
	hopeless := strings.Contains(words, "Preemption is not helpful") && !strings.Contains(words, "No preemption victims")
	return full && !hopeless
}

// longestWait is how long the pods of a Job that wait for capacity have waited; false
// where none does. A time that is yet to come by this clock counts as one that is past.
func longestWait(pods []corev1.Pod, now time.Time) (time.Duration, bool) {
	var longest time.Duration
	waits := false
	for _, pod := range newest(pods) {
		if since := waitsForCapacity(pod); !since.IsZero() {
			longest, waits = max(longest, now.Sub(since).Abs()), true
		}
	}
	return longest, waits
}

// readContention finds out whether pods of other objects hold nodes, where pods of the
// round's Job have waited for capacity for long.
func (o *observer) readContention(ctx context.Context, w *observation, job *batchv1.Job) error {
	if wait, _ := longestWait(w.job.pods, o.clock.Now()); wait < capacityTimeout {
		return nil
	}
	var pods corev1.PodList
	if err := o.cache.List(ctx, &pods, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list worker pods: %w", err)
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; holdsNode(pod) && !metav1.IsControlledBy(pod, job) && pod.Labels[LabelJob] != job.Name {
			w.job.contended = true
			return nil
		}
	}
	return nil
}

// holdsNode reports whether a pod takes room on a node.
func holdsNode(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodRunning:
		return true
	case corev1.PodSucceeded, corev1.PodFailed:
		return false
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
