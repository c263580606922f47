// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	handles "unique"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/pkg/worker"
)

// CacheOptions bound what the manager's cache holds: only Jobs and pods that
// serve our objects, and nothing of anybody's ConfigMaps but who they are.
func CacheOptions() cache.Options {
	ours, err := labels.NewRequirement(LabelKind, selection.Exists, nil)
	if err != nil {
		panic(fmt.Sprintf("controllers: %v", err))
	}
	selector := labels.NewSelector().Add(*ours)
	return cache.Options{
		DefaultTransform: stripObject,
		ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}:      {Label: selector, Transform: stripJob},
			&corev1.Pod{}:       {Label: selector, Transform: stripPod},
			&corev1.ConfigMap{}: {Transform: stripMetadata},

			&appsv1.Deployment{}:          {Label: selector, Transform: stripDeployment},
			&corev1.Service{}:             {Label: selector, Transform: stripMetadata},
			&networkingv1.NetworkPolicy{}: {Label: selector, Transform: stripMetadata},
		},
	}
}

// stripObject strips an object.
func stripObject(in any) (any, error) {
	if object, ok := in.(client.Object); ok {
		strip(object)
	}
	return in, nil
}

// strip drops the managed fields of an object, and shares the texts that its siblings
// have too.
func strip(object client.Object) {
	object.SetManagedFields(nil)
	owners := object.GetOwnerReferences()
	for i := range owners {
		o := &owners[i]
		o.APIVersion, o.Kind, o.Name, o.UID = shared(o.APIVersion), shared(o.Kind), shared(o.Name), types.UID(shared(string(o.UID)))
	}
	object.SetOwnerReferences(owners)
	object.SetNamespace(shared(object.GetNamespace()))
}

// stripChild also drops the labels of a child that are never read: most
// objects of the cache are children, and most of a child is its labels.
func stripChild(object client.Object) {
	strip(object)
	var read map[string]string
	for _, key := range readLabels {
		if value, ok := object.GetLabels()[key]; ok {
			if read == nil {
				read = map[string]string{}
			}
			read[key] = shared(value)
		}
	}
	object.SetLabels(read)
}

// readLabels are the labels of children that are read from the cache. No child has
// more than eight of them, which a small map holds.
var readLabels = [...]string{
	LabelKind, LabelComponent, LabelPlan, LabelRound, LabelAttempt, LabelContent, LabelQueue, worker.LabelList,
	worker.LabelShard, worker.LabelDone, LabelJob,
}

// shared returns the one copy of a text that is held while anybody holds one.
func shared(text string) string { return handles.Make(text).Value() }

// stripJob drops the pod template of a Job, which is never read from the cache.
func stripJob(in any) (any, error) {
	if job, ok := in.(*batchv1.Job); ok {
		stripChild(job)
		job.Spec.Template, job.Spec.PodFailurePolicy, job.Spec.Selector = corev1.PodTemplateSpec{}, nil, nil
	}
	return in, nil
}

// stripDeployment drops the pod template of a Deployment likewise.
func stripDeployment(in any) (any, error) {
	if d, ok := in.(*appsv1.Deployment); ok {
		stripChild(d)
		d.Annotations, d.Spec.Template = nil, corev1.PodTemplateSpec{}
	}
	return in, nil
}

// stripPod drops of what a pod runs all but what its containers may take, and that
// too once it succeeded: what matters is how it fares.
func stripPod(in any) (any, error) {
	pod, ok := in.(*corev1.Pod)
	if !ok {
		return in, nil
	}
	stripChild(pod)
	var containers []corev1.Container
	if pod.Status.Phase != corev1.PodSucceeded {
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			containers = append(containers, corev1.Container{Name: c.Name, Resources: c.Resources})
		}
	}
	pod.Spec = corev1.PodSpec{Containers: containers}
	return in, nil
}

// stripMetadata drops from the metadata of an object what may be large and is
// never read.
func stripMetadata(in any) (any, error) {
	if cm, ok := in.(*metav1.PartialObjectMetadata); ok {
		stripChild(cm)
		cm.Annotations = nil
	}
	return in, nil
}
