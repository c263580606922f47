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

// maxLastWords is how many pods that are gone are remembered.
const maxLastWords = 1000

// lastWords remembers pods that are gone and that reported a part of their shard.
// A pod that is stopped is deleted within a second of its report, so that a busy
// manager may only hear of it from the watch. What nobody hears is simulated again.
// It may be used concurrently.
type lastWords struct {
	mu   sync.Mutex
	pods []*corev1.Pod // oldest first
}

// hear takes note of a pod that is gone.
func (l *lastWords) hear(object any) {
	pod, ok := object.(*corev1.Pod)
	if !ok || metav1.GetControllerOf(pod) == nil {
		return
	}
	if _, ok := partOf(pod); !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pods = append(l.pods, pod)
	l.pods = slices.Delete(l.pods, 0, max(0, len(l.pods)-maxLastWords))
}

// of returns the pods of a Job that were heard of, but those that are there still.
func (l *lastWords) of(job types.UID, there []corev1.Pod) []corev1.Pod {
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

// listening is a handler of pods' events that has last words heard first.
type listening struct {
	handler.EventHandler
	words *lastWords
}

// Delete implements handler.EventHandler.
func (l listening) Delete(ctx context.Context, e event.DeleteEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	l.words.hear(e.Object)
	l.EventHandler.Delete(ctx, e, queue)
}
