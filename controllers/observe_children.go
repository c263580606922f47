// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// children lists what the subject owns.
func (o *observer) children(ctx context.Context, w *observation) error {
	own := []client.ListOption{
		client.InNamespace(w.subject.object().GetNamespace()),
		client.MatchingFields{indexOwner: string(w.subject.object().GetUID())},
	}
	var jobs batchv1.JobList
	if err := o.cache.List(ctx, &jobs, own...); err != nil {
		return fmt.Errorf("list Jobs: %w", err)
	}
	for i := range jobs.Items {
		w.children.jobs = append(w.children.jobs, &jobs.Items[i])
	}
	configMaps := metadataListOf(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	if err := o.cache.List(ctx, configMaps, own...); err != nil {
		return fmt.Errorf("list ConfigMaps: %w", err)
	}
	for i := range configMaps.Items {
		// A delete of metadata alone needs to know the kind.
		configMaps.Items[i].TypeMeta = configMapMetadata().TypeMeta
	}
	w.children.configMaps = configMaps.Items
	if err := o.listEngines(ctx, w, own); err != nil {
		return err
	}
	slices.SortFunc(w.children.jobs, func(a, b *batchv1.Job) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(w.children.configMaps, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// missingJob asks the API server for the Job of a task that the cache lacks: one
// that it has not seen yet, one whose labels were removed, or an object of another owner.
func (o *observer) missingJob(ctx context.Context, w *observation) error {
	if slices.ContainsFunc(w.children.jobs, func(job *batchv1.Job) bool { return job.Name == w.task.job }) {
		return nil
	}
	job := &batchv1.Job{}
	found, err := o.child(ctx, w, w.task.job, job)
	if found {
		w.children.jobs = append(w.children.jobs, job)
	}
	return err
}

// missingChild asks it for a ConfigMap.
func (o *observer) missingChild(ctx context.Context, w *observation, name string) error {
	if w.children.hasConfigMap(name) {
		return nil
	}
	cm := configMapMetadata()
	found, err := o.child(ctx, w, name, cm)
	if found {
		w.children.configMaps = append(w.children.configMaps, *cm)
	}
	return err
}

// child reads an object that the subject should own. Where it has another owner, that is
// a conflict.
func (o *observer) child(ctx context.Context, w *observation, name string, object client.Object) (bool, error) {
	err := o.live.Get(ctx, client.ObjectKey{Namespace: w.subject.object().GetNamespace(), Name: name}, object)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read %s %s: %w", kindOf(object), name, err)
	case !ownedBy(object, w.subject):
		w.children.conflicts = append(w.children.conflicts, fmt.Sprintf("%s %s", kindOf(object), name))
		return false, nil
	}
	return true, nil
}

// account looks for the account of worker pods.
func (o *observer) account(ctx context.Context, w *observation) error {
	key := client.ObjectKey{Namespace: w.subject.object().GetNamespace(), Name: WorkerName}
	err := o.live.Get(ctx, key, &corev1.ServiceAccount{})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read ServiceAccount %s: %w", WorkerName, err)
	}
	w.children.account.serviceAccount = err == nil
	var binding rbacv1.RoleBinding
	err = o.live.Get(ctx, key, &binding)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read RoleBinding %s: %w", WorkerName, err)
	}
	w.children.account.roleBinding = err == nil
	if want := makeRoleBinding(key.Namespace); err == nil &&
		(binding.RoleRef != want.RoleRef || !slices.Contains(binding.Subjects, want.Subjects[0])) {
		w.children.conflicts = append(w.children.conflicts, "RoleBinding "+WorkerName)
	}
	return nil
}
