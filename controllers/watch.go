// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// watcher finds the objects of one kind that an event concerns.
type watcher struct {
	cache    client.Reader
	subjects subjects
}

// ofChild returns the object that owns a Job, or a run.
func (w watcher) ofChild(_ context.Context, child client.Object) []reconcile.Request {
	return w.ofOwner(child)
}

// ofPod returns the object that a pod's Job serves.
func (w watcher) ofPod(ctx context.Context, pod client.Object) []reconcile.Request {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "Job" {
		return nil
	}
	var job batchv1.Job
	if err := w.cache.Get(ctx, client.ObjectKey{Namespace: pod.GetNamespace(), Name: owner.Name}, &job); err != nil {
		// Without its Job the pod says nothing; the Job's own event will.
		return nil
	}
	return w.ofOwner(&job)
}

// ofConfigMap returns the objects that refer to a ConfigMap, and, where one is
// deleted that an object owns, its owner.
func (w watcher) ofConfigMap(ctx context.Context, cm client.Object) []reconcile.Request {
	if controllerOf(cm) != nil {
		return w.ofOwner(cm)
	}
	return w.referring(ctx, cm, indexConfigMap, func(subject) bool { return true })
}

// referring returns the objects that an index finds by another one's name, and
// that it matters to.
func (w watcher) referring(ctx context.Context, to client.Object, index string, matters func(subject) bool) []reconcile.Request {
	list := w.subjects.list()
	err := w.cache.List(ctx, list, client.InNamespace(to.GetNamespace()), client.MatchingFields{index: to.GetName()})
	if err != nil {
		log.FromContext(ctx).Error(err, "List what refers to an object", "name", to.GetName(), "index", index)
		return nil
	}
	var requests []reconcile.Request
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		object := item.(client.Object)
		if matters(w.subjects.wrap(object)) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
		return nil
	})
	return requests
}

// ofSource returns the objects that wait for another one's results. It is enough
// to hear that it was created.
func (w watcher) ofSource(ctx context.Context, source client.Object) []reconcile.Request {
	return w.referring(ctx, source, indexReuse, func(s subject) bool { return !settled(s) })
}

func (w watcher) ofOwner(child client.Object) []reconcile.Request {
	owner := controllerOf(child)
	if owner == nil || owner.Kind != w.subjects.kind {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: child.GetNamespace(), Name: owner.Name}}}
}

// configMapEvents are those that matter: anything that happens to an input, and
// the deletion of what an object owns and needs. What it creates itself is no news.
var configMapEvents = predicate.Funcs{
	CreateFunc: func(e event.CreateEvent) bool { return controllerOf(e.Object) == nil },
	UpdateFunc: func(e event.UpdateEvent) bool { return controllerOf(e.ObjectNew) == nil },
	DeleteFunc: func(e event.DeleteEvent) bool { return !isProgress(e.Object) },
}

// progressDelay is how long after the report of a shard's progress its owner is
// reconciled, together with the reports that arrive until then.
const progressDelay = 5 * time.Second

// ofProgress is a handler that has the owner of a ConfigMap looked at by and by in which
// a shard tells of its progress.
func (w watcher) ofProgress() handler.EventHandler {
	return handler.Funcs{CreateFunc: func(_ context.Context, e event.CreateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		if !isProgress(e.Object) {
			return
		}
		for _, request := range w.ofOwner(e.Object) {
			queue.AddAfter(request, progressDelay)
		}
	}}
}

// sourceEvents are those by which an object's results come into being that others
// may reuse.
var sourceEvents = predicate.Funcs{
	UpdateFunc: func(event.UpdateEvent) bool { return false },
	DeleteFunc: func(event.DeleteEvent) bool { return false },
}

// deploymentEvents are those that change whether replicas become ready, and the end of a Deployment.
var deploymentEvents = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok1 := e.ObjectOld.(*appsv1.Deployment)
		after, ok2 := e.ObjectNew.(*appsv1.Deployment)
		return !ok1 || !ok2 || enginesTrouble(before) != enginesTrouble(after)
	},
}

// runEvents are those of a run, or of another child that an object owns: its end, which
// what is to take its place waits for.
var runEvents = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return false },
	UpdateFunc: func(event.UpdateEvent) bool { return false },
}

// mapped is a handler that enqueues what fn returns.
func mapped(fn handler.MapFunc) handler.EventHandler { return handler.EnqueueRequestsFromMapFunc(fn) }

// podEvents are the pod updates that change its phase, its deletion or its problem.
var podEvents = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok1 := e.ObjectOld.(*corev1.Pod)
		after, ok2 := e.ObjectNew.(*corev1.Pod)
		return !ok1 || !ok2 || before.Status.Phase != after.Status.Phase ||
			(before.DeletionTimestamp == nil) != (after.DeletionTimestamp == nil) || podProblem(before) != podProblem(after) ||
			pickerFailure([]corev1.Pod{*before}) != pickerFailure([]corev1.Pod{*after})
	},
}
