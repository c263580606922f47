// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestResultsOfFiles(t *testing.T) {
	file, state := cmdtest.GatesSample(t), filepath.Join(t.TempDir(), "state")
	sweep := cmdtest.TempFile(t, "sweep.json", mustRun(t, "sweep", "-f", file, "--state", state, "-o", "json"))
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

func TestResultsRefusesBadInput(t *testing.T) {
	file := cmdtest.GatesSample(t)
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
		"series of a file":   {"-f", state, "--series", filepath.Join(t.TempDir(), "s.json")},
		"another format":     {"-f", state, "-o", "yaml"},
	} {
		if _, err := windtunnel(t, append([]string{"results"}, args...)...); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: exit code %d, %v", name, cli.ExitCode(err), err)
		}
	}
}

func TestResultsOfAClusterAreCheckedByTheirDigests(t *testing.T) {
	objects, rows := cmdtest.StoredSweep(t, mustRun)
	c := cmdtest.Client(t, objects...)
	set, err := readCluster(t, c, "s")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, set.Rows); diff != "" {
		t.Errorf("rows (−want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]result.Assignment{{Name: "queue", Value: "1"}, {Name: "prefix", Value: "1"}}, set.Parameters[dataframe.PointName{}]); diff != "" {
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
		objects, _ := cmdtest.StoredSweep(t, mustRun)
		spoil(objects)
		c := cmdtest.Client(t, objects...)
		if _, err := readCluster(t, c, "s"); cli.ExitCode(err) != cli.ExitBadInput {
			t.Errorf("%s: exit code %d, error %v, want bad input", name, cli.ExitCode(err), err)
		}
	}
}

// readCluster reads the rows of an object that an argument names.
func readCluster(t *testing.T, c *kube.Client, arg string) (*Set, error) {
	t.Helper()
	kind, name, err := kubectl.ParseRef(arg)
	if err != nil {
		return nil, err
	}
	o, err := kubectl.Find(t.Context(), c, kind, types.NamespacedName{Namespace: "n", Name: name})
	if err != nil {
		return nil, err
	}
	return ReadCluster(t.Context(), c, o)
}

// TestResultsOfARunAreReadFromACluster by its name, and by its type where a sweep has
// the same name.
func TestResultsOfARunAreReadFromACluster(t *testing.T) {
	objects, rows := cmdtest.StoredSweep(t, mustRun)
	sweep := objects[0].(*v1alpha1.PolicySweep)
	run := &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "n"}}
	run.Status.Results = sweep.Status.Results
	same := run.DeepCopy()
	same.Name = sweep.Name
	c := cmdtest.Client(t, append(objects, run, same)...)
	for arg, want := range map[string]string{
		"r": "", "simulationrun/r": "", "simrun/s": "", "policysweep/s": "",
		"s":             "a PolicySweep and a SimulationRun s",
		"policysweep/r": "there is no PolicySweep r in namespace n",
		"x":             "there is no PolicySweep or SimulationRun x in namespace n",
		"pod/r":         "the type must be policysweep or simulationrun",
	} {
		set, err := readCluster(t, c, arg)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != cli.ExitBadInput {
				t.Errorf("%s: got %v, want bad input that says %q", arg, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", arg, err)
			continue
		}
		if diff := cmp.Diff(rows, set.Rows); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", arg, diff)
		}
	}
}
