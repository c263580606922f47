// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A namespace that is being deleted loses its pods first. The Job controller holds a
// shard's failed pod until it has created the next one, which the namespace no longer
// admits: the pod, and the namespace with it, would stay for ever. The pod is deleted
// with its Job.

// namespaceTerminating reports whether the subject's namespace is being deleted and waits for such
// pods. The namespace is reconciled only where a failed pod is being deleted and is
// still there.
func (o *observer) namespaceTerminating(ctx context.Context, w *observation) (bool, error) {
	for _, job := range w.children.jobs {
		if !unfinished(job) {
			continue
		}
		held, err := o.holdsPod(ctx, job)
		if err != nil {
			return false, err
		}
		if held {
			return o.isTerminating(ctx, job.Namespace)
		}
	}
	return false, nil
}

// unfinished reports whether a Job has not ended, nor is about to go.
func unfinished(job *batchv1.Job) bool {
	done, _ := finished(job)
	return !done && job.DeletionTimestamp == nil
}

// holdsPod reports whether a failed pod of a Job is being deleted and is still there.
func (o *observer) holdsPod(ctx context.Context, job *batchv1.Job) (bool, error) {
	var pods corev1.PodList
	err := o.cache.List(ctx, &pods, client.InNamespace(job.Namespace), client.MatchingFields{indexOwner: string(job.UID)},
		client.UnsafeDisableDeepCopy)
	if err != nil {
		return false, fmt.Errorf("list pods of Job %s: %w", job.Name, err)
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; pod.DeletionTimestamp != nil && pod.Status.Phase == corev1.PodFailed {
			return true, nil
		}
	}
	return false, nil
}

// isTerminating reports whether a namespace is being deleted. A manager that may not
// read it takes it for one that stays.
func (o *observer) isTerminating(ctx context.Context, name string) (bool, error) {
	var namespace corev1.Namespace
	err := o.live.Get(ctx, client.ObjectKey{Name: name}, &namespace)
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return namespace.DeletionTimestamp != nil, nil
}

// releaseNamespace deletes the Jobs that hold pods in a namespace that is being deleted.
// The status stays: the object is deleted next.
func (d cleaner) releaseNamespace() {
	for _, job := range d.children.jobs {
		if unfinished(job) {
			d.act(action{verbDelete, job, "its namespace is being deleted and waits for a failed pod, which stays until its Job is deleted"})
		}
	}
}
