// SPDX-License-Identifier: Apache-2.0

package cmdtest

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// StoredSweep is a sweep and its results as the operator leaves them.
func StoredSweep(t testing.TB, mustRun func(testing.TB, ...string) string) (objects []client.Object, rows []result.Row) {
	t.Helper()
	file := GatesSample(t)
	var out struct {
		Status v1alpha1.PolicySweepStatus
		Rows   []result.Row
	}
	if err := json.Unmarshal([]byte(mustRun(t, "sweep", "-f", file, "-o", "json")), &out); err != nil {
		t.Fatal(err)
	}
	set, err := manifest.Read(strings.NewReader(TextOf(t, file)), file)
	if err != nil {
		t.Fatal(err)
	}
	var simulations []experiment.Simulation
	for _, row := range out.Rows {
		simulations = append(simulations, experiment.Simulation{Row: row})
	}
	chunks, err := store.Chunks(simulations)
	if err != nil || len(chunks) != 1 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	index := store.Index{SchemaVersion: store.IndexSchemaVersion, Chunks: []store.Reference{{Name: "chunk", Rows: len(out.Rows), SHA256: chunks[0].SHA256()}}}
	raw := index.Encode()
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "n"} }
	stored := set.Sweeps[0]
	stored.ObjectMeta = meta("s")
	stored.Status.PlanHash = out.Status.PlanHash
	stored.Status.Results = &v1alpha1.ResultsStatus{Index: "index", Chunks: 1, Rows: int64(len(out.Rows)), SHA256: experiment.Digest(raw)}
	return []client.Object{
		stored,
		&corev1.ConfigMap{ObjectMeta: meta("index"), Data: map[string]string{store.IndexKey: string(raw)}},
		&corev1.ConfigMap{ObjectMeta: meta("chunk"), Data: chunks[0].Data, BinaryData: chunks[0].Binary},
	}, out.Rows
}
