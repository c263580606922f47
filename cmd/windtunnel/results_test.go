// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/controllers"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestResultsOfFiles(t *testing.T) {
	file, state := gatesSample(t), filepath.Join(t.TempDir(), "state")
	sweep := tempFile(t, "sweep.json", mustRun(t, "sweep", "-f", file, "--state", state, "-o", "json"))
	table := mustRun(t, "results", "-f", sweep, "--columns", "ttft.p99", "--sort", "ttft.p99", "--limit", "2")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 3 || lines[0] != "point,share,seed,queue,prefix,ttft.p99,error" {
		t.Errorf("the table is\n%s", table)
	}
	if diff := cmp.Diff(table, mustRun(t, "results", "-f", state, "--columns", "ttft.p99", "--sort", "ttft.p99", "--limit", "2")); diff != "" {
		t.Errorf("a state does not say what the sweep says (−sweep +state):\n%s", diff)
	}
	all := strings.Count(mustRun(t, "results", "-f", state), "\n")
	few := strings.Count(mustRun(t, "results", "-f", state, "--where", "ttft.p99<550ms", "--where", "goodput>=50%"), "\n")
	if few < 2 || few >= all {
		t.Errorf("%d of %d rows are chosen", few, all)
	}
	for _, line := range strings.Split(strings.TrimSpace(mustRun(t, "results", "-f", state, "-o", "json", "--columns", "goodput")), "\n") {
		var row struct{ Metrics map[string]float64 }
		if err := json.Unmarshal([]byte(line), &row); err != nil || len(row.Metrics) != 1 {
			t.Fatalf("%v: %s", err, line)
		}
	}
}

func TestAStateTellsItsSweepsApart(t *testing.T) {
	row := func(point int, key, value string) stateLine {
		return stateLine{Parameters: []result.Assignment{{Name: "prefix", Value: value}}, Row: result.Row{Key: key, Point: point, Share: 1}}
	}
	byMachine := func(key string, point int) stateLine {
		return stateLine{Row: result.Row{Key: key, Point: point, Share: 1, Error: "out of memory", ByMachine: true}}
	}
	header := func(namespace, sweep, plan string) stateHeader {
		return stateHeader{SchemaVersion: stateVersion, stateOwner: stateOwner{Namespace: namespace, Sweep: sweep, Plan: plan}}
	}
	for name, tc := range map[string]struct {
		lines []any
		want  map[string]string // object, point and parameters by key
	}{
		"one sweep has no name": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("n", "a", "1"), row(1, "l", "2")},
			map[string]string{"k": "0 [prefix=1]", "l": "1 [prefix=2]"},
		},
		"two sweeps": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("n", "b", "1"), row(0, "l", "7"), header("n", "a", "1"), row(1, "m", "2")},
			map[string]string{"k": "a 0 [prefix=1]", "l": "b 0 [prefix=7]", "m": "a 1 [prefix=2]"},
		},
		"a sweep that was edited": {
			[]any{header("n", "a", "0123456789"), row(0, "k", "1"), header("n", "a", "abcdefghij"), row(0, "l", "7")},
			map[string]string{"k": "a@01234567 0 [prefix=1]", "l": "a@abcdefgh 0 [prefix=7]"},
		},
		"a row in which the machine decided, and the one that came of it": {
			[]any{header("n", "a", "1"), byMachine("k", 0), byMachine("l", 1), row(0, "k", "1")},
			map[string]string{"k": "0 [prefix=1]", "l": "1 [] out of memory"},
		},
		"one name in two namespaces": {
			[]any{header("n", "a", "1"), row(0, "k", "1"), header("m", "a", "1"), row(0, "l", "7")},
			map[string]string{"k": "n/a 0 [prefix=1]", "l": "m/a 0 [prefix=7]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var raw bytes.Buffer
			for _, line := range tc.lines {
				if err := json.NewEncoder(&raw).Encode(line); err != nil {
					t.Fatal(err)
				}
			}
			set, err := readState("state", raw.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, r := range set.rows {
				if before, again := got[r.Key]; again {
					t.Errorf("two rows of %s: %s", r.Key, before)
				}
				got[r.Key] = strings.TrimSpace(fmt.Sprint(r.Object, " ", r.Point, " ", set.parameters[dataframe.PointNameOf(&r)], " ", r.Error))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
		})
	}
}

func TestResultsRefusesBadInput(t *testing.T) {
	file := gatesSample(t)
	state := filepath.Join(t.TempDir(), "state")
	mustRun(t, "sweep", "-f", file, "--state", state)
	for name, args := range map[string][]string{
		"no source":          {},
		"two sources":        {"x", "-f", state},
		"a manifest":         {"-f", file},
		"an unknown metric":  {"-f", state, "--sort", "nope"},
		"an unknown column":  {"-f", state, "--columns", "nope"},
		"no comparison":      {"-f", state, "--where", "ttft.p99"},
		"a unit that is not": {"-f", state, "--where", "ttft.p99<5%"},
		"a negative limit":   {"-f", state, "--limit", "-1"},
		"another format":     {"-f", state, "-o", "yaml"},
	} {
		if _, err := windtunnel(t, append([]string{"results"}, args...)...); exitCode(err) != exitBadInput {
			t.Errorf("%s: exit code %d, %v", name, exitCode(err), err)
		}
	}
}

// onCluster are a sweep and its results as the operator leaves them.
func onCluster(t *testing.T) (objects []client.Object, rows []result.Row) {
	t.Helper()
	file := gatesSample(t)
	var out sweepOutput
	if err := json.Unmarshal([]byte(mustRun(t, "sweep", "-f", file, "-o", "json")), &out); err != nil {
		t.Fatal(err)
	}
	set, err := readManifest(file, nil)
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

func TestResultsOfAClusterAreCheckedByTheirDigests(t *testing.T) {
	objects, rows := onCluster(t)
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(objects...).Build()
	set, err := clusterResults(t.Context(), reader, "n", "", "s")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, set.rows); diff != "" {
		t.Errorf("rows (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]result.Assignment{{Name: "queue", Value: "1"}, {Name: "prefix", Value: "1"}}, set.parameters[dataframe.PointName{}]); diff != "" {
		t.Errorf("parameters of point 0 (−want +got):\n%s", diff)
	}
	for name, spoil := range map[string]func([]client.Object){
		"another index": func(o []client.Object) { o[1].(*corev1.ConfigMap).Data[store.IndexKey] += " " },
		"another version": func(o []client.Object) {
			index := o[1].(*corev1.ConfigMap).Data
			index[store.IndexKey] = strings.Replace(index[store.IndexKey], store.IndexSchemaVersion, "index/v0", 1)
			o[0].(*v1alpha1.PolicySweep).Status.Results.SHA256 = experiment.Digest([]byte(index[store.IndexKey]))
		},
		"another chunk":   func(o []client.Object) { o[2].(*corev1.ConfigMap).BinaryData = map[string][]byte{} },
		"no chunk":        func(o []client.Object) { o[2].SetName("elsewhere") },
		"no results yet":  func(o []client.Object) { o[0].(*v1alpha1.PolicySweep).Status.Results = nil },
		"no sweep at all": func(o []client.Object) { o[0].SetName("other") },
	} {
		objects, _ := onCluster(t)
		spoil(objects)
		reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(objects...).Build()
		if _, err := clusterResults(t.Context(), reader, "n", "", "s"); exitCode(err) != exitBadInput {
			t.Errorf("%s: exit code %d, error %v, want bad input", name, exitCode(err), err)
		}
	}
}

// TestResultsOfARunAreReadFromACluster by its name, and by its type where a sweep has
// the same name.
func TestResultsOfARunAreReadFromACluster(t *testing.T) {
	objects, rows := onCluster(t)
	sweep := objects[0].(*v1alpha1.PolicySweep)
	run := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "n"}}
	run.Status.Results = sweep.Status.Results
	same := run.DeepCopy()
	same.Name = sweep.Name
	reader := fake.NewClientBuilder().WithScheme(controllers.Scheme()).WithObjects(append(objects, run, same)...).Build()
	for arg, want := range map[string]string{
		"r": "", "simulationrun/r": "", "simrun/s": "", "policysweep/s": "",
		"s":             "a PolicySweep and a SimulationRun s",
		"policysweep/r": "there is no PolicySweep r in namespace n",
		"x":             "there is no PolicySweep or SimulationRun x in namespace n",
		"pod/r":         "the type must be policysweep or simulationrun",
	} {
		var set *resultSet
		kind, name, err := kubectl.ParseRef(arg)
		if err == nil {
			set, err = clusterResults(t.Context(), reader, "n", kind, name)
		}
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != exitBadInput {
				t.Errorf("%s: got %v, want bad input that says %q", arg, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		if diff := cmp.Diff(rows, set.rows); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", arg, diff)
		}
	}
}
