// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// watched are the runs and sweeps of a cluster, each kind watched once. It implements [Objects].
type watched map[dashboard.Resource]toolscache.SharedIndexInformer

// Watch watches the runs and sweeps of a namespace, or of all for "", until the context ends.
func Watch(ctx context.Context, c *kube.Client, namespace string) Objects {
	return watched{
		dashboard.Runs:   watchKind(ctx, c, kube.Runs, namespace, &v1alpha1.SimulationRun{}, func() runtime.Object { return &v1alpha1.SimulationRunList{} }),
		dashboard.Sweeps: watchKind(ctx, c, kube.Sweeps, namespace, &v1alpha1.PolicySweep{}, func() runtime.Object { return &v1alpha1.PolicySweepList{} }),
	}
}

func watchKind(ctx context.Context, c *kube.Client, r schema.GroupVersionResource, namespace string, of runtime.Object, newList func() runtime.Object) toolscache.SharedIndexInformer {
	source := &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list := newList()
			return list, c.List(ctx, r, namespace, options, list)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, r, namespace, options)
		},
	}
	informer := toolscache.NewSharedIndexInformer(source, of, 0, toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc})
	_ = informer.SetTransform(func(in any) (any, error) { // it has not begun
		if o, is := in.(metav1.Object); is {
			o.SetManagedFields(nil)
		}
		return in, nil
	})
	go informer.RunWithContext(ctx)
	return informer
}

// inSync is the informer of a resource that has all objects.
func (w watched) inSync(ctx context.Context, resource dashboard.Resource) (toolscache.SharedIndexInformer, error) {
	informer := w[resource]
	if !toolscache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, ctx.Err()
	}
	return informer, nil
}

// List implements [Objects].
func (w watched) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]metav1.Object, error) {
	informer, err := w.inSync(ctx, resource)
	if err != nil {
		return nil, err
	}
	var objects []metav1.Object
	err = toolscache.ListAllByNamespace(informer.GetIndexer(), namespace, labels.Everything(), func(o any) { objects = append(objects, o.(metav1.Object)) })
	return objects, err
}

// Get implements [Objects].
func (w watched) Get(ctx context.Context, key dashboard.Key) (metav1.Object, error) {
	informer, err := w.inSync(ctx, key.Resource)
	if err != nil {
		return nil, err
	}
	found, is, err := informer.GetIndexer().GetByKey(toolscache.NewObjectName(key.Namespace, key.Name).String())
	if err != nil {
		return nil, err
	}
	if !is {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: string(key.Resource)}, key.Name)
	}
	return found.(runtime.Object).DeepCopyObject().(metav1.Object), nil
}

// Informer implements [Objects].
func (w watched) Informer(ctx context.Context, resource dashboard.Resource) (Informer, error) {
	return w.inSync(ctx, resource)
}
