// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// staleInterval is the backoff after the first stale observation, and longestInterval
// the longest one, if each observation is stale. The latter
// bounds how long after an error an object is reconciled again, too.
const (
	staleInterval   = 100 * time.Millisecond
	longestInterval = time.Minute
)

// refusedInterval is how soon an action is tried again that the API server refused: no
// watch reports that a quota has room again.
const refusedInterval = 30 * time.Second

// stopGrace is how long a reconcile may go on after the manager receives the signal to stop.
// It is well below the time that the Deployment gives a manager for that.
const stopGrace = 5 * time.Second

// reconciler reconciles the objects of one kind.
type reconciler struct {
	client   client.Client
	subjects subjects
	observer *observer
	applier  applier
	clock    clock.PassiveClock
	// stale is the backoff of subjects whose observation was stale.
	stale workqueue.TypedRateLimiter[reconcile.Request]
}

// subjects make subjects of one kind.
type subjects struct {
	kind string
	// object returns an empty object, list an empty list.
	object func() client.Object
	list   func() client.ObjectList
	// wrap makes a subject of an object of the kind.
	wrap func(client.Object) subject
	// remembered is how many rows a manager remembers of objects under way, of about a
	// kilobyte each. Of more, those of objects that were looked at longest ago are read
	// again.
	remembered int
}

// Reconcile implements reconcile.Reconciler. A manager that receives the signal to stop
// finishes the reconciles that it has begun. One that takes longer than stopGrace is
// cut off. That is not an error: the next manager observes again.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	longer, cancel := withGracePeriod(ctx, stopGrace)
	defer cancel()
	result, err := r.reconcile(longer, request)
	if err != nil && longer.Err() != nil {
		log.FromContext(ctx).V(1).Info("Cut off, as the manager stops", "why", err.Error())
		return reconcile.Result{}, nil
	}
	return result, err
}

// reconcile does what Reconcile says, until its context ends.
func (r *reconciler) reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	name := subjectName{r.subjects.kind, request.NamespacedName}
	object := r.subjects.object()
	if err := r.client.Get(ctx, request.NamespacedName, object); err != nil {
		if apierrors.IsNotFound(err) {
			r.observer.forget(name)
			r.stale.Forget(request)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	r.observer.lane.brief.begin(name)
	defer r.observer.lane.brief.end(name)
	w, err := r.observer.observe(ctx, r.subjects.wrap(object))
	if err != nil {
		return reconcile.Result{}, err
	}
	now := r.clock.Now()
	d := decide(w, now)
	log.FromContext(ctx).V(4).Info("Decided", "acts", len(d.actions), "cleanup", len(d.cleanup), "report", d.status != nil, "again", d.requeueAfter.String())
	err = r.applier.apply(ctx, w, d, now)
	if errors.Is(err, errStale) {
		again := r.stale.When(request)
		log.FromContext(ctx).V(4).Info("Observing again", "why", err.Error(), "again", again.String())
		return reconcile.Result{RequeueAfter: again}, nil
	}
	r.stale.Forget(request)
	if errors.Is(err, errRefused) {
		// The status shows it, and only the user can act.
		log.FromContext(ctx).V(1).Info("Trying again later", "why", err.Error())
		return reconcile.Result{RequeueAfter: refusedInterval}, nil
	}
	return reconcile.Result{RequeueAfter: d.requeueAfter}, err
}

// backOff doubles the time after which an object is reconciled again, from its first
// to its longest.
func backOff(first, longest time.Duration) workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](first, longest)
}

// withGracePeriod returns a context like ctx that ends a while after it.
func withGracePeriod(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		defer cancel()
		last, done := context.WithTimeout(longer, grace)
		defer done()
		<-last.Done()
	})
	return longer, func() {
		stop()
		cancel()
	}
}
