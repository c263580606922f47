// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	ktesting "k8s.io/client-go/testing"
)

func TestCreateConfigMapRetries(t *testing.T) {
	resource := schema.GroupResource{Resource: "configmaps"}
	tests := map[string]struct {
		answers   []error // of the API server, one a try
		wantTries int
		wantErr   bool
	}{
		"a success":              {answers: []error{nil}, wantTries: 1},
		"a name that is taken":   {answers: []error{apierrors.NewAlreadyExists(resource, "x")}, wantTries: 1},
		"a refusal":              {answers: []error{apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "x", nil)}, wantTries: 1, wantErr: true},
		"rights that come late":  {answers: []error{apierrors.NewForbidden(resource, "x", errors.New("not yet")), nil}, wantTries: 2},
		"a server that was away": {answers: []error{apierrors.NewInternalError(errors.New("etcd")), nil}, wantTries: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			tries := 0
			client.PrependReactor("create", "configmaps", func(ktesting.Action) (bool, runtime.Object, error) {
				answer := tc.answers[tries]
				tries++
				return true, &corev1.ConfigMap{}, answer
			})
			err := Cluster{Client: client}.CreateConfigMap(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "ns"}})
			if (err != nil) != tc.wantErr || tries != tc.wantTries {
				t.Errorf("error %v after %d tries, want %d", err, tries, tc.wantTries)
			}
		})
	}
}
