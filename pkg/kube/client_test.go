// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// serve starts a server that gives each request an answer, and returns its client and the last
// request.
func serve(t *testing.T, status int, answer string) (*kube.Client, *string) {
	t.Helper()
	var asked string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.Method + " " + r.URL.RequestURI() + " " + string(body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c, &asked
}

// The paths and parameters are those of the API conventions of Kubernetes.
func TestRequests(t *testing.T) {
	key := types.NamespacedName{Namespace: "n", Name: "x"}
	for name, tc := range map[string]struct {
		ask  func(context.Context, *kube.Client) error
		want string
	}{
		"get of the core group": {func(ctx context.Context, c *kube.Client) error {
			return c.Get(ctx, kube.ConfigMaps, key, &corev1.ConfigMap{})
		}, "GET /api/v1/namespaces/n/configmaps/x "},
		"get of another group": {func(ctx context.Context, c *kube.Client) error {
			return c.Get(ctx, kube.Sweeps, key, &v1alpha1.PolicySweep{})
		}, "GET /apis/sim.windtunnel.dev/v1alpha1/namespaces/n/policysweeps/x "},
		"list of a namespace": {func(ctx context.Context, c *kube.Client) error {
			return c.List(ctx, kube.Pods, "n", metav1.ListOptions{LabelSelector: "a=b"}, &corev1.PodList{})
		}, "GET /api/v1/namespaces/n/pods?labelSelector=a%3Db "},
		"list of all": {func(ctx context.Context, c *kube.Client) error {
			return c.List(ctx, kube.Runs, "", metav1.ListOptions{}, &v1alpha1.SimulationRunList{})
		}, "GET /apis/sim.windtunnel.dev/v1alpha1/simulationruns "},
		"create": {func(ctx context.Context, c *kube.Client) error {
			review := &authorizationv1.SelfSubjectAccessReview{}
			return c.Create(ctx, authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"), "", review)
		}, `POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews {"metadata":{},"spec":{},"status":{"allowed":false}}`},
		"a log": {func(ctx context.Context, c *kube.Client) error {
			log, err := c.Logs(ctx, key, map[string]string{"container": "worker"})
			if err == nil {
				err = log.Close()
			}
			return err
		}, "GET /api/v1/namespaces/n/pods/x/log?container=worker "},
	} {
		t.Run(name, func(t *testing.T) {
			c, asked := serve(t, http.StatusOK, "{}")
			if err := tc.ask(t.Context(), c); err != nil || *asked != tc.want {
				t.Errorf("asked %q, want %q: %v", *asked, tc.want, err)
			}
		})
	}
}

// What is read is the object, without its kind and apiVersion, as typed clients have it.
func TestAnswers(t *testing.T) {
	c, _ := serve(t, http.StatusOK, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1"},"binaryData":{"b":"Yg=="}}`)
	var got corev1.ConfigMap
	err := c.Get(t.Context(), kube.ConfigMaps, types.NamespacedName{Namespace: "n", Name: "x"}, &got)
	want := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x"}, Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": []byte("b")}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// An error is that of the server's Status.
func TestErrors(t *testing.T) {
	refusal := apierrors.NewForbidden(kube.Pods.GroupResource(), "x", nil).Status()
	raw := jsontest.Encode(t, refusal)
	for name, tc := range map[string]struct {
		code   int
		answer string
		is     func(error) bool
	}{
		"a Status":          {http.StatusForbidden, string(raw), apierrors.IsForbidden},
		"a page":            {http.StatusNotFound, "404 page not found", apierrors.IsNotFound},
		"what is no object": {http.StatusOK, "<html>", func(err error) bool { return err != nil }},
	} {
		c, _ := serve(t, tc.code, tc.answer)
		if err := c.Get(t.Context(), kube.Pods, types.NamespacedName{Namespace: "n", Name: "x"}, &corev1.Pod{}); !tc.is(err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Version(t.Context()); !tc.is(err) {
			t.Errorf("version: %s: %v", name, err)
		}
	}
}

func TestWatch(t *testing.T) {
	c, asked := serve(t, http.StatusOK, `{"type":"ADDED","object":{"apiVersion":"sim.windtunnel.dev/v1alpha1","kind":"PolicySweep","metadata":{"name":"x"}}}`)
	w, err := c.Watch(t.Context(), kube.Sweeps, "n", metav1.ListOptions{FieldSelector: "metadata.name=x"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	select {
	case event := <-w.ResultChan():
		if sweep, is := event.Object.(*v1alpha1.PolicySweep); !is || sweep.Name != "x" {
			t.Errorf("%s %v", event.Type, event.Object)
		}
	case <-time.After(time.Minute):
		t.Fatal("no event")
	}
	if want := "GET /apis/sim.windtunnel.dev/v1alpha1/namespaces/n/policysweeps?fieldSelector=metadata.name%3Dx&watch=true "; *asked != want {
		t.Errorf("asked %q", *asked)
	}
}
