// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// running4 is a Job of four shards whose controller has looked at it.
func running4(change func(*batchv1.Job)) *batchv1.Job {
	job := &batchv1.Job{
		Spec:   batchv1.JobSpec{Completions: ptr.To[int32](4), Parallelism: ptr.To[int32](4)},
		Status: batchv1.JobStatus{StartTime: ptr.To(metav1.NewTime(epoch)), Active: 4},
	}
	change(job)
	return job
}

func TestWhetherAJobLacksPods(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*batchv1.Job)
		want   bool
	}{
		"all run":                     {func(*batchv1.Job) {}, false},
		"none could be created":       {func(job *batchv1.Job) { job.Status.Active = 0 }, true},
		"one could not be created":    {func(job *batchv1.Job) { job.Status.Active = 3 }, true},
		"nobody has looked at it yet": {func(job *batchv1.Job) { job.Status = batchv1.JobStatus{} }, false},
		"it is suspended":             {func(job *batchv1.Job) { job.Status.Active, job.Spec.Suspend = 0, ptr.To(true) }, false},
		"it has ended":                {func(job *batchv1.Job) { job.Status.Active = 0; ended(batchv1.JobFailed)(job) }, false},
		"it is being deleted":         {func(job *batchv1.Job) { job.Status.Active = 0; deleting(job) }, false},
		"one has succeeded":           {func(job *batchv1.Job) { job.Status.Active, job.Status.Succeeded = 3, 1 }, false},
		"two are given up":            {func(job *batchv1.Job) { job.Status.Active, job.Status.FailedIndexes = 2, ptr.To("1-2") }, false},
		"one is on its way out":       {func(job *batchv1.Job) { job.Status.Active, job.Status.Terminating = 3, ptr.To[int32](1) }, false},
		"one that succeeded is uncounted": {func(job *batchv1.Job) {
			job.Status.Active, job.Status.UncountedTerminatedPods = 3, &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{"a"}}
		}, false},
		"no more may run at once": {func(job *batchv1.Job) { job.Status.Active, job.Spec.Parallelism = 2, ptr.To[int32](2) }, false},
	} {
		if got := lacksPods(running4(tc.change)); got != tc.want {
			t.Errorf("%s: lacks pods is %t, want %t", name, got, tc.want)
		}
	}
}

// TestWhatEventsSay holds the notes as kube-controller-manager and kubelet 1.36
// write them.
func TestWhatEventsSay(t *testing.T) {
	for note, want := range map[string]string{
		`Error creating: pods "w-0-x7k2p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`: `FailedCreate: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`,
		`Error creating: pods "w-0-x7k2p" is forbidden: violates PodSecurity "restricted:latest": seccompProfile`:            `FailedCreate: violates PodSecurity "restricted:latest": seccompProfile`,
		`Error creating: pods "w-0-x7k2p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi`:         `FailedCreate: maximum memory usage per Container is 1Gi, but limit is 2Gi`,
		`(combined from similar events): Error creating: pods "w-0-x7k2p" is forbidden: exceeded quota: q`:                   `FailedCreate: exceeded quota: q`,
		`Error creating: Internal error occurred: no route to host`:                                                          `FailedCreate: Internal error occurred: no route to host`,
	} {
		if got := eventMessage(&eventsv1.Event{Reason: "FailedCreate", Note: note}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheLastTimeOfAnEvent(t *testing.T) {
	at := func(seconds int) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }
	for name, e := range map[string]eventsv1.Event{
		"of the old API":        {DeprecatedLastTimestamp: metav1.NewTime(at(3))},
		"of the new API":        {EventTime: metav1.NewMicroTime(at(3))},
		"repeated, of the new":  {EventTime: metav1.NewMicroTime(at(1)), Series: &eventsv1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(3))}},
		"written by both hands": {EventTime: metav1.NewMicroTime(at(1)), DeprecatedLastTimestamp: metav1.NewTime(at(3))},
	} {
		if got := lastTime(&e); !got.Equal(at(3)) {
			t.Errorf("%s: got %s, want %s", name, got, at(3))
		}
	}
}

// TestWhenEventsAreRead by clocks that agree, and by one that is far from the cluster's.
func TestWhenEventsAreRead(t *testing.T) {
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(epoch), Annotations: map[string]string{batchv1.JobCompletionIndexAnnotation: "0"}},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
	full := running4(func(*batchv1.Job) {})
	lacking := running4(func(job *batchv1.Job) { job.Status.Active = 0 })
	for name, tc := range map[string]struct {
		since         time.Duration
		stuck         bool
		again, lacked time.Duration
	}{
		"at once":                {0, false, startTimeout, minEventInterval},
		"a second behind":        {-time.Second, false, startTimeout - time.Second, minEventInterval},
		"after a while":          {startTimeout, true, minEventInterval, startTimeout},
		"after a minute":         {startTimeout + 20*time.Second, true, 20 * time.Second, startTimeout + 20*time.Second},
		"a clock an hour ahead":  {time.Hour, true, maxEventInterval, maxEventInterval},
		"a clock an hour behind": {-time.Hour, true, maxEventInterval, maxEventInterval},
	} {
		now := epoch.Add(tc.since)
		if got := len(stuckPods([]corev1.Pod{pod}, now)) > 0; got != tc.stuck {
			t.Errorf("%s: the pod is stuck is %t, want %t", name, got, tc.stuck)
		}
		if got := requeueForPods(full, []corev1.Pod{pod}, now); got != tc.again {
			t.Errorf("%s: it is looked at again in %s, want %s", name, got, tc.again)
		}
		if got := requeueForPods(lacking, nil, now); got != tc.lacked {
			t.Errorf("%s: a Job without pods is looked at again in %s, want %s", name, got, tc.lacked)
		}
	}
}

// TestUnimpededWorkReadsNoEvents counts the lists of events over the life of a
// sweep.
func TestUnimpededWorkReadsNoEvents(t *testing.T) {
	c := newCluster(t)
	lists := 0
	c.reconcilers[v1alpha1.PolicySweepKind].observer.live = c.events(func() error { lists++; return nil })
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	job := c.job()
	pods := []*corev1.Pod{c.bindPod(job, 0), c.bindPod(job, 1)}
	c.active(job, 2)
	c.reconcile(sweep)
	for index, pod := range pods {
		c.pass(time.Second)
		c.endPod(pod, 0, "Completed", c.work(job, index))
		c.reconcile(sweep)
	}
	if !isTrue(c.subject(sweep).status(), v1alpha1.ConditionComplete) || lists > 0 {
		t.Errorf("%d lists of events, want none; %s", lists, statusLine(c.subject(sweep)))
	}
}

// TestWithoutRightsOnEvents has the manager go without the words.
func TestWithoutRightsOnEvents(t *testing.T) {
	c := newCluster(t)
	c.reconcilers[v1alpha1.PolicySweepKind].observer.live = c.events(func() error {
		return apierrors.NewForbidden(schema.GroupResource{Group: "events.k8s.io", Resource: "events"}, "", errors.New("no rights"))
	})
	sweep := weights().Obj()
	c.create(sweep)
	c.reconcile(sweep)
	c.active(c.job(), 0)
	if again, err := c.reconcileOnce(sweep); err != nil || again.RequeueAfter != minEventInterval {
		t.Errorf("got %v, %v; want to look again in %s", again, err, minEventInterval)
	}
}

// events is the cluster's client, with a function that is called before events are
// listed.
func (c *cluster) events(before func() error) client.Client {
	return interceptor.NewClient(c.client, interceptor.Funcs{
		List: func(ctx context.Context, w client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, ok := list.(*eventsv1.EventList); ok {
				if err := before(); err != nil {
					return err
				}
			}
			return w.List(ctx, list, opts...)
		},
	})
}
