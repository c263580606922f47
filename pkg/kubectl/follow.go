// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// ErrDeleted says that the object that is watched was deleted.
var ErrDeleted = errors.New("it was deleted")

// watchAgain is how long after the end of a watch the next one begins.
const watchAgain = time.Second

// A Watcher reads and watches objects. A [kube.Client] is one.
type Watcher interface {
	Get(ctx context.Context, r schema.GroupVersionResource, key types.NamespacedName, into runtime.Object) error
	Watch(ctx context.Context, r schema.GroupVersionResource, namespace string, options metav1.ListOptions) (watch.Interface, error)
}

// Follow watches an object until its work ends, with one watch at a time, and tells of each state
// of the object. It returns the last one.
func Follow(ctx context.Context, c Watcher, of Object, wall clock.Clock, tell func(Object)) (Object, error) {
	for {
		last, ended, err := followOnce(ctx, c, of, tell)
		if err != nil || ended {
			return last, err
		}
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-wall.After(watchAgain):
		}
		// The next watch would say nothing of an object that is gone by now.
		if err := c.Get(ctx, of.resource(), of.key(), last.copy().object()); err != nil {
			if apierrors.IsNotFound(err) {
				return last, fmt.Errorf("%s: %w", of.Title(), ErrDeleted)
			}
			return last, fmt.Errorf("read %s: %w", of.Title(), err)
		}
	}
}

// followOnce is Follow until the server ends the watch, as it does after some minutes.
func followOnce(ctx context.Context, c Watcher, of Object, tell func(Object)) (last Object, ended bool, err error) {
	only := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, of.Meta().Name).String()}
	w, err := c.Watch(ctx, of.resource(), of.Meta().Namespace, only)
	if err != nil {
		return of, false, fmt.Errorf("watch %s: %w", of.Title(), err)
	}
	defer w.Stop()
	last = of
	for {
		select {
		case <-ctx.Done():
			return last, false, ctx.Err()
		case event, open := <-w.ResultChan():
			if !open {
				return last, false, nil
			}
			if event.Type == watch.Error {
				return last, false, watchError(of, event)
			}
			next, isOne := asObject(event.Object)
			if !isOne {
				continue // a bookmark
			}
			if event.Type == watch.Deleted {
				return last, false, fmt.Errorf("%s: %w", of.Title(), ErrDeleted)
			}
			last = next
			tell(last)
			if last.HasEnded() {
				return last, true, nil
			}
		}
	}
}

// watchError is nil where another watch can go on.
func watchError(of Object, event watch.Event) error {
	err := apierrors.FromObject(event.Object)
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsTimeout(err) {
		return nil
	}
	return fmt.Errorf("watch %s: %w", of.Title(), err)
}

// asObject returns the run or the sweep that an event is about.
func asObject(of any) (Object, bool) {
	switch of := of.(type) {
	case *v1alpha1.PolicySweep:
		return Object{Sweep: of}, true
	case *v1alpha1.SimulationRun:
		return Object{Run: of}, true
	}
	return Object{}, false
}
