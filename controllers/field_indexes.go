// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Indexes of the cache.
const (
	// indexOwner finds children by the UID of the object that controls them.
	indexOwner = "metadata.controller"
	// indexConfigMap finds objects by the ConfigMaps that they refer to.
	indexConfigMap = "spec.configMaps"
	// indexReuse finds objects by those whose results they reuse.
	indexReuse = "spec.reuseFrom"
)

// addIndexes adds the indexes that the controllers read.
func addIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for _, child := range []client.Object{
		&batchv1.Job{}, &corev1.Pod{}, configMapMetadata(), &v1alpha1.SimulationRun{},
		&appsv1.Deployment{}, metadataOf(kindService), metadataOf(kindNetworkPolicy),
	} {
		if err := indexer.IndexField(ctx, child, indexOwner, ownerIndex); err != nil {
			return fmt.Errorf("index %s by owner: %w", kindOf(child), err)
		}
	}
	for _, s := range []subjects{runs, sweeps} {
		if err := indexer.IndexField(ctx, s.object(), indexConfigMap, s.configMapIndex); err != nil {
			return fmt.Errorf("index %s by ConfigMap: %w", s.kind, err)
		}
		if err := indexer.IndexField(ctx, s.object(), indexReuse, s.reuseIndex); err != nil {
			return fmt.Errorf("index %s by what it reuses: %w", s.kind, err)
		}
	}
	return nil
}

// ownerIndex returns the UID of the object that controls a child: one of ours, or a
// pod's Job.
func ownerIndex(child client.Object) []string {
	owner := controllerOf(child)
	if pod, ok := child.(*corev1.Pod); ok {
		owner = metav1.GetControllerOf(pod)
	}
	if owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}

func (s subjects) configMapIndex(object client.Object) []string {
	return s.wrap(object).configMaps()
}

func (s subjects) reuseIndex(object client.Object) []string {
	return unique(slices.Clone(s.wrap(object).reuseFrom()))
}

// controllerOf returns the reference to the object of ours that controls a
// child, or nil.
func controllerOf(child metav1.Object) *metav1.OwnerReference {
	owner := metav1.GetControllerOf(child)
	if owner == nil || owner.APIVersion != v1alpha1.GroupVersion.String() {
		return nil
	}
	return owner
}

// configMapMetadata is a ConfigMap of which only the metadata is cached.
func configMapMetadata() *metav1.PartialObjectMetadata {
	return metadataOf(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
}
