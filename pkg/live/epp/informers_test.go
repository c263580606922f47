// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// TestInformersReadTheObjects reads the objects as programs of Kubernetes do. The pool comes last.
func TestInformersReadTheObjects(t *testing.T) {
	server := httptest.NewServer(apiServer(objects(
		[]Endpoint{{Name: "a", Address: netip.MustParseAddrPort("127.0.0.1:8001"), Labels: map[string]string{"llm-d.ai/role": "decode"}}},
		map[string]int{"urgent": 7, "batch": -3},
	)))
	t.Cleanup(server.Close) // behind the end of the watches
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, time.Hour, poolNamespace, nil)
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
	want := map[string]any{
		"InferencePool windtunnel": []any{map[string]any{"number": int64(8001)}}, "Pod a": map[string]any{"llm-d.ai/active-ports": "8001"},
		"InferenceObjective batch": int64(-3), "InferenceObjective urgent": int64(7),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (−want +got):\n%s", diff)
	}
}
