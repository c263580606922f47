// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// poolName and poolNamespace name the InferencePool of the endpoints.
const poolName, poolNamespace = "windtunnel", "default"

// resource is the objects of a kind that an EPP reads from Kubernetes.
type resource struct {
	groupVersion, kind string
	objects            []map[string]any
	// told notes that the EPP has read the objects. It reads them behind those whose channels are closed then.
	told   func()
	behind []<-chan struct{}
}

// objects are what an EPP reads from an API server of Kubernetes, by the name of the resource: the
// InferencePool, a pod for each endpoint, and the InferenceObjectives. They never change. An EPP is
// ready when it has the pool, and so the pool comes behind the others.
func objects(endpoints []Endpoint, objectives map[string]int) map[string]*resource {
	pods, podsTold := newResource("v1", "Pod")
	priorities, prioritiesTold := newResource("llm-d.ai/v1alpha2", "InferenceObjective")
	pools, _ := newResource("inference.networking.k8s.io/v1", "InferencePool")
	pools.behind = []<-chan struct{}{podsTold, prioritiesTold}
	var ports []map[string]any
	labels := map[string]string{"app": poolName}
	for _, e := range endpoints {
		port := strconv.Itoa(int(e.Address.Port()))
		ports = append(ports, map[string]any{"number": e.Address.Port()})
		pod := pods.add(e.Name, "status", map[string]any{
			"podIP": e.Address.Addr().String(), "phase": "Running", "conditions": []map[string]any{{"type": "Ready", "status": "True"}},
		})
		of := maps.Clone(labels)
		maps.Copy(of, e.Labels)
		pod["labels"], pod["annotations"] = of, map[string]string{"llm-d.ai/active-ports": port}
	}
	for _, name := range slices.Sorted(maps.Keys(objectives)) {
		priorities.add(name, "spec", map[string]any{
			"priority": objectives[name], "poolRef": map[string]any{"group": "inference.networking.k8s.io", "name": poolName},
		})
	}
	pools.add(poolName, "spec", map[string]any{
		"selector": map[string]any{"matchLabels": labels}, "targetPorts": ports,
		"endpointPickerRef": map[string]any{"name": poolName, "port": map[string]any{"number": 9002}},
	})
	return map[string]*resource{"pods": pods, "inferenceobjectives": priorities, "inferencepools": pools}
}

func newResource(groupVersion, kind string) (*resource, <-chan struct{}) {
	told := make(chan struct{})
	return &resource{groupVersion: groupVersion, kind: kind, told: sync.OnceFunc(func() { close(told) })}, told
}

// add adds an object with one field, and returns its metadata.
func (r *resource) add(name, field string, value map[string]any) map[string]any {
	metadata := map[string]any{"name": name, "namespace": poolNamespace, "uid": name, "resourceVersion": "1"}
	r.objects = append(r.objects, map[string]any{"apiVersion": r.groupVersion, "kind": r.kind, "metadata": metadata, field: value})
	return metadata
}

// ServeHTTP implements [http.Handler]: the objects as a list, or as a watch, which tells of them at
// once if it is asked to, and then of nothing until it ends.
func (r *resource) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	for _, first := range r.behind {
		select {
		case <-first:
		case <-request.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	out := json.NewEncoder(w)
	asked := request.URL.Query()
	if asked.Get("watch") == "" {
		_ = out.Encode(map[string]any{
			"apiVersion": r.groupVersion, "kind": r.kind + "List", "metadata": map[string]any{"resourceVersion": "1"}, "items": r.objects,
		})
		r.told()
		return
	}
	if asked.Get("sendInitialEvents") == "true" {
		for _, o := range r.objects {
			_ = out.Encode(map[string]any{"type": "ADDED", "object": o})
		}
		_ = out.Encode(map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"apiVersion": r.groupVersion, "kind": r.kind,
			"metadata": map[string]any{"resourceVersion": "1", "annotations": map[string]string{"k8s.io/initial-events-end": "true"}},
		}})
	}
	_ = http.NewResponseController(w).Flush()
	r.told()
	<-request.Context().Done()
}

// apiServer serves objects as an API server of Kubernetes does to a client that knows their kinds.
func apiServer(of map[string]*resource) http.Handler {
	mux := http.NewServeMux()
	var groups []map[string]any
	for _, plural := range slices.Sorted(maps.Keys(of)) {
		r := of[plural]
		root := "/apis/"
		group, version, grouped := strings.Cut(r.groupVersion, "/")
		if grouped {
			known := map[string]string{"groupVersion": r.groupVersion, "version": version}
			groups = append(groups, map[string]any{"name": group, "versions": []any{known}, "preferredVersion": known})
		} else {
			root = "/api/"
		}
		mux.Handle(path.Join(root, r.groupVersion, "namespaces", poolNamespace, plural), r)
		mux.Handle(path.Join(root, r.groupVersion), document("v1", "APIResourceList", map[string]any{
			"groupVersion": r.groupVersion,
			"resources":    []map[string]any{{"name": plural, "kind": r.kind, "namespaced": true, "verbs": []string{"list", "watch"}}},
		}))
	}
	mux.Handle("/api", document("v1", "APIVersions", map[string]any{"versions": []string{"v1"}}))
	mux.Handle("/apis", document("v1", "APIGroupList", map[string]any{"groups": groups}))
	return mux
}

// document answers with an object that is always the same.
func document(apiVersion, kind string, fields map[string]any) http.Handler {
	fields["apiVersion"], fields["kind"] = apiVersion, kind
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(fields)
	})
}

// kubeconfig leads a client to an API server.
func kubeconfig(at net.Addr) ([]byte, error) {
	return yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": poolName,
		"clusters": []any{map[string]any{"name": poolName, "cluster": map[string]any{"server": "http://" + at.String()}}},
		"contexts": []any{map[string]any{"name": poolName, "context": map[string]any{"cluster": poolName}}},
	})
}
