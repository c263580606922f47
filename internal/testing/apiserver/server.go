// SPDX-License-Identifier: Apache-2.0

// Package apiserver plays an API server over HTTP for tests of commands that read a cluster: it
// gets, lists and watches objects that a test gives it, prints the logs of pods, and answers
// reviews of access.
package apiserver

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Server is an API server with the objects of a test.
type Server struct {
	// Kubeconfig is a file that leads to the server, in context test and namespace n.
	Kubeconfig string
	// Logs are the logs of pods by name, with -previous behind it for the container before.
	Logs map[string]string
	// Denied are accesses that reviews deny, as VERB/GROUP/RESOURCE.
	Denied []string
	// Version is what /version says.
	Version string

	scheme  *runtime.Scheme
	mu      sync.Mutex
	objects []*unstructured.Unstructured
	// absent are the resources that the server does not know.
	absent map[string]bool
	// requests are those that were made, as METHOD PATH?QUERY.
	requests []string
	watchers []chan *unstructured.Unstructured
}

// New starts a server with objects.
func New(t testing.TB, scheme *runtime.Scheme, objects ...client.Object) *Server {
	t.Helper()
	s := &Server{scheme: scheme, Version: "v1.35.0", Logs: map[string]string{}, absent: map[string]bool{}}
	for _, o := range objects {
		s.objects = append(s.objects, encode(t, scheme, o))
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{}
	for name, namespace := range map[string]string{"test": "n", "other": "m"} {
		config.Contexts[name] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: namespace}
	}
	config.CurrentContext = "test"
	s.Kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, s.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", s.Kubeconfig)
	if _, err := os.Stat(s.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(t testing.TB, scheme *runtime.Scheme, o client.Object) *unstructured.Unstructured {
	t.Helper()
	if u, is := o.(*unstructured.Unstructured); is {
		return u
	}
	kinds, _, err := scheme.ObjectKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u
}

// Put replaces an object, or adds it, and tells those who watch.
func (s *Server) Put(t testing.TB, scheme *runtime.Scheme, o client.Object) {
	t.Helper()
	u := encode(t, scheme, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	replaced := false
	for i, old := range s.objects {
		if old.GroupVersionKind() == u.GroupVersionKind() && old.GetNamespace() == u.GetNamespace() && old.GetName() == u.GetName() {
			s.objects[i], replaced = u, true
		}
	}
	if !replaced {
		s.objects = append(s.objects, u)
	}
	for _, w := range s.watchers {
		w <- u
	}
}

// Forget makes the server not know a resource, such as policysweeps.
func (s *Server) Forget(resource string) { s.absent[resource] = true }

// Requests are those that were made, as METHOD PATH?QUERY.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// A route is what a path names.
type route struct{ group, version, resource, namespace, name, sub string }

// routeOf reads the path of a request.
func routeOf(path string) (route, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var r route
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		r.version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		r.group, r.version, parts = parts[1], parts[2], parts[3:]
	default:
		return r, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		r.namespace, parts = parts[1], parts[2:]
	}
	r.resource = parts[0]
	if len(parts) > 1 {
		r.name = parts[1]
	}
	if len(parts) > 2 {
		r.sub = parts[2]
	}
	return r, true
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, request.Method+" "+request.URL.RequestURI())
	s.mu.Unlock()
	r, ok := routeOf(request.URL.Path)
	switch {
	case request.URL.Path == "/version":
		reply(w, http.StatusOK, map[string]string{"gitVersion": s.Version})
	case !ok || s.absent[r.resource]:
		refuse(w, apierrors.NewGenericServerResponse(http.StatusNotFound, "get", schema.GroupResource{Group: r.group, Resource: r.resource}, r.name, "404 page not found", 0, true))
	case request.Method == http.MethodPost && r.resource == "selfsubjectaccessreviews":
		s.review(w, request)
	case request.Method != http.MethodGet:
		refuse(w, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: r.resource}, request.Method))
	case r.sub == "log":
		name := r.name
		if request.URL.Query().Get("previous") == "true" {
			name += "-previous"
		}
		_, _ = w.Write([]byte(s.Logs[name]))
	case r.name != "":
		s.get(w, r)
	case request.URL.Query().Get("watch") == "true":
		s.watch(w, request, r)
	default:
		reply(w, http.StatusOK, s.list(request, r))
	}
}

// is reports whether an object is of a route's resource.
func (r route) is(u *unstructured.Unstructured) bool {
	return r.isOf(u.GroupVersionKind()) && (r.namespace == "" || r.namespace == u.GetNamespace())
}

// isOf reports whether a route's resource has a kind.
func (r route) isOf(kind schema.GroupVersionKind) bool {
	plural := strings.ToLower(kind.Kind) + "s"
	if stem, y := strings.CutSuffix(strings.ToLower(kind.Kind), "y"); y {
		plural = stem + "ies"
	}
	return kind.Group == r.group && kind.Version == r.version && plural == r.resource
}

func (s *Server) get(w http.ResponseWriter, r route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.objects {
		if r.is(u) && u.GetName() == r.name {
			reply(w, http.StatusOK, u)
			return
		}
	}
	refuse(w, apierrors.NewNotFound(schema.GroupResource{Group: r.group, Resource: r.resource}, r.name))
}

// selected are the objects that a request's selectors choose.
func selected(request *http.Request, r route, objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	byLabel, _ := labels.Parse(request.URL.Query().Get("labelSelector"))
	byField, _ := fields.ParseSelector(request.URL.Query().Get("fieldSelector"))
	chosen := []*unstructured.Unstructured{}
	for _, u := range objects {
		has := fields.Set{"metadata.name": u.GetName(), "metadata.namespace": u.GetNamespace()}
		if r.is(u) && byLabel.Matches(labels.Set(u.GetLabels())) && byField.Matches(has) {
			chosen = append(chosen, u)
		}
	}
	return chosen
}

func (s *Server) list(request *http.Request, r route) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := selected(request, r, s.objects)
	kind := "List"
	for known := range s.scheme.AllKnownTypes() { // one at most
		if known.Group == r.group && known.Version == r.version && r.isOf(known) {
			kind = known.Kind + "List"
		}
	}
	return map[string]any{"apiVersion": schema.GroupVersion{Group: r.group, Version: r.version}.String(), "kind": kind, "metadata": map[string]any{}, "items": items}
}

// watch tells of the objects as they are, and then of those that Put brings.
func (s *Server) watch(w http.ResponseWriter, request *http.Request, r route) {
	w.Header().Set("Content-Type", "application/json")
	next := make(chan *unstructured.Unstructured, 16)
	s.mu.Lock()
	known := selected(request, r, s.objects)
	s.watchers = append(s.watchers, next)
	s.mu.Unlock()
	tell := func(typ string, u *unstructured.Unstructured) {
		_ = json.NewEncoder(w).Encode(map[string]any{"type": typ, "object": u})
		w.(http.Flusher).Flush()
	}
	for _, u := range known {
		tell("ADDED", u)
	}
	for {
		select {
		case <-request.Context().Done():
			return
		case u := <-next:
			for _, u := range selected(request, r, []*unstructured.Unstructured{u}) {
				tell("MODIFIED", u)
			}
		}
	}
}

// review allows what is not denied.
func (s *Server) review(w http.ResponseWriter, request *http.Request) {
	review, err := decodeReview(s.scheme, request.Body)
	if err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	a := review.Spec.ResourceAttributes
	review.Status.Allowed = true
	for _, denied := range s.Denied {
		if denied == a.Verb+"/"+a.Group+"/"+a.Resource {
			review.Status.Allowed = false
		}
	}
	review.TypeMeta = metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"}
	reply(w, http.StatusCreated, review)
}

// decodeReview reads a review as JSON or as protobuf, which clients prefer.
func decodeReview(scheme *runtime.Scheme, body io.Reader) (*authorizationv1.SelfSubjectAccessReview, error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	_, _, err = serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(raw, nil, review)
	return review, err
}

func refuse(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	reply(w, int(status.Code), status)
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}
