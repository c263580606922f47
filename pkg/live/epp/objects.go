// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/pkg/live/epp/launch"
)

// lookInterval is how often an API server looks for other endpoints. takeTime is how long an EPP may take for objects
// that it has read: each 0.1 s it looks which kinds it has.
const lookInterval, takeTime = time.Second, time.Second

// ServeObjects serves what an EPP with objectives reads from Kubernetes, as the files of its folder say, until ctx
// ends: an InferencePool, a pod for each endpoint, and the InferenceObjectives.
func ServeObjects(ctx context.Context, open net.Listener, folder string) error {
	server := &http.Server{Handler: apiServer(folder), ReadHeaderTimeout: startTimeout}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(open); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// state is what the files of a folder say. Its version differs where endpoints came or went.
type state struct {
	version    string
	endpoints  []endpointEntry
	objectives map[string]int
}

func readState(folder string) (*state, error) {
	file := filepath.Join(folder, endpointsName)
	written, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	var of endpointsDocument
	s := &state{version: strconv.FormatInt(written.ModTime().UnixNano(), 10)}
	for name, into := range map[string]any{file: &of, filepath.Join(folder, objectivesName): &s.objectives} { // in any order
		content, err := os.ReadFile(name)
		if err == nil {
			err = yaml.Unmarshal(content, into)
		}
		if err != nil {
			return nil, err
		}
	}
	s.endpoints = of.Endpoints
	return s, nil
}

// resource is a kind of objects that an EPP reads from Kubernetes.
type resource struct {
	groupVersion, kind, plural string
	folder                     string
	objects                    func(*state) []map[string]any
	// told notes that the EPP reads the objects. It reads them takeTime behind those whose channels are closed then.
	told   func()
	behind []<-chan struct{}
}

// resources are those of a folder. An EPP is ready when it has the pool, and so the pool comes behind the others.
func resources(folder string) []*resource {
	pods, podsTold := newResource(folder, "v1", "Pod", podsOf)
	priorities, prioritiesTold := newResource(folder, "llm-d.ai/v1alpha2", "InferenceObjective", objectivesOf)
	pools, _ := newResource(folder, "inference.networking.k8s.io/v1", "InferencePool", poolOf)
	pools.behind = []<-chan struct{}{podsTold, prioritiesTold}
	return []*resource{pods, priorities, pools}
}

func newResource(folder, groupVersion, kind string, objects func(*state) []map[string]any) (*resource, <-chan struct{}) {
	told := make(chan struct{})
	return &resource{groupVersion, kind, strings.ToLower(kind) + "s", folder, objects, sync.OnceFunc(func() { close(told) }), nil}, told
}

// poolLabels select the pods of the pool.
func poolLabels() map[string]string { return map[string]string{"app": launch.PoolName} }

func podsOf(s *state) (all []map[string]any) {
	for _, e := range s.endpoints {
		pod := object(e.Name, "status", map[string]any{
			"podIP": e.Address, "phase": "Running", "conditions": []map[string]any{{"type": "Ready", "status": "True"}},
		})
		labels := poolLabels()
		maps.Copy(labels, e.Labels)
		metadata := pod["metadata"].(map[string]any)
		metadata["labels"], metadata["annotations"] = labels, map[string]string{"llm-d.ai/active-ports": e.Port}
		all = append(all, pod)
	}
	return all
}

func objectivesOf(s *state) (all []map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(s.objectives)) {
		all = append(all, object(name, "spec", map[string]any{
			"priority": s.objectives[name], "poolRef": map[string]any{"group": "inference.networking.k8s.io", "name": launch.PoolName},
		}))
	}
	return all
}

func poolOf(s *state) []map[string]any {
	var ports []map[string]any
	for i, e := range s.endpoints {
		if slices.ContainsFunc(s.endpoints[:i], func(before endpointEntry) bool { return before.Port == e.Port }) {
			continue
		}
		ports = append(ports, map[string]any{"number": json.Number(e.Port)})
	}
	return []map[string]any{object(launch.PoolName, "spec", map[string]any{
		"selector": map[string]any{"matchLabels": poolLabels()}, "targetPorts": ports,
		"endpointPickerRef": map[string]any{"name": launch.PoolName, "port": map[string]any{"number": 9002}},
	})}
}

// object is one with one field.
func object(name, field string, value map[string]any) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name, "namespace": launch.PoolNamespace, "uid": name}, field: value}
}

// at are the objects of a state, whose version they have.
func (r *resource) at(s *state) []map[string]any {
	all := r.objects(s)
	for _, o := range all {
		o["apiVersion"], o["kind"], o["metadata"].(map[string]any)["resourceVersion"] = r.groupVersion, r.kind, s.version
	}
	return all
}

// ServeHTTP implements [http.Handler]: the objects as a list, or as a watch.
func (r *resource) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	for _, first := range r.behind {
		select {
		case <-first:
		case <-request.Context().Done():
			return
		}
	}
	if len(r.behind) > 0 && !pause(request.Context(), takeTime) {
		return
	}
	s, err := readState(r.folder)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if request.URL.Query().Get("watch") != "" {
		r.watch(w, request, s)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": r.groupVersion, "kind": r.kind + "List", "metadata": map[string]any{"resourceVersion": s.version}, "items": r.at(s),
	})
	r.told()
}

// watch tells of the objects at once if it is asked to, and then of nothing. It ends with the state. A client
// that goes on watching from there gets status 410, and so lists the objects of the next state.
func (r *resource) watch(w http.ResponseWriter, request *http.Request, s *state) {
	asked := request.URL.Query()
	initial := asked.Get("sendInitialEvents") == "true"
	if !initial && asked.Get("resourceVersion") != s.version {
		http.Error(w, "the endpoints have changed", http.StatusGone)
		return
	}
	if initial {
		out := json.NewEncoder(w)
		for _, o := range r.at(s) {
			_ = out.Encode(map[string]any{"type": "ADDED", "object": o})
		}
		_ = out.Encode(map[string]any{"type": "BOOKMARK", "object": map[string]any{
			"apiVersion": r.groupVersion, "kind": r.kind,
			"metadata": map[string]any{"resourceVersion": s.version, "annotations": map[string]string{"k8s.io/initial-events-end": "true"}},
		}})
	}
	_ = http.NewResponseController(w).Flush()
	r.told()
	for pause(request.Context(), lookInterval) {
		if now, err := readState(r.folder); err != nil || now.version != s.version {
			return
		}
	}
}

// apiServer serves the objects of a folder as an API server of Kubernetes does to a client that knows their kinds.
func apiServer(folder string) http.Handler {
	mux := http.NewServeMux()
	var groups []map[string]any
	for _, r := range resources(folder) {
		root := "/apis/"
		group, version, grouped := strings.Cut(r.groupVersion, "/")
		if grouped {
			known := map[string]string{"groupVersion": r.groupVersion, "version": version}
			groups = append(groups, map[string]any{"name": group, "versions": []any{known}, "preferredVersion": known})
		} else {
			root = "/api/"
		}
		mux.Handle(path.Join(root, r.groupVersion, "namespaces", launch.PoolNamespace, r.plural), r)
		mux.Handle(path.Join(root, r.groupVersion), document("v1", "APIResourceList", map[string]any{
			"groupVersion": r.groupVersion,
			"resources":    []map[string]any{{"name": r.plural, "kind": r.kind, "namespaced": true, "verbs": []string{"list", "watch"}}},
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
func kubeconfig(at string) ([]byte, error) {
	const name = launch.PoolName
	return yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": name,
		"clusters": []any{map[string]any{"name": name, "cluster": map[string]any{"server": "http://" + at}}},
		"contexts": []any{map[string]any{"name": name, "context": map[string]any{"cluster": name}}},
	})
}
