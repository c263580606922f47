// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	pages "windtunnel.dev/windtunnel/pkg/dashboard/cluster"
)

// cached are the runs and sweeps in a manager's cache. It implements [pages.Objects].
type cached struct{ cache cache.Cache }

// List implements [pages.Objects].
func (c cached) List(ctx context.Context, resource dashboard.Resource, namespace string) ([]metav1.Object, error) {
	list := client.ObjectList(&v1alpha1.SimulationRunList{})
	if resource == dashboard.Sweeps {
		list = &v1alpha1.PolicySweepList{}
	}
	// What is only read need not be copied.
	if err := c.cache.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	objects := make([]metav1.Object, 0, meta.LenList(list))
	err := meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(metav1.Object))
		return nil
	})
	return objects, err
}

// Get implements [pages.Objects].
func (c cached) Get(ctx context.Context, key dashboard.Key) (metav1.Object, error) {
	object := emptyOf(key.Resource)
	return object, c.cache.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, object)
}

// Informer implements [pages.Objects].
func (c cached) Informer(ctx context.Context, resource dashboard.Resource) (pages.Informer, error) {
	return c.cache.GetInformer(ctx, emptyOf(resource))
}

func emptyOf(resource dashboard.Resource) client.Object {
	if resource == dashboard.Sweeps {
		return &v1alpha1.PolicySweep{}
	}
	return &v1alpha1.SimulationRun{}
}

// configMaps reads the ConfigMaps in which results are.
func configMaps(reader client.Reader) archive.ConfigMaps {
	return func(ctx context.Context, namespace, name string) (*corev1.ConfigMap, error) {
		var cm corev1.ConfigMap
		err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &cm)
		return &cm, err
	}
}
