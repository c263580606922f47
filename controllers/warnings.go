// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"regexp"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/internal/printable"
)

// No status says that a quota, a LimitRange or PodSecurity rejects a pod, or that its
// volume does not mount: the Job controller and the kubelet report it in events. The
// manager reads them only if pods are missing or late.

const (
	// startTimeout is how long a pod may take to start before its events are read.
	startTimeout = 10 * time.Second
	// minEventInterval and maxEventInterval bound the time between two reads, which
	// grows with the time that the problem has lasted.
	minEventInterval = 2 * time.Second
	maxEventInterval = time.Minute
	// maxStuckPods is the number of pods whose events are read: those that a message
	// lists.
	maxStuckPods = maxListed
)

// Reasons of events: of pods that the Job controller cannot create, and of what a pod's
// status says too.
const (
	reasonFailedCreate     = "FailedCreate"
	reasonFailedScheduling = "FailedScheduling"
)

// warnings reads what events tell of pods of the current Job that are missing or
// do not start.
func (o *observer) warnings(ctx context.Context, w *observation) error {
	job := w.currentJob()
	if job == nil {
		return nil
	}
	w.job.warnings = map[types.UID]string{}
	if lacksPods(job) {
		isRefusal := func(e *eventsv1.Event) bool {
			return e.Reason == reasonFailedCreate && !lastTime(e).Before(lastStart(job, w.job.pods))
		}
		if err := o.warning(ctx, w, job, isRefusal); err != nil {
			return err
		}
	}
	if err := o.readContention(ctx, w, job); err != nil {
		return err
	}
	stuck := stuckPods(w.job.pods, o.clock.Now())
	isOwn := func(e *eventsv1.Event) bool { return e.Reason != reasonFailedScheduling }
	for _, pod := range stuck[:min(len(stuck), maxStuckPods)] {
		if err := o.warning(ctx, w, pod, isOwn); err != nil {
			return err
		}
	}
	return nil
}

// warning adds the newest warning event about an object to the observation. A manager
// that may not read events has none.
func (o *observer) warning(ctx context.Context, w *observation, about client.Object, counts func(*eventsv1.Event) bool) error {
	var list eventsv1.EventList
	err := o.live.List(ctx, &list, client.InNamespace(about.GetNamespace()),
		client.MatchingFields{"regarding.uid": string(about.GetUID()), "type": corev1.EventTypeWarning})
	if apierrors.IsForbidden(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list events of %s: %w", about.GetName(), err)
	}
	var newest *eventsv1.Event
	for i := range list.Items {
		if e := &list.Items[i]; counts(e) && (newest == nil || lastTime(newest).Before(lastTime(e))) {
			newest = e
		}
	}
	if newest != nil {
		w.job.warnings[about.GetUID()] = eventMessage(newest)
	}
	return nil
}

// lacksPods reports whether a Job that should run has fewer pods than it needs. Its
// controller writes how many there are once it has tried to create them.
func lacksPods(job *batchv1.Job) bool {
	done, _ := finished(job)
	if done || job.DeletionTimestamp != nil || isSuspended(job) || job.Status.StartTime == nil {
		return false
	}
	st := &job.Status
	// A Job of a bounded parallelism lacks none that it may not have yet.
	accounted := int(st.Active+ptr.Deref(st.Terminating, 0)+st.Succeeded) + countIndexes(ptr.Deref(st.FailedIndexes, ""))
	if u := st.UncountedTerminatedPods; u != nil {
		accounted += len(u.Succeeded) + len(u.Failed)
	}
	return accounted < shardsOf(job) && int(st.Active) < int(ptr.Deref(job.Spec.Parallelism, 1))
}

// lastStart is when a Job last came as far as having a pod created: what was
// refused before does not hold any more.
func lastStart(job *batchv1.Job, pods []corev1.Pod) time.Time {
	last := job.Status.StartTime.Time
	for i := range pods {
		if created := pods[i].CreationTimestamp.Time; created.After(last) {
			last = created
		}
	}
	return last
}

// stuckPods returns the pods that do not start for a while, though their status
// does not say why. Of what is yet to come by this clock, it is not known for how long it
// has been so.
func stuckPods(pods []corev1.Pod, now time.Time) []*corev1.Pod {
	var stuck []*corev1.Pod
	for _, pod := range newest(pods) {
		if since := startsSince(pod); !since.IsZero() && now.Sub(since).Abs() >= startTimeout {
			stuck = append(stuck, pod)
		}
	}
	return stuck
}

// startsSince is since when a pod has a node, or is there, and is about to start;
// zero where it is not, or where its status says what is wrong.
func startsSince(pod *corev1.Pod) time.Time {
	if pod.Status.Phase != corev1.PodPending || pod.DeletionTimestamp != nil || podProblem(pod) != "" {
		return time.Time{}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return pod.CreationTimestamp.Time
}

// requeueForPods says when events are to be read for the first time or again; 0 where the
// watches report everything. An earlier event of a watch replaces it.
func requeueForPods(job *batchv1.Job, pods []corev1.Pod, now time.Time) time.Duration {
	var again time.Duration
	if lacksPods(job) {
		again = between(minEventInterval, now.Sub(lastStart(job, pods)).Abs(), maxEventInterval)
	}
	for _, pod := range newest(pods) {
		since := startsSince(pod)
		if since.IsZero() {
			continue
		}
		after := startTimeout - now.Sub(since).Abs()
		if after <= 0 {
			after = between(minEventInterval, -after, maxEventInterval)
		}
		again = sooner(again, after)
	}
	if wait, waits := longestWait(pods, now); waits {
		again = sooner(again, capacityRequeue(wait))
	}
	return again
}

// capacityRequeue is when a pod that has waited for capacity is reconciled again.
func capacityRequeue(wait time.Duration) time.Duration {
	if wait < capacityTimeout {
		return capacityTimeout - wait
	}
	return maxEventInterval
}

func between(low, d, high time.Duration) time.Duration { return max(low, min(d, high)) }

// sooner returns the shorter of two times after which to look again, of which 0 is
// never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// lastTime is when an event happened last, in whichever API it was written.
func lastTime(e *eventsv1.Event) time.Time {
	last := e.DeprecatedLastTimestamp.Time
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	return last
}

// refusedPod begins the notes of events about refused pods. The name is one that no
// pod ever bears, and another one each time.
var refusedPod = regexp.MustCompile(`^(\(combined from similar events\): ?)?(Error creating: )?(pods "[^"]*" is forbidden: )?`)

// eventMessage are an event's reason and note.
func eventMessage(e *eventsv1.Event) string {
	return fmt.Sprintf("%s: %s", e.Reason, printable.Clip(refusedPod.ReplaceAllString(e.Note, ""), 1024))
}
