// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// maxDeletedPods is how many deleted pods are remembered.
const maxDeletedPods = 1000

// deletedPods remembers deleted pods whose termination messages report a part of their
// shard. A pod that is stopped is deleted within a second of its report, so that a busy
// manager may get it only with the watch's delete event. What is missed is simulated
// again. It may be used concurrently.
type deletedPods struct {
	mu   sync.Mutex
	pods []*corev1.Pod // oldest first
}

// add remembers a deleted pod if it reported a part of its shard.
func (l *deletedPods) add(object any) {
	pod, ok := object.(*corev1.Pod)
	if !ok || metav1.GetControllerOf(pod) == nil {
		return
	}
	if _, ok := partialReport(pod); !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pods = append(l.pods, pod)
	l.pods = slices.Delete(l.pods, 0, max(0, len(l.pods)-maxDeletedPods))
}

// ofJob returns the remembered pods of a Job that are not among the existing ones.
func (l *deletedPods) ofJob(job types.UID, there []corev1.Pod) []corev1.Pod {
	l.mu.Lock()
	defer l.mu.Unlock()
	var gone []corev1.Pod
	for _, pod := range l.pods {
		if metav1.GetControllerOf(pod).UID == job && !slices.ContainsFunc(there, func(p corev1.Pod) bool { return p.UID == pod.UID }) {
			gone = append(gone, *pod)
		}
	}
	return gone
}

// deletedPodRecorder is a handler of pod events that remembers deleted pods.
type deletedPodRecorder struct {
	handler.EventHandler
	pods *deletedPods
}

// Delete implements handler.EventHandler.
func (l deletedPodRecorder) Delete(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	l.pods.add(e.Object)
	l.EventHandler.Delete(ctx, e, queue)
}
