// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// pods lists those of the current Job.
func (o *observer) pods(ctx context.Context, w *observation, job *batchv1.Job) error {
	reader, whose := o.cache, client.ListOption(client.MatchingFields{indexOwner: string(job.UID)})
	if done, _ := finished(job); done {
		// The API server has no such index.
		reader, whose = o.live, client.MatchingLabels{batchv1.JobNameLabel: job.Name}
	}
	var pods corev1.PodList
	err := reader.List(ctx, &pods, client.InNamespace(job.Namespace), whose)
	if err != nil {
		return fmt.Errorf("list pods of Job %s: %w", job.Name, err)
	}
	w.job.pods = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !metav1.IsControlledBy(&pod, job) })
	w.job.pods = append(w.job.pods, o.deletedPods.ofJob(job.UID, w.job.pods)...)
	slices.SortFunc(w.job.pods, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	now := o.clock.Now()
	w.job.podsAlive = slices.ContainsFunc(w.job.pods, func(pod corev1.Pod) bool { return mayStillReport(&pod, now) })
	return nil
}
