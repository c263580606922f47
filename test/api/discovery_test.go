// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/builder"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

// names are what a person types after kubectl get.
type names struct {
	Short, Categories []string
	Status            bool
}

func TestKindsHaveShortNamesACategoryAndAStatus(t *testing.T) {
	s := server(t)
	d, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := d.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]names{}
	for _, r := range list.APIResources {
		if r.Name == r.Group {
			continue
		}
		n := got[r.Kind]
		if len(r.ShortNames) > 0 {
			n.Short, n.Categories = r.ShortNames, r.Categories
		} else {
			n.Status = true
		}
		got[r.Kind] = n
	}
	want := map[string]names{
		"SimulationRun": {[]string{"simrun"}, []string{"windtunnel"}, true},
		"PolicySweep":   {[]string{"sweep"}, []string{"windtunnel"}, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

// row is a table's columns and the cells of its only row.
func row(t *testing.T, s *apiServer, resource string) map[string]any {
	t.Helper()
	clients, err := kubernetes.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := clients.RESTClient().Get().
		AbsPath("/apis", v1alpha1.GroupVersion.Group, v1alpha1.GroupVersion.Version, "namespaces", "default", resource).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").
		DoRaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	table := jsontest.Decode[metav1.Table](t, raw)
	if len(table.Rows) != 1 {
		t.Fatalf("%d rows, want 1", len(table.Rows))
	}
	cells := map[string]any{}
	for i, column := range table.ColumnDefinitions {
		cells[column.Name] = table.Rows[0].Cells[i]
	}
	delete(cells, "Age")
	return cells
}

func TestColumnsShowWhatAPersonAsksFor(t *testing.T) {
	s, ctx := server(t), context.Background()
	ready := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonRunning,
		Message: "3 of 12 simulations have a result", LastTransitionTime: metav1.Now(),
	}
	passed := metav1.Condition{
		Type: v1alpha1.ConditionPassed, Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPending,
		Message: "the gates are evaluated once all results are available", LastTransitionTime: metav1.Now(),
	}
	common := v1alpha1.CommonStatus{
		Conditions: []metav1.Condition{ready, passed},
		Progress:   &v1alpha1.ProgressStatus{Total: 12, Completed: 3, Underway: 2},
	}

	run := builder.MakeRun("columns", "default").Obj()
	if err := s.client.Create(ctx, run); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Delete(ctx, run) })
	run.Status = v1alpha1.SimulationRunStatus{CommonStatus: common, Metrics: []v1alpha1.MetricValue{{Metric: "ttft.p99", Mean: "0.412"}}}
	if err := s.client.Status().Update(ctx, run); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"Name": "columns", "State": "Running", "Done": 3.0, "Undelivered": 2.0, "Of": 12.0, "Passed": "Unknown", "TTFT p99": "0.412",
		"Message": "3 of 12 simulations have a result",
	}
	if diff := cmp.Diff(want, row(t, s, "simulationruns")); diff != "" {
		t.Errorf("columns of a run (-want +got):\n%s", diff)
	}

	sweep := builder.MakeSweep("columns", "default").Values("seqs", "pools[llama].engine.maxNumSeqs", "128", "256").Obj()
	if err := s.client.Create(ctx, sweep); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Delete(ctx, sweep) })
	sweep.Status = v1alpha1.PolicySweepStatus{CommonStatus: common, Best: &v1alpha1.PointStatus{Point: 1, Summary: "seqs=256: goodput 98 %"}}
	if err := s.client.Status().Update(ctx, sweep); err != nil {
		t.Fatal(err)
	}
	want = map[string]any{
		"Name": "columns", "State": "Running", "Done": 3.0, "Undelivered": 2.0, "Of": 12.0, "Passed": "Unknown", "Best": "seqs=256: goodput 98 %",
		"Message": "3 of 12 simulations have a result",
	}
	if diff := cmp.Diff(want, row(t, s, "policysweeps")); diff != "" {
		t.Errorf("columns of a sweep (-want +got):\n%s", diff)
	}
}
