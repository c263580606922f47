// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"windtunnel.dev/windtunnel/pkg/live/epp/launch"
)

// TestInformersReadTheObjects reads the objects as programs of Kubernetes do. The pool comes last. Then an
// endpoint takes the place of another.
func TestInformersReadTheObjects(t *testing.T) {
	endpoint := func(name string) Endpoint {
		return Endpoint{Name: name, Address: netip.MustParseAddrPort("127.0.0.1:8001"), Labels: map[string]string{"llm-d.ai/role": "decode"}}
	}
	folder := t.TempDir()
	o := Options{Folder: folder, Endpoints: []Endpoint{endpoint("a"), endpoint("b")}, Objectives: map[string]int{"urgent": 7, "batch": -3}}
	if err := o.WriteFiles(""); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(apiServer(folder))
	t.Cleanup(server.Close) // behind the end of the watches
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, time.Hour, launch.PoolNamespace, nil)
	pools := factory.ForResource(schema.GroupVersionResource{Group: "inference.networking.k8s.io", Version: "v1", Resource: "inferencepools"}).Informer()
	factory.Start(t.Context().Done())
	pods := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer()
	objectives := factory.ForResource(schema.GroupVersionResource{Group: "llm-d.ai", Version: "v1alpha2", Resource: "inferenceobjectives"}).Informer()
	if pools.HasSynced() {
		t.Error("the pool comes before the rest")
	}
	factory.Start(t.Context().Done())
	if !cache.WaitForCacheSync(t.Context().Done(), pools.HasSynced, pods.HasSynced, objectives.HasSynced) {
		t.Fatal("the objects do not come")
	}
	got := map[string]any{}
	for _, of := range []struct {
		informer cache.SharedIndexInformer
		path     []string
	}{
		{pools, []string{"spec", "targetPorts"}}, {pods, []string{"metadata", "annotations"}}, {objectives, []string{"spec", "priority"}},
	} {
		for _, o := range of.informer.GetStore().List() {
			u := o.(*unstructured.Unstructured)
			got[u.GetKind()+" "+u.GetName()], _, _ = unstructured.NestedFieldNoCopy(u.Object, of.path...)
		}
	}
	active := map[string]any{"llm-d.ai/active-ports": "8001"}
	want := map[string]any{
		"InferencePool windtunnel": []any{map[string]any{"number": int64(8001)}}, "Pod a": active, "Pod b": active,
		"InferenceObjective batch": int64(-3), "InferenceObjective urgent": int64(7),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (−want +got):\n%s", diff)
	}

	events := make(chan string, 10)
	name := func(o any) string { return o.(*unstructured.Unstructured).GetName() }
	if _, err := pods.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) {
			if !initial {
				events <- name(o) + " came"
			}
		},
		DeleteFunc: func(o any) {
			if unknown, is := o.(cache.DeletedFinalStateUnknown); is {
				o = unknown.Obj
			}
			events <- name(o) + " went"
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := WriteEndpoints(folder, []Endpoint{endpoint("b"), endpoint("c")}); err != nil {
		t.Fatal(err)
	}
	told := []string{<-events, <-events}
	slices.Sort(told)
	if diff := cmp.Diff([]string{"a went", "c came"}, told); diff != "" {
		t.Errorf("events (−want +got):\n%s", diff)
	}
}
