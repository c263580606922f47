// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/access"
	"windtunnel.dev/windtunnel/pkg/kube"
)

// The tokens of the tests: a reader of objects and one of verdicts in the namespace a, and a
// reader in the namespace b.
const (
	readsObjects  = "reader"
	readsVerdicts = "rollouts"
	readsOther    = "neighbour"
)

// rights says which questions about rights a cluster answers with yes.
func rights(of string, a *authorizationv1.ResourceAttributes) bool {
	in := map[string]string{readsObjects: "a", readsVerdicts: "a", readsOther: "b"}[of]
	wanted := map[bool]string{true: Subresource}[of == readsVerdicts]
	return a.Namespace == in && a.Subresource == wanted && a.Verb == "get" && a.Group == v1alpha1.GroupVersion.Group && a.Name != ""
}

// newGuard returns a guard of a cluster whose tokens are the names of their users.
func newGuard(t testing.TB) *access.Guard {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/tokenreviews") {
			var review authenticationv1.TokenReview
			_ = json.NewDecoder(r.Body).Decode(&review)
			switch review.Spec.Token {
			case readsObjects, readsVerdicts, readsOther:
				review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{Username: review.Spec.Token}}
			default:
				review.Status.Error = "token has expired"
			}
			_ = json.NewEncoder(w).Encode(review)
			return
		}
		var review authorizationv1.SubjectAccessReview
		_ = json.NewDecoder(r.Body).Decode(&review)
		review.Status.Allowed = rights(review.Spec.User, review.Spec.ResourceAttributes)
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	api, err := kube.New(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return access.New(api)
}

// newReader returns a reader of objects.
func newReader(t testing.TB, objects ...client.Object) client.Reader {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	name := func(o client.Object) []string { return []string{o.GetName()} }
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithIndex(&v1alpha1.PolicySweep{}, "metadata.name", name).WithIndex(&v1alpha1.SimulationRun{}, "metadata.name", name).Build()
}

// downReader is a cluster that fails every read in one way.
type downReader struct {
	client.Reader
	err error
}

func (r downReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return r.err
}

// sweepOf returns the sweep x of the namespace a with conditions of its spec's generation, 3.
func sweepOf(conditions ...string) *v1alpha1.PolicySweep {
	s := &v1alpha1.PolicySweep{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x", Generation: 3}}
	s.Status.ObservedGeneration = 3
	for _, text := range conditions {
		kind, rest, _ := strings.Cut(text, "=")
		status, reason, _ := strings.Cut(rest, " ")
		meta.SetStatusCondition(&s.Status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, Message: "about " + reason, ObservedGeneration: 3,
		})
	}
	return s
}
