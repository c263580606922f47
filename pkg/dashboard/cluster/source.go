// SPDX-License-Identifier: Apache-2.0

// Package cluster has the runs and sweeps of a cluster for the pages of package dashboard. It reads
// objects from a cache, which watches each kind once for all readers, and results from ConfigMaps.
package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
)

// Source is a cluster. It implements [dashboard.Source].
type Source struct {
	// Objects has all runs and sweeps, and Informers tell of their changes.
	Objects   client.Reader
	Informers cache.Informers
	// ConfigMaps reads results and inputs.
	ConfigMaps client.Reader
	// Namespaces are those of the cache; none is all.
	Namespaces []string
}

// List implements [dashboard.Source].
func (s *Source) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]dashboard.Object, error) {
	list := client.ObjectList(&v1alpha1.SimulationRunList{})
	if resource == dashboard.Sweeps {
		list = &v1alpha1.PolicySweepList{}
	}
	// What is only read need not be copied.
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := s.Objects.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, notYet(err)
	}
	objects := make([]dashboard.Object, 0, meta.LenList(list))
	err := meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, *objectOf(item.(client.Object)))
		return nil
	})
	return objects, err
}

// Get implements [dashboard.Source].
func (s *Source) Get(ctx context.Context, key dashboard.Key) (*dashboard.Object, error) {
	object, err := s.get(ctx, key)
	if err != nil {
		return nil, err
	}
	return objectOf(object), nil
}

func (s *Source) get(ctx context.Context, key dashboard.Key) (client.Object, error) {
	if len(s.Namespaces) > 0 && !slices.Contains(s.Namespaces, key.Namespace) {
		return nil, dashboard.ErrNotFound
	}
	object := client.Object(&v1alpha1.SimulationRun{})
	if key.Resource == dashboard.Sweeps {
		object = &v1alpha1.PolicySweep{}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	err := s.Objects.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, object)
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
func objectOf(from client.Object) *dashboard.Object {
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
	for _, kind := range []client.Object{&v1alpha1.SimulationRun{}, &v1alpha1.PolicySweep{}} {
		waiting, cancel := context.WithTimeout(ctx, syncTimeout)
		informer, err := s.Informers.GetInformer(waiting, kind)
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

// configMap implements [archive.ConfigMaps].
func (s *Source) configMap(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	var cm corev1.ConfigMap
	err := s.ConfigMaps.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &cm)
	return &cm, err
}
