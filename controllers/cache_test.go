// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// TestSiblingsShareTheirTexts: what the cache holds of a child says what is read of
// it, and texts of siblings are held once.
func TestSiblingsShareTheirTexts(t *testing.T) {
	child := func() *metav1.PartialObjectMetadata {
		cm := configMapMetadata()
		cm.Namespace, cm.Name = strings.Clone("team-a"), "chunk"
		cm.Labels = map[string]string{LabelKind: strings.Clone("SimulationRun"), "app.kubernetes.io/instance": "mine"}
		cm.Annotations = map[string]string{"large": "text"}
		cm.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: strings.Clone("sim.windtunnel.dev/v1alpha1"), Kind: "SimulationRun",
			Name: strings.Clone("mine"), UID: "0123", Controller: ptr.To(true),
		}}
		cm.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "someone"}}
		return cm
	}
	var held []*metav1.PartialObjectMetadata
	for range 2 {
		out, err := stripMetadata(child())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, out.(*metav1.PartialObjectMetadata))
	}
	want := child()
	want.Annotations, want.ManagedFields = nil, nil
	delete(want.Labels, "app.kubernetes.io/instance")
	if diff := cmp.Diff(want, held[0]); diff != "" {
		t.Errorf("what is held, -want +got:\n%s", diff)
	}
	a, b := held[0], held[1]
	for _, pair := range [][2]string{
		{a.Namespace, b.Namespace},
		{a.Labels[LabelKind], b.Labels[LabelKind]},
		{a.OwnerReferences[0].Name, b.OwnerReferences[0].Name},
	} {
		if unsafe.StringData(pair[0]) != unsafe.StringData(pair[1]) {
			t.Errorf("%q is held twice", pair[0])
		}
	}
}

// stripped returns an object as the manager's cache holds it; nil where it holds
// none.
func stripped(t testing.TB, object client.Object) client.Object {
	t.Helper()
	options := CacheOptions()
	selector, transform := labels.Everything(), options.DefaultTransform
	kind := gvkOf(t, object)
	for of, by := range options.ByObject {
		if gvkOf(t, of) == kind {
			transform = by.Transform
			if by.Label != nil {
				selector = by.Label
			}
		}
	}
	if !selector.Matches(labels.Set(object.GetLabels())) {
		return nil
	}
	out, err := transform(object.DeepCopyObject())
	if err != nil {
		t.Fatal(err)
	}
	return out.(client.Object)
}

func gvkOf(t testing.TB, o runtime.Object) schema.GroupVersionKind {
	t.Helper()
	kind, err := apiutil.GVKForObject(o, testScheme)
	if err != nil {
		t.Fatal(err)
	}
	return kind
}

// cached has a client read what a manager's cache holds of the API server's
// objects.
func cached(t testing.TB, from client.WithWatch) client.WithWatch {
	return interceptor.NewClient(from, interceptor.Funcs{
		Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
			if err := w.Get(ctx, key, into, opts...); err != nil {
				return err
			}
			held := stripped(t, into)
			if held == nil {
				return apierrors.NewNotFound(schema.GroupResource{Resource: kindOf(into)}, key.Name)
			}
			return copyInto(held, into)
		},
		List: func(ctx context.Context, w client.WithWatch, into client.ObjectList, opts ...client.ListOption) error {
			if err := w.List(ctx, into, opts...); err != nil {
				return err
			}
			var items []runtime.Object
			err := meta.EachListItem(into, func(item runtime.Object) error {
				if held := stripped(t, item.(client.Object)); held != nil {
					items = append(items, held)
				}
				return nil
			})
			if err != nil {
				return err
			}
			return meta.SetList(into, items)
		},
	})
}
