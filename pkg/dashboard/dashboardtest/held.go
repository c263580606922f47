// SPDX-License-Identifier: Apache-2.0

package dashboardtest

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/dashboard/cluster"
)

// Held are objects that a test holds. It implements [cluster.Objects].
type Held []client.Object

// List implements [cluster.Objects].
func (h Held) List(_ context.Context, resource dashboard.Resource, namespace string) ([]metav1.Object, error) {
	var objects []metav1.Object
	for _, o := range h {
		if keyOf(o).Resource == resource && (namespace == "" || namespace == o.GetNamespace()) {
			objects = append(objects, o)
		}
	}
	return objects, nil
}

// Get implements [cluster.Objects].
func (h Held) Get(_ context.Context, key dashboard.Key) (metav1.Object, error) {
	for _, o := range h {
		if keyOf(o) == key {
			return o, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: string(key.Resource)}, key.Name)
}

// Informer implements [cluster.Objects].
func (Held) Informer(context.Context, dashboard.Resource) (cluster.Informer, error) {
	return nil, errors.New("no test watches")
}

// ConfigMap implements [archive.ConfigMaps].
func (h Held) ConfigMap(_ context.Context, namespace, name string) (*corev1.ConfigMap, error) {
	for _, o := range h {
		if cm, is := o.(*corev1.ConfigMap); is && cm.Namespace == namespace && cm.Name == name {
			return cm, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, name)
}

func keyOf(o client.Object) dashboard.Key {
	key := dashboard.Key{Namespace: o.GetNamespace(), Name: o.GetName()}
	switch o.(type) {
	case *v1alpha1.SimulationRun:
		key.Resource = dashboard.Runs
	case *v1alpha1.PolicySweep:
		key.Resource = dashboard.Sweeps
	}
	return key
}
