// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

func TestCreateConfigMapRetries(t *testing.T) {
	resource := schema.GroupResource{Resource: "configmaps"}
	created := metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Code: http.StatusCreated, Status: metav1.StatusSuccess}
	tests := map[string]struct {
		answers   []metav1.Status // of the API server, one a try
		wantTries int
		wantErr   bool
	}{
		"a success":              {answers: []metav1.Status{created}, wantTries: 1},
		"a name that is taken":   {answers: []metav1.Status{apierrors.NewAlreadyExists(resource, "x").Status()}, wantTries: 1},
		"a refusal":              {answers: []metav1.Status{apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "x", nil).Status()}, wantTries: 1, wantErr: true},
		"rights that come late":  {answers: []metav1.Status{apierrors.NewForbidden(resource, "x", errors.New("not yet")).Status(), created}, wantTries: 2},
		"a server that was away": {answers: []metav1.Status{apierrors.NewInternalError(errors.New("etcd")).Status(), created}, wantTries: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tries := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.Path != "/api/v1/namespaces/ns/configmaps" {
					t.Errorf("%s %s, want one POST of ConfigMaps", r.Method, r.URL)
				}
				answer := tc.answers[tries]
				tries++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(int(answer.Code))
				_ = json.NewEncoder(w).Encode(answer)
			}))
			defer server.Close()
			cluster, err := NewCluster(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			err = cluster.CreateConfigMap(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "ns"}})
			if (err != nil) != tc.wantErr || tries != tc.wantTries {
				t.Errorf("error %v after %d tries, want %d", err, tries, tc.wantTries)
			}
		})
	}
}
