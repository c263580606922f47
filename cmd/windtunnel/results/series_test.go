// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestSeriesOfARunOnAClusterAreRead(t *testing.T) {
	series := &result.Series{
		SchemaVersion: result.SeriesSchemaVersion, Runs: 1, UnitNanoseconds: 1e6, WidthUnits: 16, Lasted: []int64{16},
		Pools: []result.SeriesTrack{}, Distributions: []result.SeriesDistribution{},
	}
	for name, kept := range map[string]*result.Series{"with series": series, "without": nil} {
		t.Run(name, func(t *testing.T) {
			chunks, err := store.Chunks([]experiment.Simulation{
				{Row: result.Row{Key: "a", Share: 1, Seed: 1}, Series: kept}, {Row: result.Row{Key: "b", Share: 1, Seed: 2}, Series: kept},
			})
			if err != nil {
				t.Fatal(err)
			}
			index := store.Index{SchemaVersion: store.IndexSchemaVersion, Chunks: []store.Reference{{Name: "chunk", Rows: 2, SHA256: chunks[0].SHA256()}}}
			raw := index.Encode()
			meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "n"} }
			run := &v1alpha1.SimulationRun{ObjectMeta: meta("r")}
			run.Status.Results = &v1alpha1.ResultsStatus{Index: "index", Chunks: 1, Rows: 2, SHA256: experiment.Digest(raw)}
			c := cmdtest.Client(t, run,
				&corev1.ConfigMap{ObjectMeta: meta("index"), Data: map[string]string{store.IndexKey: string(raw)}},
				&corev1.ConfigMap{ObjectMeta: meta("chunk"), Data: chunks[0].Data, BinaryData: chunks[0].Binary})
			set, err := readCluster(t, c, "r")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "s.json")
			err = set.WriteSeries(file)
			if kept == nil {
				if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), "spec.trace.series") {
					t.Errorf("exit code %d: %v", cli.ExitCode(err), err)
				}
				return
			}
			var lines result.Lines
			if err != nil || json.Unmarshal([]byte(cmdtest.TextOf(t, file)), &lines) != nil || lines.Runs != 2 {
				t.Errorf("%d runs: %v", lines.Runs, err)
			}
		})
	}
}
