// SPDX-License-Identifier: Apache-2.0

// Package cluster has the runs and sweeps of a cluster for the pages of package dashboard. It reads
// objects from a cache, which watches each kind once for all readers, and results from ConfigMaps.
package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
)

// Source is a cluster. It implements [dashboard.Source].
type Source struct {
	Objects Objects
	// ConfigMaps reads results and inputs.
	ConfigMaps archive.ConfigMaps
	// Namespaces are those of the cache; none is all.
	Namespaces []string
}

// Objects are the runs and sweeps of a cache. Where it is not in sync, its methods wait until the
// context ends.
type Objects interface {
	// List has all objects of a namespace, or of all for "". They must not be changed.
	List(ctx context.Context, resource dashboard.Resource, namespace string) ([]metav1.Object, error)
	Get(ctx context.Context, key dashboard.Key) (metav1.Object, error)
	Informer(ctx context.Context, resource dashboard.Resource) (Informer, error)
}

// An Informer tells of changes.
type Informer interface {
	AddEventHandler(toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error)
	RemoveEventHandler(toolscache.ResourceEventHandlerRegistration) error
}

// List implements [dashboard.Source].
func (s *Source) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]dashboard.Object, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	all, err := s.Objects.List(ctx, resource, namespace)
	if err != nil {
		return nil, notYet(err)
	}
	objects := make([]dashboard.Object, len(all))
	for i, one := range all {
		objects[i] = *objectOf(one)
	}
	return objects, nil
}

// Get implements [dashboard.Source].
func (s *Source) Get(ctx context.Context, key dashboard.Key) (*dashboard.Object, error) {
	object, err := s.get(ctx, key)
	if err != nil {
		return nil, err
	}
	return objectOf(object), nil
}

func (s *Source) get(ctx context.Context, key dashboard.Key) (metav1.Object, error) {
	if len(s.Namespaces) > 0 && !slices.Contains(s.Namespaces, key.Namespace) {
		return nil, dashboard.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	object, err := s.Objects.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return nil, dashboard.ErrNotFound
	}
	return object, notYet(err)
}

// answerTimeout bounds how long a page waits for a cache that is not in sync.
const answerTimeout = 10 * time.Second

// notYet says in words that a cache is not in sync, if that is the error.
func notYet(err error) error {
	if apierrors.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return archive.NewFault(errors.New("the cluster has not given its runs and sweeps yet: the user of this server needs the rights to list and watch them"))
	}
	return err
}

// objectOf is what pages show of a run or of a sweep.
func objectOf(from metav1.Object) *dashboard.Object {
	o := &dashboard.Object{
		Key:     dashboard.Key{Resource: dashboard.Runs, Namespace: from.GetNamespace(), Name: from.GetName()},
		Version: string(from.GetUID()) + "-" + from.GetResourceVersion(), Created: from.GetCreationTimestamp().Time,
		Generation: from.GetGeneration(),
	}
	switch from := from.(type) {
	case *v1alpha1.SimulationRun:
		o.Status, o.Metrics = &from.Status.CommonStatus, from.Status.Metrics
	case *v1alpha1.PolicySweep:
		o.Resource, o.Status = dashboard.Sweeps, &from.Status.CommonStatus
		o.Best, o.Baseline, o.Followed = from.Status.Best, from.Status.Baseline, from.Status.Followed
	}
	return o
}

// syncTimeout bounds how long a watch waits for a cache that is not in sync.
const syncTimeout = time.Minute

// Watch implements [dashboard.Source].
func (s *Source) Watch(ctx context.Context, changed func(dashboard.Key)) error {
	tell := func(in any) {
		if gone, ok := in.(toolscache.DeletedFinalStateUnknown); ok {
			in = gone.Obj
		}
		switch o := in.(type) {
		case *v1alpha1.SimulationRun:
			changed(dashboard.Key{Resource: dashboard.Runs, Namespace: o.Namespace, Name: o.Name})
		case *v1alpha1.PolicySweep:
			changed(dashboard.Key{Resource: dashboard.Sweeps, Namespace: o.Namespace, Name: o.Name})
		}
	}
	for _, resource := range []dashboard.Resource{dashboard.Runs, dashboard.Sweeps} {
		waiting, cancel := context.WithTimeout(ctx, syncTimeout)
		informer, err := s.Objects.Informer(waiting, resource)
		cancel()
		if err != nil {
			return err
		}
		handler, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: tell, DeleteFunc: tell, UpdateFunc: func(_, is any) { tell(is) },
		})
		if err != nil {
			return err
		}
		defer func() { _ = informer.RemoveEventHandler(handler) }() // the cache may have ended before
	}
	<-ctx.Done()
	return nil
}
