// SPDX-License-Identifier: Apache-2.0

// Package dashboardtest makes runs and sweeps as a cluster has them when their work has ended.
package dashboardtest

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// Run is a run that keeps decisions, with its gate on ttft.p99, and its ConfigMaps.
func Run(t testing.TB, namespace, name, limit string) []client.Object {
	t.Helper()
	run := experimenttest.Run(t)
	run.ObjectMeta = meta(namespace, name)
	run.Spec.Trace.Level = v1alpha1.DecisionsTrace
	gate := v1alpha1.RunGate{Name: "slow-requests", Metric: "ttft.p99", Operator: "AtMost", Value: v1alpha1.MetricBound(limit), Confidence: "0.95"}
	run.Spec.Gates = []v1alpha1.RunGate{gate}
	compiled := experimenttest.MustCompileRun(t, run)
	all := experimenttest.AllSimulations(t, compiled.Plan)
	simulations, err := execute.Simulate(t.Context(), compiled.Plan, compiled.Traces, experimenttest.FirstRound(t, compiled.Plan), all.Indices(), execute.Options{Parallelism: 2, KeepDecisions: true})
	must(t, err)
	st, err := study.New(compiled.Plan)
	must(t, err)
	rows, _ := experimenttest.RowsAndDocuments(simulations)
	must(t, st.AddRows(rows))
	must(t, study.FillRun(&run.Status, st))
	configMaps := stored(t, &run.Status.CommonStatus, &run.ObjectMeta, st, simulations)
	return append([]client.Object{run}, configMaps...)
}

// Sweep is a sweep with a gate on ttft.p99, its ConfigMaps, and that of its trace.
func Sweep(t testing.TB, namespace, name, limit string) []client.Object {
	t.Helper()
	sweep := experimenttest.Sweep(t)
	sweep.ObjectMeta = meta(namespace, name)
	sweep.Spec.Gates = []v1alpha1.Gate{{Name: "slow-requests", Metric: "ttft.p99", Operator: "AtMost", Value: v1alpha1.MetricBound(limit), Confidence: "0.95"}}
	ended := experimenttest.MustRunLocally(t, experimenttest.MustCompileSweep(t, sweep), execute.Options{})
	var simulations []experiment.Simulation
	for _, row := range ended.Rows() {
		simulations = append(simulations, experiment.Simulation{Row: row})
	}
	must(t, study.FillSweep(&sweep.Status, ended.Study))
	configMaps := stored(t, &sweep.Status.CommonStatus, &sweep.ObjectMeta, ended.Study, simulations)
	trace := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "traces"}, BinaryData: map[string][]byte{
		"small.jsonl": experimenttest.TraceInputs(t)["traces/small.jsonl"],
	}}
	return append([]client.Object{sweep, trace}, configMaps...)
}

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "-" + name), Generation: 1}
}

// stored fills in a status of ended work, and returns the ConfigMaps of its results.
func stored(t testing.TB, status *v1alpha1.CommonStatus, of *metav1.ObjectMeta, st *study.Study, simulations []experiment.Simulation) []client.Object {
	t.Helper()
	study.FillStatus(status, st.Plan)
	study.FillProgress(status, st)
	judged, err := st.Verdict()
	must(t, err)
	study.FillVerdict(status, judged)
	status.ObservedGeneration = of.Generation
	status.Conditions = conditions(judged)
	chunks, err := store.Chunks(simulations)
	must(t, err)
	if len(chunks) != 1 {
		t.Fatalf("%d chunks, want one", len(chunks))
	}
	index := store.Index{SchemaVersion: store.IndexSchemaVersion, Chunks: []store.Reference{{Name: of.Name + "-chunk", Rows: len(simulations), SHA256: chunks[0].SHA256()}}}
	raw := index.Encode()
	status.Results = &v1alpha1.ResultsStatus{Index: of.Name + "-index", Chunks: 1, Rows: int64(len(simulations)), SHA256: experiment.Digest(raw)}
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name + "-index"}, Data: map[string]string{store.IndexKey: string(raw)}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: of.Namespace, Name: of.Name + "-chunk"}, Data: chunks[0].Data, BinaryData: chunks[0].Binary},
	}
}

// conditions are those of complete work.
func conditions(v *study.Judged) []metav1.Condition {
	complete := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonComplete, Message: "all results exist"}
	ready := complete
	ready.Type = v1alpha1.ConditionReady
	return []metav1.Condition{ready, complete, v.Passed()}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
